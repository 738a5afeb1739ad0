"""Transfer tasks of SentEval, from their distribution files: classes of sentences and of pairs of them."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

import pandas as pd
from pydantic import Field, RootModel

from contrapose.base.errors import AGAIN, ConfigError, TableError, are_missing, shown
from contrapose.base.tasks import TRANSFER_ITEMS, TransferTask
from contrapose.jobs.status import with_status
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.data_files import folders
from contrapose.retrieve.lines import MRPC_HEADER, Line, need_header, spaced, text_lines
from contrapose.settings.plan import Plan
from contrapose.settings.spec import PathText, Spec
from contrapose.tables import TRANSFER

logger = logging.getLogger(__name__)

# The files of each task.  A split is one file, or one per class, whose position is the label: SentEval takes
# the objective sentences of SUBJ as class 1 (`binary.py`).
FILES: dict[TransferTask, dict[str, tuple[str, ...]]] = {
    "mr": {"all": ("rt-polarity.neg", "rt-polarity.pos")},
    "cr": {"all": ("custrev.neg", "custrev.pos")},
    "subj": {"all": ("subj.subjective", "subj.objective")},
    "mpqa": {"all": ("mpqa.neg", "mpqa.pos")},
    "sst2": {"train": ("sentiment-train",), "dev": ("sentiment-dev",), "test": ("sentiment-test",)},
    "trec": {"train": ("train_5500.label",), "test": ("TREC_10.label",)},
    "mrpc": {"train": ("msr_paraphrase_train.txt",), "test": ("msr_paraphrase_test.txt",)},
}

QUESTION_CLASSES = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")  # in the order of SentEval's `trec.py`
# Lines of tasks without a file for each class; quotation marks mean nothing.
LINES: dict[TransferTask, tuple[str, str]] = {
    "sst2": (r"(?P<first>[^\t]*)\t *(?P<label>[01]) *", "a sentence, a tab, 0 or 1"),
    "trec": (
        rf"(?P<label>{'|'.join(QUESTION_CLASSES)}):[^ ]* (?P<first>.*)",
        f"a class and a finer one, `HUM:ind`, of {', '.join(QUESTION_CLASSES)}, and a question",
    ),
    "mrpc": (
        r" *(?P<label>[01]) *\t[^\t]*\t[^\t]*\t(?P<first>[^\t]*)\t(?P<second>[^\t]*)",
        f"{', '.join(MRPC_HEADER)}, between tabs; Quality is 0 or 1",
    ),
}

Item = tuple[str, str | None, int]  # sentence 1, sentence 2, label


class TransferFiles(Spec):
    """A transfer task is in the files that SentEval reads. The task decides their format."""

    path: PathText = Field(description="This is a folder below the data folder, or below its `senteval/`.")
    complete: bool = Field(
        False, description="If true, the task is refused unless it has the published number of items."
    )

    in_folder: ClassVar[bool] = True


TransferTasks = RootModel[dict[TransferTask, TransferFiles]]


@planned
def plan(project: Plan) -> TransferTasks:
    """Return the folders of the catalog's transfer tasks."""
    return TransferTasks(project.catalog.transfer)


def build(spec: TransferTasks, data: DataFolder) -> Annotated[pd.DataFrame, Rows(TRANSFER)]:
    """Read the transfer tasks; the file says which are missing."""
    transfer, missing = read_transfer(data, spec.root)
    return with_status(transfer, missing=missing)


def read_transfer(
    data: Path | None, sources: Mapping[TransferTask, TransferFiles]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read every transfer task in a data folder, or a SentEval tree with `MR/` and the others.

    Returns the tasks in the order of `sources`, and {`task/senteval/split`: folder below `data`} of what is
    missing, for `test` and `dev`, which is also logged.  Raises ConfigError if there is no task; see
    `read_task`.
    """
    existing, absent = folders(sources, data)
    if not existing:
        raise ConfigError(
            f"transfer: none of the tasks was found in '{data}' or its folder senteval. Expected one "
            f"of {', '.join(sorted(absent.values()))}."
        )
    frames = [read_task(folder, task, sources[task]) for task, folder in existing.items()]
    for task, path in absent.items():
        logger.warning("%s is skipped, because %s is missing", task, path)
    missing = {f"{task}/senteval/{split}": absent[task] for task in absent for split in ("dev", "test")}
    return pd.concat(frames, ignore_index=True), dict(sorted(missing.items()))


def read_task(folder: Path, task: TransferTask, source: TransferFiles) -> pd.DataFrame:
    """Read one transfer task from its distribution files.

    Sentences are split at white space and joined by one space, as SentEval does.  Files are UTF-8, or
    Latin-1 if they are not.  An empty line in a file of one class is an item without words: the published
    numbers count it.  Back quotes and apostrophes of TREC are deleted, as SentEval's preparation does.

    Raises TableError if a file is missing (half a task is not scored) or empty, a line is malformed, or the
    source is `complete` but the task is not.
    """
    missing = [name for names in FILES[task].values() for name in names if not (folder / name).is_file()]
    if missing:
        raise TableError(
            f"{folder}: {are_missing('file', missing)}. Put all files of {task} there. To skip the task, "
            "remove the folder."
        )
    rows = []
    for split, names in FILES[task].items():
        items = [item for label, name in enumerate(names) for item in _items(folder / name, task, label)]
        expected = TRANSFER_ITEMS[task][split]
        if source.complete and len(items) != expected:
            raise TableError(
                f"{folder}: split {split} has {len(items)} items, but {task} was published with "
                f"{expected}. Download the files again, or remove `complete` from the transfer tasks of "
                "the catalog."
            )
        rows += [(task, split, row, *item) for row, item in enumerate(items)]
    frame = pd.DataFrame(rows, columns=TRANSFER.columns)
    empty = int((frame.sentence1 == "").sum())
    logger.info("%s: %d items; %d of them have no words", folder, len(frame), empty)
    return frame


def _items(path: Path, task: TransferTask, label: int) -> list[Item]:
    """Return the items of a file; in a file of one class they all have its label."""
    lines = text_lines(path, encoding=_encoding(path))
    if task == "mrpc":
        need_header(path, lines, MRPC_HEADER)
    if task in LINES:
        items = [_item(line, task) for line in lines]
    else:
        items = [(spaced(" ".join(line.fields)), None, label) for line in lines]
    if not items:
        raise TableError(f"{path}: the file contains no item. {AGAIN}")
    return items


def _item(line: Line, task: TransferTask) -> Item:
    pattern, form = LINES[task]
    match = re.fullmatch(pattern, "\t".join(line.fields))
    parts = match.groupdict() if match else {"label": ""}
    label = parts.pop("label")
    if task == "trec":  # SentEval, `get_transfer_data.bash`
        parts = {name: re.sub("[`']", "", text) for name, text in parts.items()}
    texts = [spaced(text) for text in parts.values()]
    if not texts or not all(texts):
        raise TableError(
            f"{line.where}: the line is {shown(' '.join(line.fields))}, but {form} is expected. "
            "Correct the line, or download the file again."
        )
    number = QUESTION_CLASSES.index(label) if task == "trec" else int(label)
    return texts[0], texts[1] if task == "mrpc" else None, number


def _encoding(path: Path) -> str:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        logger.info("%s: the file is not in UTF-8, so it is read as Latin-1", path)
        return "latin-1"
    return "utf-8"
