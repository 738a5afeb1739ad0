"""Files and folders that the world names: whether they are there, and in the right format.

What is small is read by the very readers of the jobs.  Of large files only the top is.
"""

import contextlib
import gzip
import io
import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from contrapose.errors import ContraposeError
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, left_out, missing
from contrapose.preflight.needs import (
    Needs,
    problem_of_articles,
    problem_of_encoder,
    problem_of_language_model,
)
from contrapose.retrieve.lines import PROJECT
from contrapose.settings.worlds import (
    ArticleFiles,
    BenchmarkFiles,
    HubFile,
    HubTable,
    RinnaEncoder,
    RinnaLanguageModel,
    SimCSETriples,
)

SMALL = 50_000_000  # bytes: a set of so many is read whole, in a second or two (SNLI's, of 100 MB, in five)
TOP = 100  # lines of a dictionary: some of a real one give no rule, but not all of so many


def check_files(plan: Plan, needs: Needs) -> list[Finding]:
    """Look at every file and folder that jobs will read and that no job makes or fetches."""
    return [
        *_articles(plan, needs),
        *_benchmarks(plan, needs),
        *_transfer(plan, needs),
        *_published(plan, needs),
        *_dictionaries(plan, needs),
        *_models(plan, needs),
        *_optional(plan),
    ]


def _judged(what: str, look: Callable[[], str]) -> Finding:
    """Return that all is fine, in the words of `look`, or its error."""
    try:
        return fine(what, look())
    except ContraposeError as error:
        return missing(what, f"{error}")
    except (OSError, ValueError, EOFError, zlib.error) as error:
        return missing(what, f"cannot be read ({error}). Check the file, or fetch it again.")


def _articles(plan: Plan, needs: Needs) -> Iterator[Finding]:
    wanted: dict[str, ArticleFiles | HubTable | None] = {
        f"collections.{name}": plan.world.collections[name] for name in needs.collections
    }
    if needs.articles:
        wanted["articles"] = plan.world.articles
    for key, source in wanted.items():
        if not isinstance(source, ArticleFiles) or plan.makes_data:
            continue
        if problem := problem_of_articles(plan, source, key):
            yield missing(key, problem)
        else:
            yield _judged(key, partial(_top_of_articles, plan, source, key))


def _top_of_articles(plan: Plan, source: ArticleFiles, key: str) -> str:
    """Read the first articles of the first file; of the others only a byte."""
    from contrapose.retrieve.articles import read_articles

    files = [Path(path) for path in plan.article_files(source, key)]
    for path in files:
        with path.open("rb") as file:
            if not file.read(1):
                raise ValueError(f"{path} is empty")
    with contextlib.redirect_stderr(io.StringIO()):  # its progress bar is for a whole file
        next(read_articles(files[:1], source))
    return f"{_count(files)}, {_size(files)}"


def _benchmarks(plan: Plan, needs: Needs) -> Iterator[Finding]:
    from contrapose.retrieve.benchmarks import found_benchmarks, read_benchmark

    wanted = {
        name: source
        for name in needs.benchmarks
        if isinstance(source := plan.world.benchmarks[name], BenchmarkFiles)
        and (not plan.makes_data or source.path.startswith(PROJECT))
    }
    found, absent = found_benchmarks(plan.data or Path(), wanted)
    for name, folder in found.items():
        read = partial(read_benchmark, folder, wanted[name])
        yield _judged(f"benchmarks.{name}", partial(_read_set, folder, read))
    if not found and absent and len(wanted) == len(needs.benchmarks):
        yield missing("benchmarks", f"none of {', '.join(absent.values())} is there. Put one there.")
        return
    for name, path in absent.items():
        yield left_out(f"benchmarks.{name}", f"no folder '{path}': what is scored on it stays empty.")


def _transfer(plan: Plan, needs: Needs) -> Iterator[Finding]:
    from contrapose.retrieve.benchmarks import found_benchmarks
    from contrapose.retrieve.transfer import read_task

    if not needs.transfer or plan.makes_data or plan.data is None:
        return
    sources = plan.world.transfer
    found, absent = found_benchmarks(plan.data, sources)
    for task, source in sources.items():
        if (folder := found.get(task)) is None:
            continue
        read = partial(read_task, folder, task, source)
        yield _judged(f"transfer.{task}", partial(_read_set, folder, read))
    tell = left_out if found else missing
    for name, path in absent.items():
        yield tell(f"transfer.{name}", f"no folder '{path}': its column stays empty.")


def _read_set(folder: Path, read: Callable[[], object]) -> str:
    files = [path for path in folder.iterdir() if path.is_file()]
    if sum(path.stat().st_size for path in files) > SMALL:
        for path in files:
            with path.open("rb") as file:
                file.read(1)
        return f"{_count(files)}, {_size(files)}: not read whole"
    read_sets = read()
    # Of evaluation sets a reader also says which splits have no file.
    lacking = sorted(read_sets[1]) if isinstance(read_sets, tuple) else []
    return f"{_count(files)}, {_size(files)}" + (f"; without {', '.join(lacking)}" if lacking else "")


def _published(plan: Plan, needs: Needs) -> Iterator[Finding]:
    """Look at published corpora and NLI triples."""
    for section, names, files_of in (
        ("sentence_files", needs.sentence_files, plan.sentence_files),
        ("triple_files", needs.triple_files, plan.triple_files),
    ):
        for name in names:
            source = getattr(plan.world, section)[name]
            if isinstance(source, HubFile):
                continue
            if plan.makes_data and not all(path.startswith(PROJECT) for path in source.files):
                continue
            top = partial(_top_of_texts, partial(files_of, name), isinstance(source, SimCSETriples))
            yield _judged(f"{section}.{name}", top)


