"""Write the results as a folder for publication and, on request, upload it to the hub."""

import re
from collections.abc import Sequence
from pathlib import Path

from huggingface_hub import HfApi

from contrapose.base.errors import BackendError, unknown
from contrapose.tools.command_line import command_parser
from contrapose.tools.publish.chain import built_chain
from contrapose.tools.publish.package import publish


def main(arguments: list[str]) -> None:
    """Write the package, say what is left out, and upload it on request."""
    parser = command_parser("publish", __doc__)
    add = parser.add_argument
    add("--to", type=Path, metavar="FOLDER", help="default: publish/contrapose-CATALOG")
    add("--encoders", nargs="+", default=[], metavar="RUN", help="PAIRS/RECIPE/seedN, or all; default: none")
    add("--license", default="", help="identifier of the hub, such as cc-by-4.0; needed for data of your own")
    add("--upload", metavar="ORG/NAME", help="private data set of the hub; encoders: models ORG/NAME-RUN")
    options = parser.parse_args(arguments)
    chain = built_chain(options.config)
    runs = sorted(chain.runs) if options.encoders == ["all"] else options.encoders
    for run in set(runs) - set(chain.runs):
        raise unknown("runs behind the tables that are built", run, chain.runs)
    to = options.to or Path(f"publish/contrapose-{chain.project.catalog_name}")
    skipped = publish(chain, to, runs, options.license)
    for name, why in skipped.items():
        print(f"left out: {name} ({why})")
    runs = [run for run in runs if f"encoders/{run}" not in skipped]
    tables = len(set(chain.targets) - set(skipped))
    print(f"{to}: {tables} tables, figures and claims, {len(runs)} encoders")
    if options.upload:
        upload(to, options.upload, runs)


def upload(folder: Path, repo: str, runs: Sequence[str]) -> None:
    """Upload a package and, as separate models, its encoders.  New repositories on the hub are private."""
    parts = {f"{repo}-{re.sub('[^a-zA-Z0-9.-]+', '-', run)}": folder / "encoders" / run for run in runs}
    for name, part in {repo: folder, **parts}.items():
        kind, hub = "dataset" if name == repo else "model", HfApi()
        try:
            hub.create_repo(name, repo_type=kind, private=True, exist_ok=True)
            print(hub.upload_folder(repo_id=name, folder_path=part, repo_type=kind))
        except Exception as error:  # a lost connection raises an error of the hub's HTTP library
            raise BackendError(
                f"The hub did not accept {kind} {name}: {error}. {part} is written and checked. Check name, "
                f"token and network, then upload it: hf upload {name} '{part}' --repo-type {kind} --private"
            ) from None
