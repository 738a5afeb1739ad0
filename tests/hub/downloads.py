"""Miniatures of the files that the hub catalog has from other addresses: as many pairs as published."""

import json
import zipfile
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from pathlib import Path

from contrapose.base.tasks import TASKS, Task
from tests.hub.repositories import HUB_CATALOG, place_of

Lines = Callable[[Path, str], Iterable[str]]


def write_downloads(folder: Path, made: Path) -> None:
    """Write each download of the hub catalog below `folder` as its address gives it; `made`: a mini world."""
    for target, source in HUB_CATALOG.downloads.items():
        lines = next(write for part, write in FILES.items() if target.startswith(f"./{part}"))
        text = "".join(f"{line}\n" for line in lines(made, Path(target).name)).encode()
        place = folder / "files" / place_of(source.url)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.member is None:
            place.write_bytes(text)
        else:
            with zipfile.ZipFile(place, "w") as archive:
                archive.writestr(source.member, text)


def _sick(made: Path, name: str) -> Iterable[str]:
    """The release: all splits in one file, and another name of the labels."""
    yield "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set"
    for split, part in {"train": "train", "dev": "trial", "test": "test_annotated"}.items():
        _, *rows = (made / f"sick_raw/SICK_{part}.txt").read_text(encoding="utf-8").splitlines()
        for row in islice(cycle(rows), TASKS["sick_nli"].pairs[split]):
            number, first, second, score, label = row.split("\t")
            yield "\t".join((number, first, second, label, score, part.partition("_")[0].upper()))


def _jglue(task: Task) -> Lines:
    def lines(made: Path, name: str) -> Iterable[str]:
        pairs, rows = TASKS[task].pairs, (made / f"jglue/{task}-v1.3" / name).read_text("utf-8").splitlines()
        count = pairs["train"] + pairs["dev"] if name.startswith("train") else pairs["test"]
        for number, row in enumerate(islice(cycle(rows), count)):
            yield json.dumps(json.loads(row) | {"sentence_pair_id": str(number)}, ensure_ascii=False)

    return lines


def _jsick(made: Path, name: str) -> Iterable[str]:
    header, *rows = (made / "jsick/jsick.tsv").read_text(encoding="utf-8").splitlines()
    yield header
    for split, part in {"train": "train", "dev": "trial", "test": "test"}.items():
        mine = [row for row in rows if row.split("\t")[1] == part]
        yield from islice(cycle(mine), TASKS["jsick"].pairs[split])


def _jsnli(made: Path, name: str) -> Iterable[str]:
    return (made / "jsnli/train_w_filtering.tsv").read_text(encoding="utf-8").splitlines()


def _glove(made: Path, name: str) -> Iterable[str]:
    return (" ".join([word, *["0.5"] * 300]) for word in ("the", "a", "of"))


FILES: dict[str, Lines] = {
    "sick": _sick,
    **{f"jglue/{task}": _jglue(task) for task in ("jsts", "jnli")},
    **{"jsick": _jsick, "jsnli": _jsnli, "glove": _glove},
}
