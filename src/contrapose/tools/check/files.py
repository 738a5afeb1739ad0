"""Files and folders that a world names: whether they are there, and the readers of the jobs can read them.

Small files are read whole, of large ones the top or a byte.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from contrapose.errors import ConfigError
from contrapose.project import Project, data, models
from contrapose.retrieve.lines import PROJECT
from contrapose.tools.check.findings import Finding, judged
from contrapose.tools.check.needs import Need

SMALL = 50_000_000  # bytes: files of so many are read in a second or two
TOP = 100  # lines of a dictionary: some of a real one give no rule, but not all of so many


def check_files(project: Project, need: Need) -> list[Finding]:
    """Look at what a need has on this machine; what a job makes or fetches is left out."""
    source = getattr(project.world, need.section, None)
    if need.section == "suites":
        return list(_sets(project, need, "benchmarks", data.benchmark_sources(project, need.name)))  # type: ignore[arg-type]
    if need.section == "transfer":
        return list(_sets(project, need, "transfer", project.world.transfer))
    source = source[need.name] if need.name else source  # type: ignore[index]
    if need.section in ("encoders", "language_models", "translator"):
        here = getattr(source, "path", None) is not None
        return [judged(need.key, partial(_model, project, need, source))] if here else []
    if need.section not in READERS or getattr(source, "kind", "") == "hub" or _made(project, source):
        return []
    return [judged(need.key, partial(READERS[need.section], project, need, source))]


def _made(project: Project, source: Any) -> bool:
    """Tell whether a job makes the files of an entry."""
    paths = getattr(source, "files", None) or [source.path]
    return project.makes_data and not all(path.startswith(PROJECT) for path in paths)


def _sets(project: Project, need: Need, section: str, sources: Mapping[str, Any]) -> Iterator[Finding]:
    """Look at each evaluation set or transfer task; one that is not there is left out."""
    from contrapose.retrieve.benchmarks import found_benchmarks

    files = {name: each for name, each in sources.items() if getattr(each, "kind", "") != "hub"}
    files = {name: each for name, each in files.items() if not _made(project, each)}
    found, absent = found_benchmarks(project.data or Path(), files)
    for name, folder in found.items():
        yield judged(f"{section}.{name}", partial(_set, folder, name, files[name]))
    for name, path in absent.items():
        yield Finding("left out", f"{section}.{name}", f"no folder '{path}': what needs it has no numbers.")
    if absent and len(absent) == len(sources):
        yield Finding("missing", need.key, f"none of {', '.join(absent.values())} is there. Put one there.")


def _set(folder: Path, name: Any, source: Any) -> str:
    from contrapose.retrieve.benchmarks import read_benchmark
    from contrapose.retrieve.transfer import read_task

    files, lacking = [path for path in folder.iterdir() if path.is_file()], dict[str, str]()

    def read() -> None:
        if hasattr(source, "task"):
            lacking.update(read_benchmark(folder, source)[1])
        else:
            read_task(folder, name, source)

    return _read(files, read) + (f"; without {', '.join(sorted(lacking))}" if lacking else "")


def _read(files: Sequence[str | Path], read: Callable[[], object]) -> str:
    """Read files that are small together; return what they are."""
    size = sum(Path(file).stat().st_size for file in files)
    if size <= SMALL:
        read()
    for file in files:
        with Path(file).open("rb") as opened:
            opened.read(1)
    return f"{len(files)} file{'s' * (len(files) != 1)}, {size / 1e6:,.1f} MB"


def _articles(project: Project, need: Need, source: Any) -> str:
    """Read the first articles of the first file."""
    from contrapose.retrieve.articles import read_articles

    files = data.article_files(project, source, need.key)
    next(read_articles([Path(files[0])], source))
    return _read(files, lambda: None)


def _texts(project: Project, need: Need, source: Any) -> str:
    """Read published sentences, or triples."""
    from contrapose.corpus.published import published_lines
    from contrapose.retrieve.triples import read_triples

    if absent := data.absent(project, source):
        raise ConfigError(
            f"{need.key}: '{absent[0]}' is not there below the data folder or, with ./ in front, below the "
            f"project. Put it there, or change {need.key} in config/worlds/{project.world_name}.yaml."
        )
    read: Any = published_lines if need.section == "sentence_files" else read_triples
    base = project.data or Path()
    files = [Path(path) if path.startswith(PROJECT) else base / path for path in source.files]
    return _read(files, lambda: read(source, project.data))


def _dictionary(project: Project, need: Need, source: Any) -> str:
    from contrapose.retrieve.dictionary_lines import GZIP, UnusableLine, line_reader

    files, read = data.dictionary_inputs(project, need.name), line_reader(source)
    for path in map(Path, files):
        with path.open("rb") as raw:
            packed = raw.read(len(GZIP)) == GZIP
        with gzip.open(path) if packed else path.open("rb") as lines:
            for line in islice(lines, TOP):
                try:
                    read(line)
                    break
                except UnusableLine:
                    continue
            else:
                raise ValueError(f"{path}: none of its first {TOP} lines is of kind {source.kind}")
    return _read(files, lambda: None)


def _model(project: Project, need: Need, source: Any) -> str:
    """Read the configurations of a model and of its weights what says how long their file is."""
    if need.section == "translator":
        files: list[str] | str = models.translator_files(project)
    elif source.kind == "rinna":
        files = models.rinna_files(project, need.section, need.name)
    else:
        find = project.encoder if need.section == "encoders" else project.language_model
        files = find(need.name).files
    paths = [Path(file) for file in ([files] if isinstance(files, str) else files)]
    for path in paths:
        if path.name == "config.json":
            json.loads(path.read_text(encoding="utf-8"))
        if path.suffix == ".safetensors":
            _weights(path)
    return _read(paths, lambda: None)


def _weights(path: Path) -> None:
    import safetensors

    try:
        with safetensors.safe_open(path, framework="numpy"):
            pass
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path}: {error}") from error


READERS: dict[str, Callable[[Project, Need, Any], str]] = {
    "articles": _articles,
    "collections": _articles,
    "sentence_files": _texts,
    "triple_files": _texts,
    "dictionaries": _dictionary,
}
