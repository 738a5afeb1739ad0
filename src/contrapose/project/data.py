"""Files that a world reads: below its data folder, or below the project if a path begins with `./`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contrapose.errors import ConfigError
from contrapose.ids import named
from contrapose.retrieve.dictionary_lines import dictionary_files
from contrapose.retrieve.lines import PROJECT
from contrapose.settings.corpora import Corpus
from contrapose.settings.worlds import (
    ArticleFiles,
    ArticleSource,
    BenchmarkFiles,
    BenchmarkHub,
    DictionaryFiles,
    LLMTranslator,
    MtebTasks,
    RecordedLLM,
    Seq2SeqTranslator,
)
from contrapose.tasks import TASKS, Suite, Task

if TYPE_CHECKING:
    from contrapose.project import Project

MADE = "<results>/retrieve/data"  # the data folder of a world that generates or fetches it


def folder(project: "Project") -> Path | None:
    """Return the folder of original files; None if the world makes it or takes everything from the hub."""
    if project.config.data is None:
        return None
    found = Path(project.config.data).expanduser()
    if not found.is_dir():
        raise ConfigError(f"data: '{found}' is not a folder. Give the folder of the original files.")
    return found


def place_of(project: "Project", path: str) -> Path:
    """Return the path of a model's folder or file: below the data folder, `{data}`, or the project."""
    place = Path(path.replace("{data}", str(project.data or "")))
    return place if place.is_absolute() or place.exists() else project.files.below_home(place)


def is_there(project: "Project", source: Any) -> bool:
    """Tell whether the folder or file of an optional model exists."""
    if not getattr(source, "optional", False) or source.path is None:
        return True
    return place_of(project, source.path).exists()


def translates_back(project: "Project", source: Any) -> bool:
    """Tell whether both folders of a back-translator exist; a language model has none."""
    return all(place_of(project, path).is_dir() for path in getattr(source, "files", ()))


def corpus_entry(project: "Project", name: str) -> Corpus:
    """Return a corpus by name; raise a ConfigError if it is drawn from articles and this world has none."""
    spec = named(project.recipes.corpora, name, "corpora")
    if spec.kind == "sampled":
        articles(project)
    return spec


def document_corpus(project: "Project", name: str) -> Corpus:
    """Return a corpus if it has adjacent sentences; raise a ConfigError otherwise."""
    spec = corpus_entry(project, name)
    whole = spec.kind == "published" and spec.size is None
    if not whole and (spec.kind != "sampled" or spec.method != 3):
        drawn = " with a size" if spec.kind == "published" else ""
        raise ConfigError(
            f"corpora.{name}: is {spec.kind}{drawn}, so the next sentence of a document is seldom in it. Use "
            "a corpus of kind published without a size, whose file says where documents end (`documents` of "
            "its entry in sentence_files), or a sampled one of method 3."
        )
    return spec


def lacking_documents(project: "Project", name: str) -> str:
    """Say that the file of a published corpus does not mark where documents end; empty if it does."""
    file = getattr(project.corpus(name), "file", None)
    if file is None or project.entry("sentence_files", file).documents:
        return ""
    return f"sentence_files.{file} does not say where documents end (`documents`)"


def articles(project: "Project") -> ArticleSource:
    """Return the source of this world's articles; raise a ConfigError if it has none."""
    if project.world.articles is None:
        raise ConfigError(
            f"articles: the world '{project.world_name}' has none, and a corpus of kind sampled is drawn "
            f"from them. Put them into config/worlds/{project.world_name}.yaml, or take a corpus of kind "
            "published, a text file with one sentence a line."
        )
    return project.world.articles


def collection_source(project: "Project", collection: str) -> ArticleSource:
    """Return the source of a collection of articles; raise a ConfigError if this world has none so named."""
    source = project.entry("collections", collection)
    if source is None:
        raise project.null(collection, "collections")
    return source


def article_inputs(project: "Project") -> list[str]:
    """Return the files of the articles, or the folder of a world that makes them; none for the hub."""
    return _articles(project, articles(project), "articles")


def collection_inputs(project: "Project", collection: str) -> list[str]:
    """Return the files of a collection, likewise."""
    source = collection_source(project, collection)
    return _articles(project, source, f"collections.{collection}")


def _articles(project: "Project", source: ArticleSource, key: str) -> list[str]:
    if source.kind == "hub":
        return []
    return [MADE] if project.makes_data else article_files(project, source, key)


