"""What test pairs share with what rows are trained on and selected by, as `check` says it before any job."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from contrapose.base.errors import ContraposeError
from contrapose.project import Project
from contrapose.report.training_files import trained_on
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.retrieve.data_files import below, folders
from contrapose.retrieve.overlaps import DEV_PAIRS, TRAINING_PAIRS, TRAINING_SENTENCES, overlaps
from contrapose.retrieve.triplet_files import read_triplets
from contrapose.tools.check_files import SMALL
from contrapose.tools.finding import Finding
from contrapose.tools.needs import tables_of


def check_overlaps(project: Project, targets: Sequence[str]) -> Iterator[Finding]:
    """Warn of what `overlaps` finds in the tables of scores of some targets.

    Small files on this machine are read; the notes of a table speak of all texts.
    """
    if project.catalog.makes_data:
        return
    scored = cache(_readable(project, _scored))
    sentences = cache(_readable(project, _sentences))
    triplets = cache(_readable(project, _triplets))
    for name in tables_of(project, targets):
        tested = project.tables[name][1].tested(project)
        if not tested:
            continue
        corpora, sources, dev = trained_on(project, name)
        tests = {column: scored(task, "test", form) for column, task, form in tested}
        texts = {TRAINING_SENTENCES.format(each): sentences(each) for each in corpora}
        pairs = {TRAINING_PAIRS.format(each): triplets(each) for each in sources}
        pairs |= {DEV_PAIRS.format(each): scored(each, "dev", "senteval") for each in dev}
        for overlap in overlaps(tests, texts, pairs):
            yield Finding("warning", name, overlap)


def _readable(project: Project, read: Callable[..., list]) -> Callable[..., list]:
    """Return `read` of names alone, which gives nothing of a file that `check_files` finds wrong."""

    def found(*names: str) -> list:
        try:
            return read(project, *names)
        except (ContraposeError, OSError):
            return []

    return found


def _is_small(paths: Sequence[Path]) -> bool:
    return sum(path.stat().st_size for path in paths) <= SMALL


def _scored(project: Project, task: str, split: str, form: str) -> list[tuple[str, str]]:
    sources = {
        name: each
        for name, each in project.catalog.benchmarks.items()
        if each.in_folder and (each.task, each.form) == (task, form)
    }
    existing, _ = folders(sources, project.data)
    small = {
        name: sources[name]
        for name, folder in existing.items()
        if _is_small([path for path in folder.iterdir() if path.is_file()])
    }
    pairs = read_benchmarks(project.data, small)[0]
    sides = pairs.loc[pairs.split == split, ["sentence1", "sentence2"]]
    return list(sides.itertuples(index=False, name=None))


def _sentences(project: Project, corpus: str) -> list[str]:
    lines = project.corpus(corpus).lines(project, SMALL)
    return [] if lines is None else list(lines.text)


def _triplets(project: Project, name: str) -> list[tuple[str, str]]:
    source = project.entry("triplet_files", name)
    files = [below(file, project.data) for file in source.files]  # none for one of the hub
    if not files or not _is_small(files):
        return []
    rows = read_triplets(source, project.data)
    return list(zip(rows.premise, rows.entailment, strict=True))