def _top_of_texts(find: Callable[[], list[str]], simcse: bool) -> str:
    from contrapose.retrieve.triples import SIMCSE_HEADERS

    files = [Path(path) for path in find()]
    for path in files:
        with path.open(encoding="utf-8-sig") as file:
            line = file.readline()
        if not line.strip():
            raise ValueError(f"{path}: the first line is empty")
        headers = [",".join(header) for header in SIMCSE_HEADERS]
        if simcse and line.strip() not in headers:
            raise ValueError(f"{path}: the header is {line.strip()!r}, expected {' or '.join(headers)}")
    return f"{_count(files)}, {_size(files)}"


def _dictionaries(plan: Plan, needs: Needs) -> Iterator[Finding]:
    for name in needs.dictionaries:
        source = plan.dictionary_source(name)
        if plan.makes_data and not all(path.startswith(PROJECT) for path in source.files):
            continue
        yield _judged(f"dictionaries.{name}", partial(_top_of_dictionary, plan, name))


def _top_of_dictionary(plan: Plan, name: str) -> str:
    from contrapose.retrieve.dictionary_lines import GZIP, UnusableLine, line_reader

    source = plan.dictionary_source(name)
    files = [path for found in plan.dictionary_files(name).values() for path in found]
    read = line_reader(source)
    for path in files:
        with path.open("rb") as raw:
            packed = raw.read(len(GZIP)) == GZIP
        rules = 0
        with gzip.open(path) if packed else path.open("rb") as file:
            for line in itertools.islice(file, TOP):
                try:
                    read(line)
                    rules += 1
                except UnusableLine:
                    continue
        if not rules:
            raise ValueError(f"{path}: none of its first {TOP} lines gives a rule of kind {source.kind}")
    return f"{_count(files)}, {_size(files)}"


def _models(plan: Plan, needs: Needs) -> Iterator[Finding]:
    """Look at the folders of encoders and language models."""
    for role in needs.encoders:
        key = f"encoders.{role}"
        if problem := problem_of_encoder(plan, role):
            yield missing(key, problem)
        elif isinstance(plan.world.encoders[role], RinnaEncoder):
            yield from _model(key, plan.rinna_encoder_folder(role))
        else:
            encoder = plan.encoder(role)
            yield from _model(key, encoder.folder or "", encoder.note)
    for role in needs.language_models:
        key = f"language_models.{role}"
        if problem := problem_of_language_model(plan, role):
            yield missing(key, problem)
        elif isinstance(plan.world.language_models[role], RinnaLanguageModel):
            yield from _model(key, plan.rinna_language_model_folder(role))
        else:
            yield from _model(key, plan.language_model(role).folder or "")
    if needs.translator:
        yield _judged("translator", lambda: _whole_model([Path(path) for path in plan.translator_inputs()]))


def _model(key: str, folder: str, note: str = "") -> Iterator[Finding]:
    if folder:
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        finding = _judged(key, lambda: _whole_model(files))
        yield finding._replace(found=f"{finding.found}. {note}.") if note else finding


def _whole_model(files: list[Path]) -> str:
    """Read the configurations, and of the weights what says how long their file is: some broke off."""
    import safetensors

    for path in files:
        if path.name == "config.json":
            json.loads(path.read_text(encoding="utf-8"))
        if path.suffix == ".safetensors":
            try:
                with safetensors.safe_open(path, framework="numpy"):
                    pass
            except safetensors.SafetensorError as error:
                raise ValueError(f"{path}: {error}") from error
    return f"{_count(files)}, {_size(files)}"


def _optional(plan: Plan) -> Iterator[Finding]:
    """Name what this world may lack and lacks, and the tables whose rows have no numbers for it.

    What the world itself says it does not have (null) is left out: nothing can be put there.
    """
    world = plan.world
    absent = {
        f"this world has no encoder '{role}'": f"encoders.{role}: '{source.path}' is not there"  # type: ignore[union-attr]
        for role, source in world.encoders.items()
        if getattr(source, "optional", False) and not plan.has_encoder(role)
    }
    absent |= {
        f"this world has no language model '{role}'": f"language_models.{role}: '{source.path}' is not there"  # type: ignore[union-attr]
        for role, source in world.language_models.items()
        if getattr(source, "optional", False) and not plan.has_language_model(role)
    }
    absent |= {
        f"this world has no dictionary '{name}'": f"dictionaries.{name}: '{source.files[0]}' is not there"
        for name, source in world.dictionaries.items()
        if source and not plan.has_dictionary(name)
    }
    rows = _rows_without_numbers(plan)
    for reason, tables in rows.items():
        if reason in absent or reason.endswith(" is not there"):
            yield left_out(absent.get(reason, reason), f"rows of {', '.join(tables)} stay without numbers.")


def _rows_without_numbers(plan: Plan) -> dict[str, list[str]]:
    """Return {what this world lacks: tables with rows that want it}."""
    from contrapose.settings.printed import RewritesTable, RowTable

    found: dict[str, dict[str, None]] = {}
    for name, (_, table) in plan.tables.items():
        reasons: Iterable[str] = ()
        if isinstance(table, RowTable):
            reasons = (plan.missing(row) for row in table.rows)
        elif isinstance(table, RewritesTable):
            reasons = (plan.missing_rewrites(row.rewrites) for row in table.rows)
        for reason in filter(None, reasons):
            found.setdefault(reason, {})[name] = None
    return {reason: list(tables) for reason, tables in found.items()}


def _count(files: list[Path]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"


def _size(files: list[Path]) -> str:
    return f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB"