def article_files(project: "Project", source: ArticleFiles, key: str) -> list[str]:
    """Return the files of articles in a world that has them on disk; `key` is their key in the settings."""
    assert project.data is not None
    try:
        files = sorted(str(path) for path in project.data.glob(source.path) if path.is_file())
    except (ValueError, IndexError, NotImplementedError) as error:  # empty, `.`, or with a root
        raise ConfigError(
            f"{key}.path: '{source.path}' is not a path below the data folder ({error}). "
            "Example: wikipedia/*.jsonl"
        ) from error
    if not files:
        raise ConfigError(
            f"{key}: no file matches '{source.path}' below '{project.data}'. "
            f"Put the articles there, or change {key}.path in config/worlds/{project.world_name}.yaml."
        )
    return files


def benchmark_sources(project: "Project", suite: Suite) -> dict[str, BenchmarkFiles | BenchmarkHub]:
    """Return the sources of a suite's evaluation sets; raise a ConfigError if this world has none."""
    sources = project.world.benchmarks.items()
    found = {name: source for name, source in sources if TASKS[source.task].suite == suite}
    if not found:
        wanted = ", ".join(task for task, about in TASKS.items() if about.suite == suite)
        translator = ", or name a translator" if suite == "translated" else ""
        raise ConfigError(
            f"benchmarks: the world '{project.world_name}' has none of the {suite} sets. Add one of "
            f"{wanted} to benchmarks in config/worlds/{project.world_name}.yaml{translator}."
        )
    return found


def has_task(project: "Project", task: Task) -> bool:
    """Tell whether an evaluation set is available: the data folder may lack its files."""
    sources = {name: each for name, each in project.world.benchmarks.items() if each.task == task}
    in_files = _in_files(sources)
    if project.makes_data or project.data is None or len(in_files) < len(sources):
        return bool(sources)
    return bool(_found(project.data, in_files)[0])


def lacking_sets(project: "Project", suite: Suite) -> str:
    """Say that this world lacks a suite of evaluation sets; empty if it has it."""
    translated = suite == "translated" and project.world.translator is not None
    sources = project.world.benchmarks.values()
    has = translated or any(TASKS[each.task].suite == suite for each in sources)
    return "" if has else f"this world has none of the {suite} sets"


def benchmark_inputs(project: "Project", suite: Suite) -> list[str]:
    """Return the existing files of a suite's evaluation sets; missing sets are reported later."""
    in_files = _in_files(benchmark_sources(project, suite))
    if not in_files:
        return []
    if project.makes_data:
        own = {name: each for name, each in in_files.items() if each.path.startswith(PROJECT)}
        return [MADE, *_files_in(_found(Path(), own)[0])]
    assert project.data is not None
    found, missing = _found(project.data, in_files)
    if not found:
        wanted = ", ".join(sorted(missing.values()))
        raise ConfigError(
            f"benchmarks: none found below '{project.data}' or its senteval/. Expected one of: {wanted}."
        )
    return _files_in(found)


def mteb_tasks(project: "Project", tasks: str) -> MtebTasks:
    """Return a list of tasks of mteb; raise a ConfigError if the world has none of this name."""
    return named(project.world.mteb, tasks, f"mteb of the world '{project.world_name}'")


def mteb_folders(project: "Project", tasks: str) -> dict[str, str]:
    """Return the folders of those tasks of an mteb list that are in files, by name."""
    listed = mteb_tasks(project, tasks)
    return {each.name: str(_below(project, each.path)) for each in listed if not isinstance(each, str)}


def mteb_files(project: "Project", tasks: str) -> list[str]:
    """Return the files of an mteb list; raise a ConfigError if a folder is missing."""
    folders = mteb_folders(project, tasks)
    for name, folder in folders.items():
        if not Path(folder).is_dir():
            raise ConfigError(
                f"mteb.{tasks}: '{folder}', the folder of {name}, does not exist. Put it there."
            )
    return [str(path) for folder in folders.values() for path in sorted(Path(folder).glob("*.*"))]


def transfer_inputs(project: "Project") -> list[str]:
    """Return the existing files of the transfer tasks; missing tasks are reported later."""
    if project.makes_data:
        return [MADE]
    assert project.data is not None
    return _files_in(_found(project.data, project.world.transfer)[0])


def _in_files(sources: dict[str, Any]) -> dict[str, BenchmarkFiles]:
    return {name: each for name, each in sources.items() if each.kind != "hub"}


