"""What the input files of a job say of the table or figure that is made from them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from contrapose.base.errors import TableError
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.report.published import PaperRows
from contrapose.tables import SCORES, read_provenance


@dataclass(frozen=True)
class Found:
    """What the files say, to which a kind of tables adds the paper's rows and the logs of the trainings."""

    reasons: dict[str, str]  # {id of a run or source: why it could not be made}
    empty: set[str]  # the files of these, which have no rows
    notes: list[str]
    published: PaperRows = field(default_factory=dict)  # the rows that the paper prints
    histories: list[str] = field(default_factory=list)  # the logs of trainings


def found_in(files: Iterable[str], known: Collection[str], name: str) -> Found:
    """Read the status of files.  `known` are the ids of the runs and sources of the table or figure `name`.

    What is unavailable is a reason of its run or source, unless this has scores in another file.  Other
    reasons, sets without scores, and the precision of models become notes.  Raises TableError if
    `precision: auto` meant float32 for some files and bf16 for others.
    """
    reasons, unavailable, others = dict[str, str](), set[str](), dict[str, None]()
    ran_in, auto, scored = set[str](), dict[str, str](), set[str]()
    for file in files:
        made = read_provenance(file) if file.endswith(".parquet") else {}
        ran_in.update(made.get("precision", []))
        auto |= dict.fromkeys(made.get("auto_precision", {}).values(), file)
        status = read_status(made)
        if made.get("table") == SCORES.name:
            others |= dict.fromkeys(status.skipped)
            scored |= set() if status.unavailable else {_id(made)}
        if status.unavailable and (of := _id(made)) in known:
            reasons[of] = status.unavailable
            unavailable.add(file)
        elif status.unavailable:
            others[status.unavailable] = None
    if len(auto) > 1:
        (one, first), (other, second) = sorted(auto.items())
        raise TableError(
            f"{name}: with precision auto, {first} was made in {one}, but {second} in {other}, "
            "because the jobs ran on processors of two kinds. A table cannot mix two precisions. Set "
            "precision to float32 or bf16 in config.yaml. The next run then makes these results "
            "again."
        )
    reasons = {of: why for of, why in reasons.items() if of not in scored}
    notes = [f"Skipped: {why}." for why in others if why not in reasons.values()]
    if ran_in:
        notes.append(f"Models ran in {' and '.join(sorted(ran_in))}.")
    return Found(reasons, unavailable, notes)


def _id(made: Mapping) -> str:
    """Return the id of the run or source that a file is of, by its metadata; empty if it is of none."""
    settings, names = made.get("settings", {}), made.get("wildcards", {})
    if "task" in settings:
        return ""
    if "seed" in names:
        return run_of(made)
    return settings.get("run") or "/".join(names[part] for part in ("pairs", "detector") if part in names)
