"""A folder of results that stands on its own: written as a draft, renamed at the end."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml

from contrapose.errors import ConfigError, TableError
from contrapose.plan import Plan
from contrapose.publish.chain import Chain
from contrapose.publish.descriptor import write_descriptor, write_sums
from contrapose.publish.leaks import check_no_leak, machine_paths, secrets
from contrapose.publish.sources import Source, sources
from contrapose.publish.words import deviations, readme, titles
from contrapose.report.files import write_csv, write_text
from contrapose.tables import EXAMPLES, SCORES, Table, read_provenance, read_tables, write_table, written
from contrapose.verify import Finding

# Of config.yaml: folders and addresses of one machine, and what never changes a result.
LOCAL_KEYS = {
    *("data", "endpoint", "encoder", "pathvars", "shards", "device", "batch_size", "processes", "recompute"),
    *("cuda_graphs", "container"),
}
REPORT = "report.html"  # below the results, of `make report`


@dataclass(frozen=True)
class Wishes:
    """What a person chose to publish."""

    to: Path
    encoders: Sequence[str] = ()  # ids of runs
    pairs: bool = False  # sentences, too: pair sets and examples of them
    allow_stale: bool = False
    force: bool = False  # take the place of an older package


def publish(chain: Chain, wishes: Wishes) -> list[str]:
    """Write the package; return what was left out, and why.

    Equal results, settings, code and checkout give equal bytes: no file holds a time.

    Raises
    ------
    ConfigError
        The folder is there already, or a file holds a secret or a path of this machine.
    TableError
        `make verify` calls something stale or foreign.
    """
    check_place(wishes)
    stale = chain.stale()
    if stale and not wishes.allow_stale:
        lines = "\n".join(f"  {one.kind:8} {one.path}  {one.reason}" for one in stale)
        raise TableError(
            f"{len(stale)} results are not what today's settings and code give:\n{lines}\n"
            "Build them again, choose the settings they were made with (--config), remove what is foreign, "
            "or publish them as they are with --allow-stale: the package then says so."
        )
    with written(wishes.to) as draft:
        draft.mkdir(parents=True)
        left_out = _write(draft, chain, wishes, stale)
        check_no_leak(draft, {**secrets(chain.plan), **machine_paths(chain.plan)})
        if wishes.force and wishes.to.exists():
            shutil.rmtree(wishes.to)
    return left_out


def check_place(wishes: Wishes) -> None:
    """Refuse a folder that is there; with `force` only what is no package."""
    if wishes.to.exists() and not wishes.force:
        raise ConfigError(
            f"--to: '{wishes.to}' is there already. Choose another folder, or replace it: --force"
        )
    if wishes.to.exists() and not (wishes.to / "datapackage.json").is_file():
        raise ConfigError(
            f"--to: '{wishes.to}' is no package of ours and is not replaced. Choose another folder."
        )


def _write(draft: Path, chain: Chain, wishes: Wishes, stale: list[Finding]) -> list[str]:
    plan, checkout = chain.plan, checkout_of(chain.plan.home)
    left_out = [*_copy_tables(draft, chain, wishes.pairs), *_copy_report(draft, chain, wishes.pairs)]
    left_out += [f"not built: {', '.join(chain.unbuilt)}"] if chain.unbuilt else []
    _write_scores(draft, chain)
    if wishes.pairs:
        _copy_pairs(draft, chain)
    _copy_config(draft, plan, chain.studies)
    for name in ("LICENSE", "CITATION.cff"):
        shutil.copyfile(plan.home / name, draft / name)
    read = sources(plan, chain.jobs)
    write_csv(pd.DataFrame(read, columns=Source._fields), draft / "licences.csv")
    _write_json(draft / "provenance.json", provenance(chain, checkout, stale))
    write_text(deviations(chain), draft / "deviations.md")
    if wishes.encoders:
        from contrapose.publish.encoders import write_encoders  # PyTorch

        write_encoders(draft, chain, wishes.encoders, checkout)
    write_text(readme(chain, checkout, read, left_out, stale, wishes.encoders), draft / "README.md")
    title = f"Results of Contrapose in the world {plan.world_name}: {', '.join(chain.studies)}"
    write_descriptor(draft, package_name(plan), title, titles(chain), read)
    write_sums(draft)
    return left_out


def package_name(plan: Plan) -> str:
    """Return the name of a package: of a world, without a time."""
    return f"contrapose-{plan.world_name}"


def _copy_tables(draft: Path, chain: Chain, pairs: bool) -> list[str]:
    """Copy tables, figures and claims; return those that are left out."""
    left_out = []
    for name in chain.targets:
        files = chain.published(name)
        if missing := [str(path) for path in files if not path.is_file()]:
            raise TableError(
                f"{name}: {', '.join(missing)} is gone. Build it again: snakemake --cores 1 {files[0]}"
            )
        if _prints_sentences(files) and not (pairs or chain.plan.world.mini):
            left_out.append(f"`{name}`: prints sentences of others. --pairs takes it along")
            continue
        (draft / name).parent.mkdir(exist_ok=True)
        for path in files:
            shutil.copyfile(path, (draft / name).parent / path.name)
    return left_out


def _prints_sentences(files: list[Path]) -> bool:
    return any(_holds(path, EXAMPLES) for path in files)


def _holds(path: Path, table: Table) -> bool:
    """Tell whether a file is there and holds a table."""
    return path.suffix == ".parquet" and path.is_file() and read_provenance(path).get("table") == table.name


def _copy_report(draft: Path, chain: Chain, pairs: bool) -> list[str]:
    report = chain.results / REPORT
    if not report.is_file():
        return [f"`{REPORT}`: not built. `make report` makes it"]
    sentences = any(_prints_sentences(chain.published(name)) for name in chain.targets)
    if sentences and not (pairs or chain.plan.world.mini):
        return [f"`{REPORT}`: shows tables that print sentences of others. --pairs takes it along"]
    shutil.copyfile(report, draft / REPORT)
    return []


def _write_scores(draft: Path, chain: Chain) -> None:
    """Put the scores behind the tables together: a file per suite, or per way of fine-tuning."""
    groups: dict[str, list[str]] = {}
    for path in sorted(chain.makers):
        if _holds(Path(path), SCORES):
            kind, *rest = Path(path).relative_to(chain.results / "evaluate").parts
            groups.setdefault(f"{kind}-{rest[0]}" if kind == "fine_tuned" else kind, []).append(path)
    for name, paths in groups.items():
        frame = read_tables(paths, SCORES).sort_values(list(SCORES.key), ignore_index=True)
        write_table(frame, draft / "scores" / f"{name}.parquet", SCORES)
        write_csv(frame, draft / "scores" / f"{name}.csv")


def _copy_pairs(draft: Path, chain: Chain) -> None:
    for path in map(Path, sorted(chain.makers)):
        if path.parent == chain.results / "pairs" and path.is_file():
            (draft / "pairs").mkdir(exist_ok=True)
            shutil.copyfile(path, draft / "pairs" / path.name)


def _copy_config(draft: Path, plan: Plan, studies: list[str]) -> None:
    """Write the settings as they were used, without what belongs to this machine alone."""
    config = draft / "config"
    for study in studies:
        origin = plan.study_folder(study)
        shutil.copytree(
            origin, config / "studies" / study, ignore=shutil.ignore_patterns(".*", "__pycache__")
        )
    shutil.copyfile(plan.world_file, config / "world.yaml")
    shutil.copyfile(plan.recipes_file, config / "recipes.yaml")
    used = plan.config.model_dump(mode="json", exclude=LOCAL_KEYS) | {"studies": studies}
    write_text(yaml.safe_dump(used, sort_keys=False, allow_unicode=True), config / "config.yaml")


def provenance(chain: Chain, checkout: dict[str, object], stale: Sequence[Finding]) -> dict[str, object]:
    """Return provenance.json: which job made each table, and every job behind it."""
    made_by = {name: chain.identity(chain.makers[str(path)]) for name, path in chain.targets.items()}
    return {
        "checkout": checkout,
        "world": chain.plan.world_name,
        "published although": [f"{chain.shown(one.path)}: {one.kind}, {one.reason}" for one in stale],
        "made by": made_by,
        "jobs": [chain.record(job) for job in chain.jobs],
    }


def checkout_of(home: Path) -> dict[str, object]:
    """Return the commit of a checkout, and whether files differ from it; no commit without git."""
    commit, changes = (_git(home, *order) for order in (("rev-parse", "HEAD"), ("status", "--porcelain")))
    return {"commit": commit.strip() if commit else None, "changed": bool(changes)}


def _git(home: Path, *order: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(home), *order], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def _write_json(path: Path, content: object) -> None:
    write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", path)