def _found(place: Path, sources: Mapping[Any, Any]) -> tuple[dict[str, Path], dict[str, str]]:
    from contrapose.retrieve.benchmarks import found_benchmarks  # imports pandas, which few plans need

    return found_benchmarks(place, sources)


def _files_in(folders: dict[str, Path]) -> list[str]:
    return sorted(str(path) for each in folders.values() for path in each.iterdir() if path.is_file())


def sentence_inputs(project: "Project", corpus: str) -> list[str]:
    """Return the file of a published corpus, or the folder of a world that makes it; none for the hub."""
    name = project.corpus(corpus).file
    return text_inputs(project, project.entry("sentence_files", name), f"sentence_files.{name}")


def triple_inputs(project: "Project", source: str) -> list[str]:
    """Return the files of NLI triples, likewise."""
    return text_inputs(project, project.entry("triple_files", source), f"triple_files.{source}")


def recorded_inputs(project: "Project", llm: str) -> list[str]:
    """Return the file of recorded answers, likewise."""
    return text_inputs(project, recorded_source(project, llm), f"llms.{llm}")


def recorded_source(project: "Project", llm: str) -> RecordedLLM:
    """Return the source of recorded answers; raise a ConfigError if an endpoint plays the role."""
    source = project.llm(llm)
    if source.kind != "recorded":
        raise ConfigError(
            f"llms.{llm}: is an endpoint, not a file of recorded answers. Name one of kind recorded."
        )
    return source


def text_inputs(project: "Project", source: Any, key: str) -> list[str]:
    """Return the files of a source of texts, likewise; `key` is its key in the world."""
    if source.kind == "hub":
        return []
    own = all(path.startswith(PROJECT) for path in source.files)
    if project.makes_data and not own:
        return [MADE]
    for path in source.files:
        if not _below(project, path).is_file():
            place = "the project" if path.startswith(PROJECT) else f"'{project.data}'"
            raise ConfigError(
                f"{key}: '{path}' does not exist below {place}. "
                f"Put the file there, or change {key} in config/worlds/{project.world_name}.yaml."
            )
    return [str(_below(project, path)) for path in source.files]


def absent(project: "Project", source: Any) -> list[str]:
    """Return the files of a source of texts that do not exist in the data folder or the project."""
    made = project.makes_data or project.data is None
    looked_for: Iterable[str] = (
        path for path in getattr(source, "files", ()) if path.startswith(PROJECT) or not made
    )
    return [path for path in looked_for if not _below(project, path).is_file()]


def _below(project: "Project", path: str) -> Path:
    return Path(path) if path.startswith(PROJECT) else (project.data or Path()) / path


def translator(project: "Project") -> LLMTranslator | Seq2SeqTranslator:
    """Return the translator of evaluation sets; raise a ConfigError if this world has none."""
    found = project.world.translator
    if found is None:
        raise ConfigError(
            f"translator: the world '{project.world_name}' has none. Name one in "
            f"config/worlds/{project.world_name}.yaml: a language model, {{kind: llm, llm: ROLE}}, or a "
            "model on this machine, {kind: seq2seq, path: FOLDER}."
        )
    return found


def dictionary_source(project: "Project", name: str) -> DictionaryFiles:
    """Return the source of a paraphrase dictionary in this world."""
    source = project.entry("dictionaries", name)
    if source is None:
        raise project.null(name, "dictionaries")
    return source


def dictionary_inputs(project: "Project", dictionary: str) -> list[str]:
    """Return the files of a paraphrase dictionary, or the folder of a world that makes its own."""
    source = dictionary_source(project, dictionary)
    if missing := missing_patterns(project, source):
        raise ConfigError(
            f"dictionaries.{dictionary}: no file matches '{missing[0]}'. Put the file there, below the data "
            "folder or, with ./ in front, below the project, or change files in "
            f"config/worlds/{project.world_name}.yaml."
        )
    files = _dictionary_files(project, source)
    below_data = any(not pattern.startswith(PROJECT) for pattern in files)
    made = [MADE] if project.makes_data and below_data else []
    return made + [str(path) for found in files.values() for path in found]


def missing_patterns(project: "Project", source: DictionaryFiles) -> list[str]:
    """Return the patterns of a dictionary that no file matches."""
    made = project.makes_data
    found = _dictionary_files(project, source).items()
    return [each for each, files in found if not files and (each.startswith(PROJECT) or not made)]


def _dictionary_files(project: "Project", source: DictionaryFiles) -> dict[str, list[Path]]:
    return dictionary_files(source, None if project.makes_data else project.data)
