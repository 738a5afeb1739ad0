"""What the language models of the studies are asked, and with what connection."""

from functools import cached_property

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import UNTRANSLATED, Suite
from contrapose.generate import chat_texts, judgements, llm_backtranslation, paraphrase, sentences, translate
from contrapose.generate.llm_requests import PAIR_TEXTS, CorpusRequests, LLMRequests
from contrapose.pairs.kinds import PairSet
from contrapose.project.lookups import Lookups
from contrapose.project.registries import reached
from contrapose.project.steps import request_codes
from contrapose.report.planned_rows import available_suites, encoder_rows, lacking_sets
from contrapose.report.row_runs import trainings
from contrapose.settings.catalogs import Connection
from contrapose.settings.corpora import ChatTexts
from contrapose.settings.refs import references


class StudyRequests:
    """What all tables of the studies ask language models, and how these are reached."""

    def __init__(self, project: Lookups) -> None:
        self.project = project

    def is_asked(self, corpus: str) -> bool:
        spec = self.project.recipes.corpora.get(corpus)
        return bool(spec and spec.questions(self.project))

    @cached_property
    def asked_corpora(self) -> list[str]:
        """Corpora that a language model writes for the tables of the studies, with requests to pay."""
        used = (entry for pairs in self._pairs for entry in reached(self.project, pairs))
        names = {name for registry, name in used if registry == "corpora"}
        for _, table in self.project.tables.values():
            names |= {name for _, ref, name in references(table) if ref.registry == "corpora"}
        corpora = sorted(name for name in names if self.is_asked(name))
        return [name for name in corpora if self._pays(self.project.corpus(name).llm)]

    @cached_property
    def questions(self) -> list[tuple[str, str, str]]:
        """Corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        questions = {question for pairs in self._pairs for question in pairs.questions(self.project)}
        for _, table in self.project.tables.values():
            questions |= set(table.questions(self.project))
        return sorted(question for question in questions if self._pays(question[1]))

    def _pays(self, llm: str) -> bool:
        return self.project.llm(llm).paid

    @cached_property
    def _chat_texts(self) -> dict[str, ChatTexts]:
        used = (entry for pairs in self._pairs for entry in reached(self.project, pairs))
        names = sorted({name for registry, name in used if registry == "synthetic"})
        texts = {name: self.project.entry("synthetic", name) for name in names}
        asked = {name: spec for name, spec in texts.items() if spec.asked(self.project)}
        return {name: spec for name, spec in asked.items() if self._pays(spec.llm)}

    @cached_property
    def _translating_llm(self) -> str | None:
        tables = self.project.tables.items()
        if not any("translated" in spec.suites(self.project, name) for name, (_, spec) in tables):
            return None
        translator = self.project.catalog.translator
        return translator.llm if translator and translator.llm and self._pays(translator.llm) else None

    @cached_property
    def back_translated(self) -> list[tuple[str, str]]:
        """Corpora that a language model translates there and back, and the names of the translators."""
        corpora = {each for pairs in self._pairs for each in pairs.back_translated(self.project)}
        return sorted(each for each in corpora if self._pays(self._back_translator(each[1])))

    @cached_property
    def judged(self) -> list[tuple[str, str, str]]:
        """Pair set, llm and prompt of all scores that the studies ask for, sorted."""
        asking = [*self._pairs, *self.project.catalog.benchmarks.values()]
        questions = {each for one in asking for each in one.judged(self.project)}
        return sorted(each for each in questions if self._pays(each[1]))

    def _back_translator(self, name: str) -> str:
        return self.project.entry("back_translators", name).llm

    @cached_property
    def _corpora_by_llm(self) -> set[tuple[str, str]]:
        """Corpora, and the language models that are asked about them."""
        corpora = {(corpus, llm) for corpus, llm, _ in self.questions}
        corpora |= {(spec.corpus, spec.llm) for spec in self._chat_texts.values()}
        corpora |= {(corpus, self._back_translator(name)) for corpus, name in self.back_translated}
        corpora |= {(corpus, self.project.corpus(corpus).llm) for corpus in self.asked_corpora}
        return corpora | ({(UNTRANSLATED, self._translating_llm)} if self._translating_llm else set())

    @property
    def llm_roles(self) -> list[str]:
        return sorted({llm for _, llm in self._corpora_by_llm} | {llm for _, llm, _ in self.judged})

    def corpora(self) -> list[str]:
        """The corpora that something is asked about, without those that have to be asked for themselves."""
        return sorted({corpus for corpus, _ in self._corpora_by_llm if not self.is_asked(corpus)})

    def completions(self) -> list[str]:
        paths = self.project.paths
        files = [paths.generated(*question, "completions") for question in self.questions]
        files += [f"<results>/generate/synthetic/{texts}/completions.parquet" for texts in self._chat_texts]
        files += [paths.asked_sentences(each) for each in self.asked_corpora]
        files += [paths.backtranslations(*each, "completions") for each in self.back_translated]
        files += [paths.judgements(*each, "completions") for each in self.judged]
        folders = self.translated_shards() if self._translating_llm else []
        return files + [f"{folder}/completions.parquet" for folder in folders]

    def translated_shards(self) -> list[str]:
        folder = f"<results>/generate/translation/{self.project.catalog.translator.llm}"
        files = [f"{folder}/{{shard}}/{table}.parquet" for table in ("translations", "completions")]
        shards = self.project.shards("generate", self.project.paths.corpus(UNTRANSLATED), *files)
        return [f"{folder}/{shard}" for shard in shards]

    def translations_files(self) -> list[str]:
        if self.project.source("translator").llm:
            return [f"{folder}/translations.parquet" for folder in self.translated_shards()]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def all(self) -> list[CorpusRequests]:
        """Return everything that is asked for the tables of the studies, but for scores of pairs."""
        project = self.project
        prompts: list[tuple[str, LLMRequests]] = [
            (question[0], paraphrase.plan(project, *question)) for question in self.questions
        ]
        if self._translating_llm:
            prompts.append((UNTRANSLATED, translate.plan(project, self._translating_llm)))
        for texts, spec in self._chat_texts.items():
            prompts += [(spec.corpus, each) for each in chat_texts.plan(project, texts).instructions]
        written = ((corpus, sentences.plan(project, corpus)) for corpus in self.asked_corpora)
        requests = [
            CorpusRequests(corpus=corpus, requests=asked, count=asked.count) for corpus, asked in written
        ]
        requests += [self._about(corpus, asked) for corpus, asked in prompts]
        for corpus, translator in self.back_translated:
            ways = llm_backtranslation.plan(project, corpus, translator)
            requests += [self._about(corpus, ways.there), self._about(corpus, ways.back, ways.there)]
        return requests

    def scores(self) -> list[CorpusRequests]:
        """Return what is asked about pair sets."""
        scored = ((question[0], judgements.plan(self.project, *question)) for question in self.judged)
        return [CorpusRequests(corpus=PAIR_TEXTS + pairs, requests=requests) for pairs, requests in scored]

    def _about(self, corpus: str, requests: LLMRequests, source: LLMRequests | None = None) -> CorpusRequests:
        count = self.project.sentences(corpus) if self.is_asked(corpus) else None
        return CorpusRequests(corpus=corpus, requests=requests, count=count, source=source)

    @cached_property
    def codes(self) -> list[str]:
        """The digests of the code that makes today's requests."""
        return request_codes(self.project)

    def connection(self, llm: str) -> Connection:
        reached = self.project.llm(llm).connection(llm)
        return reached.model_copy(update={"max_invalid_ratio": self.project.config.max_invalid_ratio})

    def journal(self, llm: str) -> str:
        return self.project.llm(llm).journal(llm)

    @cached_property
    def embedders(self) -> dict[str, list[Suite]]:
        """The encoders behind endpoints that tables of the studies show, and what they are scored on."""
        by_role: dict[str, set[Suite]] = {}
        for name in self.project.tables:
            for row in encoder_rows(self.project, name):
                source = self.project.catalog.encoders.get(row.encoder or "")
                if source is not None and source.form == "endpoint":
                    by_role.setdefault(str(row.encoder), set()).update(available_suites(self.project, name))
        return {role: sorted(suites) for role, suites in by_role.items()}

    def embedded(self, role: str) -> list[str]:
        """Return the files of the sets whose texts an encoder behind an endpoint is asked about."""
        if role not in self.embedders:
            raise ConfigError(
                f"encoders.{role}: no table of the studies contains this encoder. Add a method to a "
                f"table: {{encoder: {role}}}."
            )
        return [self.project.paths.benchmarks(suite) for suite in self.embedders[role]]

    def reached(self) -> dict[str, tuple[str, Connection]]:
        """Return journal and connection of every model that is asked, by its role."""
        models = {llm: (self.journal(llm), self.connection(llm)) for llm in self.llm_roles}
        return models | {role: self.embedder(role) for role in self.embedders}

    def embedder(self, role: str) -> tuple[str, Connection]:
        """Return journal and connection of an encoder behind an endpoint."""
        source = self.project.entry("encoders", role)
        return source.journal(role), source.connection(role)

    @cached_property
    def _pairs(self) -> list[PairSet]:
        """The pair sets that the tables of the studies are trained on, in this catalog, each once."""
        project = self.project
        shown = [name for name in project.tables if not lacking_sets(project, name)]
        rows = (row for name in shown for row in encoder_rows(project, name))
        first = (run.pairs for row in rows for run in trainings(project, row)[:1])
        return [project.pairs(identifier) for identifier in dict.fromkeys(first)]
