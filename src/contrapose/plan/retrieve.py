"""Rules of the stage retrieve."""

from typing import cast

from contrapose.config.printed import FineTunedTable, LengthsTable, SettingsTable, SizesTable, STSTable
from contrapose.config.spec import Spec
from contrapose.config.worlds import (
    ArticleFiles,
    BenchmarkFiles,
    HubFile,
    HubTable,
    LLMTranslator,
)
from contrapose.errors import ConfigError
from contrapose.jobs import RinnaJob, TranslationSample
from contrapose.plan.base import without_note
from contrapose.plan.mini import MiniPlan
from contrapose.project.places import encoder_files
from contrapose.retrieve.lines import PROJECT
from contrapose.tasks import TASKS, Suite


class RetrievePlan(MiniPlan):
    """Rules of the stage retrieve."""

    def retrieve_archive(self) -> Spec:
        """Which archive of the hub is the data folder."""
        assert self.world.archive is not None
        return self.world.archive

    def retrieve_articles(self) -> Spec:
        """Where articles come from and how their files are read."""
        return self.articles()

    def retrieve_collection(self, collection: str) -> Spec:
        """Where a collection's articles come from, likewise."""
        return self.collection(collection)

    def retrieve_benchmarks(self, suite: str) -> dict:
        """Where the evaluation sets of a suite come from."""
        sources = self.benchmark_sources(cast(Suite, suite))
        return {name: source.model_dump() for name, source in sorted(sources.items())}

    def retrieve_transfer(self) -> dict:
        """Where every transfer task is."""
        return {task: source.model_dump() for task, source in self.world.transfer.items()}

    def retrieve_translated(self) -> TranslationSample:
        """Which pairs are translated."""
        translator = self.world.translator
        if translator is None:
            raise ConfigError(
                f"translator: the world '{self.world_name}' names none: nothing is translated. Name one in "
                f"config/worlds/{self.world_name}.yaml: a language model, {{kind: llm, llm: ROLE}}, or a "
                "model on this machine, {kind: seq2seq, path: FOLDER}."
            )
        pairs = None if translator.size is None else self.size(translator.size)
        return TranslationSample(pairs=pairs, seed=translator.seed)

    def translation_inputs(self) -> list[str]:
        """Return the files of all translations."""
        if isinstance(self.world.translator, LLMTranslator):
            return [f"{folder}/translations.parquet" for folder in self._translated_shards]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def retrieve_naive(self) -> dict:
        """Where every English benchmark comes from: those in files are read once more."""
        return self.retrieve_benchmarks("english")

    def retrieve_triples(self, source: str) -> Spec:
        """Where NLI triples are and how their files are read."""
        return without_note(self.triple_source(source))

    def retrieve_dictionary(self, dictionary: str) -> Spec:
        """Where a paraphrase dictionary is and how its files are read."""
        return without_note(self.dictionary_source(dictionary))

    def retrieve_rinna_encoder(self, role: str) -> RinnaJob:
        """Where an encoder of the hub is from."""
        source = self.rinna_encoder(role)
        return RinnaJob(model=source.model, revision=source.revision)

    def retrieve_rinna_language_model(self, role: str) -> RinnaJob:
        """Where a language model of the hub is from."""
        source = self.rinna_language_model(role)
        return RinnaJob(model=source.model, revision=source.revision)

    def rinna_encoder_inputs(self, role: str) -> list[str]:
        """Return the files of an encoder on disk, none for one of the hub."""
        folder = self.rinna_encoder_folder(role)
        return encoder_files(folder) if folder else []

    def rinna_language_model_inputs(self, role: str) -> list[str]:
        """Return the files of a language model on disk, none for one of the hub."""
        folder = self.rinna_language_model_folder(role)
        return encoder_files(folder) if folder else []

    def article_inputs(self, made: str) -> list[str]:
        """Return the files of the articles; `made` is the folder of a world that makes its own."""
        return self._article_inputs(self.articles(), "articles", made)

    def collection_inputs(self, collection: str, made: str) -> list[str]:
        """Return the files of a collection, likewise."""
        return self._article_inputs(self.collection(collection), f"collections.{collection}", made)

    def _article_inputs(self, source: ArticleFiles | HubTable, key: str, made: str) -> list[str]:
        if isinstance(source, HubTable):
            return []
        return [made] if self.makes_data else self.article_files(source, key)

    def benchmark_inputs(self, suite: str, made: str) -> list[str]:
        """Return the files of the evaluation sets of a suite, likewise."""
        sources = self.benchmark_sources(cast(Suite, suite))
        if not any(isinstance(source, BenchmarkFiles) for source in sources.values()):
            return []
        if self.makes_data:
            return [made, *self.project_benchmark_files(cast(Suite, suite))]
        return self.benchmark_files(cast(Suite, suite))

    def transfer_inputs(self, made: str) -> list[str]:
        """Return the files of the transfer tasks, likewise."""
        return [made] if self.makes_data else self.transfer_files()

    def triple_inputs(self, source: str, made: str) -> list[str]:
        """Return the files of NLI triples, likewise."""
        place = self.triple_source(source)
        if isinstance(place, HubFile):
            return []
        own = all(path.startswith(PROJECT) for path in place.files)
        return self.triple_files(source) if own or not self.makes_data else [made]

    def dictionary_inputs(self, dictionary: str, made: str) -> list[str]:
        """Return the files of a paraphrase dictionary, likewise, and those that it has below the project."""
        files = self.dictionary_files(dictionary)
        below_data = any(not pattern.startswith(PROJECT) for pattern in files)
        own = [made] if self.makes_data and below_data else []
        return own + [str(path) for found in files.values() for path in found]

    @property
    def _translated_shards(self) -> list[str]:
        translator, shards = self.world.translator, self.config.shards.generate
        assert isinstance(translator, LLMTranslator)
        folder = f"<results>/generate/translation/{translator.llm}"
        return [f"{folder}/{shard}-of-{shards}" for shard in range(shards)]

    def suite_of(self, table: str) -> Suite:
        """Return the suite that the encoders behind a table are scored on."""
        suite = self._suite(table)
        assert suite is not None
        return suite

    def _suite(self, table: str) -> Suite | None:
        """Return the same; None for a table that is not about evaluation sets, or about those of groups."""
        study, settings = self.tables[table]
        if isinstance(settings, SettingsTable):
            settings = self.studies[study].tables[settings.of]
        if isinstance(settings, LengthsTable):
            return TASKS[settings.task].suite
        if isinstance(settings, SizesTable):
            return next((TASKS[task].suite for row in settings.rows for task, _ in row.sets.values()), None)
        if isinstance(settings, STSTable):
            return TASKS[next(iter(settings.columns.values())).task].suite
        return None

    def _suites(self, table: str, group: str | None = None) -> list[Suite]:
        """Return the suites that a table is about, or those of the rows of one group."""
        settings = self.tables[table][1]
        if isinstance(settings, FineTunedTable):
            groups = {row.group: None for row in settings.rows} if group is None else [group]
            firsts = (next(iter(settings.tasks_of(each).values())) for each in groups)
            return list(dict.fromkeys(TASKS[first.task].suite for first in firsts))
        suite = self._suite(table)
        return [suite] if suite else []

    def _missing_sets(self, table: str, group: str | None = None) -> str:
        """Say that this world lacks all sets of a table, or of a group of its rows; empty if it has some."""
        missing = [self.missing_sets(suite) for suite in self._suites(table, group)]
        return missing[0] if missing and all(missing) else ""

    def scored_sets_inputs(self, table: str) -> list[str]:
        """Return the file of the sets that a table counts, or its encoders are scored on, if there is one."""
        there = [suite for suite in self._suites(table) if not self.missing_sets(suite)]
        return [f"<results>/retrieve/benchmarks/{suite}.parquet" for suite in there]
