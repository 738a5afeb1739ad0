"""`make publish`: results as a folder for others, and, by an explicit command, onto a hub."""

import argparse
import sys
from pathlib import Path

from contrapose.errors import ContraposeError
from contrapose.plan import Plan
from contrapose.project.given import given_config
from contrapose.publish.chain import Chain, built_chain
from contrapose.publish.package import Wishes, check_place, package_name, publish

HOME = Path(__file__).parents[3]  # the checkout that this runs from
PROGRAM = "python -m contrapose.publish"


def main(arguments: list[str] | None = None) -> int:
    """Publish into a folder, or push one; return 1 if nothing was pushed for want of a yes."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _push(given[1:]) if given[:1] == ["push"] else _publish(given)
    except ContraposeError as error:
        sys.exit(f"{error}")


def _publish(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    parser.add_argument(
        "--config", nargs="*", default=[], metavar="key=value", help="as for snakemake --config"
    )
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="default: publish/contrapose-WORLD")
    parser.add_argument(
        "--encoders", nargs="+", default=["none"], metavar="RUN",
        help="trained encoders: runs as PAIRS/RECIPE/seedN, all (behind the tables), or none (default)",
    )  # fmt: skip
    parser.add_argument("--pairs", action="store_true", help="pair sets and examples too: text of others")
    parser.add_argument(
        "--allow-stale", action="store_true", help="publish what make verify refuses, and say so"
    )
    parser.add_argument("--force", action="store_true", help="take the place of an older package")
    given = parser.parse_args(arguments)
    plan = Plan(given_config(given.config), HOME)
    to = given.to or Path("publish") / package_name(plan)
    check_place(Wishes(to, force=given.force))
    chain = built_chain(plan)
    wishes = Wishes(to, _runs(given.encoders, chain), given.pairs, given.allow_stale, given.force)
    left_out = publish(chain, wishes)
    print(f"{to}: {len(chain.targets)} tables, figures and claims, {len(wishes.encoders)} encoders.")
    for line in left_out:
        print(f"left out: {line}")
    return 0


def _runs(wanted: list[str], chain: Chain) -> list[str]:
    if wanted == ["none"]:
        return []
    from contrapose.publish.runs import trained_runs  # what a package without encoders does not need

    return trained_runs(wanted, chain)


def _push(arguments: list[str]) -> int:
    from contrapose.publish.push import push

    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} push", description="Upload a package or an encoder to a hub."
    )
    parser.add_argument("folder", type=Path, help="a package, or one folder below its encoders/")
    parser.add_argument("--repo", required=True, metavar="ORG/NAME")
    parser.add_argument("--private", action="store_true", help="nobody else may see it")
    parser.add_argument("--yes", action="store_true", help="without it nothing is sent")
    given = parser.parse_args(arguments)
    return 0 if push(given.folder, given.repo, given.private, given.yes) else 1


if __name__ == "__main__":
    sys.exit(main())
