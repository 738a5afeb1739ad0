"""Check that the files and folders that a catalog names exist and that the jobs' readers can read them."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm import tqdm

from contrapose.base.errors import ContraposeError
from contrapose.corpus.published_lines import counted, distinct_lines, published_lines
from contrapose.project import Project
from contrapose.project.rules import SUITES
from contrapose.retrieve.articles import read_articles
from contrapose.retrieve.benchmarks import read_benchmark
from contrapose.retrieve.data_files import PROJECT, below, folders, inputs
from contrapose.retrieve.dictionary_lines import BROKEN, rules_of
from contrapose.retrieve.grammar_files import perceptron_tagger, verb_bases, wordnet_synonyms
from contrapose.retrieve.suites import none_here, sets_of
from contrapose.retrieve.transfer import read_task
from contrapose.retrieve.triplet_files import read_triplets
from contrapose.tools.check_input import check_model
from contrapose.tools.dry_run import Job
from contrapose.tools.finding import Finding, judged
from contrapose.tools.needs import MODELS, Need, needs_of

OWN_FILES = (SUITES, "triplet_files", "sentence_files")  # which are read in a second or two
SMALL = 50_000_000  # bytes, read in a second or two; of more only one byte per file is read
LOADED = (*MODELS, "translator")
TOP = 100  # lines of a dictionary: some of a real one are broken, but not all of so many


def check_files(project: Project, need: Need) -> list[Finding]:
    """Check the files of a need on this machine; what a job makes or fetches is left out."""
    if need.section == "suites":
        return list(_sets(project, "benchmarks", sets_of(project, need.name)))  # type: ignore[arg-type]
    source = need.source(project)
    if need.section == "transfer":
        return list(_sets(project, "transfer", source))
    made = project.catalog.makes_data and need.section not in LOADED
    here = need.section in READERS and _is_here(made, source)
    return [judged(need.key, partial(READERS[need.section], project, need, source))] if here else []


def wrong_files(project: Project, jobs: Sequence[Job]) -> list[Finding]:
    """Return which of a person's own files some jobs cannot read."""
    try:
        needs = [need for need in needs_of(project, jobs) if need.section in OWN_FILES]
    except ContraposeError:  # no set of a suite, which the planning of jobs says
        return []
    return [one for need in needs for one in check_files(project, need) if one.level == "missing"]


def _is_here(made: bool, source: object) -> bool:
    """Return whether the files of an entry exist before the first job, which may make the data folder."""
    paths = getattr(source, "files", None) or [getattr(source, "path", None)]
    return None not in paths and (not made or all(path.startswith(PROJECT) for path in paths))


def _sets(project: Project, section: str, sources: Mapping[Any, Any]) -> Iterator[Finding]:
    """Check each evaluation set or transfer task; a missing one is left out."""
    made = project.catalog.makes_data
    in_folders = {name: source for name, source in sources.items() if source.in_folder}
    here = {name: each for name, each in in_folders.items() if not made or each.path.startswith(PROJECT)}
    existing, missing = folders(here, project.data)
    for name, folder in existing.items():
        task: Any = (read_task, folder, name) if section == "transfer" else (_pairs, folder)
        files = [path for path in folder.iterdir() if path.is_file()]
        yield judged(f"{section}.{name}", partial(_read, files, partial(*task, here[name])))
    for name, path in missing.items():
        yield Finding(
            "left out",
            f"{section}.{name}",
            f"the folder '{path}' does not exist, so what needs it gets no numbers.",
        )
    if missing and len(missing) == len(sources):
        yield Finding("missing", *none_here(project, section, missing).split(": ", 1))


def _pairs(folder: Path, source: Any) -> str:
    counts = read_benchmark(folder, source)[0].split.value_counts()
    return ", ".join(f"{count} {split} pairs" for split, count in counts.items())


def _read(files: Sequence[str | Path], read: Callable[[], object] = bool) -> str:
    """Read files of small total size, otherwise one byte of each; return their number and size.

    In front stands what `read` says of them, if it is a text.
    """
    size = sum(Path(file).stat().st_size for file in files)
    content = read() if size <= SMALL else None
    for file in files:
        with Path(file).open("rb") as opened:
            opened.read(1)
    said = f"{len(files)} file{'s' * (len(files) != 1)}, {size / 1e6:,.1f} MB"
    return f"{content}; {said}" if isinstance(content, str) else said


def _articles(project: Project, need: Need, source: Any) -> str:
    files = inputs(project, need.section, need.name)
    with redirect_stderr(io.StringIO()):  # its progress bar is for a whole file
        next(read_articles([Path(files[0])], source))
    return _read(files)


def _sentences(project: Project, need: Need, source: Any) -> str:
    def read() -> str:
        return counted(*distinct_lines(published_lines(source, project.data)), need.key)

    return _read(inputs(project, need.section, need.name), read)


def _triplets(project: Project, need: Need, source: Any) -> str:
    files = inputs(project, need.section, need.name)
    return _read(files, partial(read_triplets, source, project.data))


def _dictionary(project: Project, need: Need, source: Any) -> str:
    """Read the first lines of each file; CSV is read like published sentences."""
    files = inputs(project, need.section, need.name)
    lines = {path: rules_of(Path(path), source, tqdm(disable=True)) for path in files}
    if source.is_ours:
        return _read(files, lambda: [list(each) for each in lines.values()])
    for path, each in lines.items():
        if all(rule == BROKEN for _, _, rule in islice(each, TOP)):
            raise ValueError(f"{path}: none of its first {TOP} lines is a rule of kind {source.kind}")
    return _read(files)


def _grammar(project: Project, need: Need, source: Any) -> str:
    folder = below(source.path, project.data)
    read = (perceptron_tagger, verb_bases, wordnet_synonyms)
    return _read(inputs(project, need.section, need.name), lambda: [each(folder) for each in read])


def _model(project: Project, need: Need, source: Any) -> str:
    """Read the configurations of a model and the parts of its weights that give their length."""
    files = source.read_by_jobs(project, need.name)
    paths = [Path(file) for file in ([files] if isinstance(files, str) else files)]
    check_model(paths, tokenizer=need.section == "encoders" and isinstance(files, list) and bool(files))
    return _read(paths)


READERS: dict[str, Callable[[Project, Need, Any], str]] = {
    **dict.fromkeys(("articles", "collections"), _articles),
    "sentence_files": _sentences,
    "triplet_files": _triplets,
    **dict.fromkeys(LOADED, _model),
    "dictionaries": _dictionary,
    "grammars": _grammar,
}
