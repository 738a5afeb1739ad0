"""What the language models of the studies are asked, and with what connection."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import UNTRANSLATED, Suite
from contrapose.generate.chat_texts import LabelledRequests
from contrapose.generate.llm_requests import PAIR_TEXTS, CorpusRequests, LLMRequests, ParsedAs
from contrapose.generate.requests import PLACEHOLDER
from contrapose.pairs.kinds import PairSet
from contrapose.project.lookups import Lookups
from contrapose.project.registries import reached
from contrapose.settings.catalogs import Connection, EmbeddingEndpoint
from contrapose.settings.corpora import ChatTexts
from contrapose.settings.prompt_files import AskedFor, Prompt
from contrapose.settings.refs import references

SENTENCE_TOKENS = 39  # 140 bytes as in `LENGTHS` of settings/corpora.py, 4 a token, and 4 for its number


class StudyRequests:
    """What all tables of the studies ask language models, and how these are reached."""

    def __init__(self, project: Lookups) -> None:
        self.project = project

    def paraphrases(self, llm: str, prompt: str) -> LLMRequests:
        """Return the settings of requests about sentences; the connection changes no answer."""
        if self.parsed_as(prompt) == "sentences":
            raise ConfigError(f"prompt '{prompt}' asks for sentences, and is about none. Name another one.")
        return self._requests(llm, prompt, self.parsed_as(prompt))

    def parsed_as(self, prompt: str) -> AskedFor:
        """Return how an answer to a prompt is parsed: as five texts or as one."""
        return self.project.entry("prompts", prompt).asked_for

    def pool(self, corpus: str, prompt: str) -> dict[str, str]:
        """Return the files with replacements for sentences without paraphrases; none: these are dropped."""
        if not self.project.corpus(corpus).replaced or self.parsed_as(prompt) == "negative":
            return {}
        return {"articles": "<results>/retrieve/articles.parquet", "punkt": self.project.paths.punkt}

    def unanswered(self, llm: str, prompt: str) -> str:
        """Return that the recorded answers lack a prompt; empty if they have it, or an endpoint is asked."""
        model = self.project.llm(llm)
        lacks = model.kind == "recorded" and prompt not in model.answers
        return f"the recorded answers of '{llm}' have no answer to prompt '{prompt}'" if lacks else ""

    def _requests(self, llm: str, prompt: str, parsed_as: ParsedAs, template: str = "") -> LLMRequests:
        """Return the settings of requests; raise a ConfigError if the prompt has no recorded answers.

        `template`: instead of a prompt of this name.
        """
        if lacking := self.unanswered(llm, prompt):
            raise ConfigError(
                f"llms.{llm}.answers: {lacking}. Name the key of these in "
                f"config/catalogs/{self.project.catalog_name}.yaml."
            )
        sampling = self.project.llm(llm).sampling()
        spec = Prompt(one_of=[template]) if template else self.project.entry("prompts", prompt)
        pool = spec.texts if len(spec.texts) > 1 else spec.texts[0]
        return LLMRequests(
            llm=llm, sampling=sampling, prompt=prompt, template=pool, examples=spec.examples,
            choices=spec.choices, answer_tokens=spec.answer_tokens, parsed_as=parsed_as,
        )  # fmt: skip

    def translations(self) -> LLMRequests:
        translator: Any = self.project.catalog.translator
        return self._requests(translator.llm, translator.prompt, "translation")

    def backtranslations(self, translator: str) -> dict[str, LLMRequests]:
        """Return the requests for translations, `there`, and for those of the translations `back`."""
        spec = self.project.entry("back_translators", translator)
        return {
            way: self._requests(spec.llm, prompt, "any_translation")
            for way, prompt in (("there", spec.there), ("back", spec.back))
        }

    def judgements(self, llm: str, prompt: str) -> LLMRequests:
        """Return the requests for scores of two texts, which stand for the sentence of the prompt."""
        return self._requests(llm, prompt, "score")

    def instructions(self, texts: str) -> list[LabelledRequests]:
        """Return the requests for synthetic texts of a chat model, by label and entry."""
        spec = self.project.entry("synthetic", texts)
        instructions, requests = self.project.files.instructions(spec.instructions), []
        for each in instructions.labels:
            template = instructions.prompt(each.label, PLACEHOLDER)
            for entry in range(spec.entries):
                prompt = f"dino-{spec.instructions}-{each.label:g}-{entry}"
                base = dict(self._requests(spec.llm, prompt, "continuation", template))
                fields = {"entry": entry, "label": each.label, "masked": each.masked}
                requests.append(LabelledRequests(**base | fields))
        return requests

    def sentences(self, corpus: str) -> LLMRequests:
        """Return the requests for the sentences of a corpus of kind asked."""
        spec = self.project.corpus(corpus)
        requests = self._requests(spec.llm, spec.prompt, "sentences")
        choices = requests.choices | spec.choices | {"number": [str(spec.per_request)]}
        tokens = SENTENCE_TOKENS * spec.per_request
        return requests.model_copy(update={"choices": choices, "answer_tokens": tokens})

    def sentence_requests(self, corpus: str) -> int:
        """Return how many requests there are for the sentences of a corpus of kind asked."""
        spec = self.project.corpus(corpus)
        return -(-self.project.size(spec.size) // spec.per_request)

    def is_asked(self, corpus: str) -> bool:
        spec = self.project.recipes.corpora.get(corpus)
        return bool(spec and spec.questions(self.project))

    @cached_property
    def asked_corpora(self) -> list[str]:
        """Corpora that a language model writes for the tables of the studies, with requests to pay."""
        used = (entry for pairs in self._pairs() for entry in reached(self.project, pairs))
        names = {name for registry, name in used if registry == "corpora"}
        for _, table in self.project.tables.values():
            names |= {name for _, ref, name in references(table) if ref.registry == "corpora"}
        corpora = sorted(name for name in names if self.is_asked(name))
        return [name for name in corpora if self.pays(self.project.corpus(name).llm)]

    @cached_property
    def questions(self) -> list[tuple[str, str, str]]:
        """Corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        questions = {question for pairs in self._pairs() for question in pairs.questions(self.project)}
        for _, table in self.project.tables.values():
            questions |= set(table.questions(self.project))
        return sorted(question for question in questions if self.pays(question[1]))

    def pays(self, llm: str) -> bool:
        """Return whether answers need requests, so that there is something to estimate, plan and pay."""
        return self.project.llm(llm).kind == "endpoint"

    @cached_property
    def _chat_texts(self) -> dict[str, ChatTexts]:
        used = (entry for pairs in self._pairs() for entry in reached(self.project, pairs))
        names = sorted({name for registry, name in used if registry == "synthetic"})
        texts = {name: self.project.entry("synthetic", name) for name in names}
        asked = {name: spec for name, spec in texts.items() if spec.asked(self.project)}
        return {name: spec for name, spec in asked.items() if self.pays(spec.llm)}

    @cached_property
    def _translating_llm(self) -> str | None:
        tables = self.project.tables.items()
        if not any("translated" in spec.suites(self.project, name) for name, (_, spec) in tables):
            return None
        llm = getattr(self.project.catalog.translator, "llm", None)
        return llm if llm and self.pays(llm) else None

    @cached_property
    def back_translated(self) -> list[tuple[str, str]]:
        """Corpora that a language model translates there and back, and the names of the translators."""
        corpora = {each for pairs in self._pairs() for each in pairs.back_translated(self.project)}
        return sorted(each for each in corpora if self.pays(self._back_translator(each[1])))

    @cached_property
    def judged(self) -> list[tuple[str, str, str]]:
        """Pair set, llm and prompt of all scores that the studies ask for, sorted."""
        asking = [*self._pairs(), *self.project.catalog.benchmarks.values()]
        questions = {each for one in asking for each in one.judged(self.project)}
        return sorted(each for each in questions if self.pays(each[1]))

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
        translator: Any = self.project.catalog.translator
        folder = f"<results>/generate/translation/{translator.llm}"
        files = [f"{folder}/{{shard}}/{table}.parquet" for table in ("translations", "completions")]
        shards = self.project.shards("generate", self.project.paths.corpus(UNTRANSLATED), *files)
        return [f"{folder}/{shard}" for shard in shards]

    def translations_files(self) -> list[str]:
        if getattr(self.project.catalog.translator, "llm", None):
            return [f"{folder}/translations.parquet" for folder in self.translated_shards()]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def all(self) -> list[CorpusRequests]:
        """Return everything that is asked for the tables of the studies, but for scores of pairs."""
        prompts = [(corpus, self.paraphrases(llm, prompt)) for corpus, llm, prompt in self.questions]
        prompts += [(UNTRANSLATED, self.translations())] if self._translating_llm else []
        for texts, spec in self._chat_texts.items():
            prompts += [(spec.corpus, each) for each in self.instructions(texts)]
        requests = [
            CorpusRequests(corpus=each, requests=self.sentences(each), count=self.sentence_requests(each))
            for each in self.asked_corpora
        ]
        requests += [self._about(corpus, each) for corpus, each in prompts]
        for corpus, translator in self.back_translated:
            forward, back = self.backtranslations(translator).values()
            requests += [self._about(corpus, forward), self._about(corpus, back, forward)]
        return requests

    def scores(self) -> list[CorpusRequests]:
        """Return what is asked about pair sets."""
        scored = ((pairs, self.judgements(llm, prompt)) for pairs, llm, prompt in self.judged)
        return [CorpusRequests(corpus=PAIR_TEXTS + pairs, requests=requests) for pairs, requests in scored]

    def _about(self, corpus: str, requests: LLMRequests, source: LLMRequests | None = None) -> CorpusRequests:
        count = self.project.sentences(corpus) if self.is_asked(corpus) else None
        return CorpusRequests(corpus=corpus, requests=requests, count=count, source=source)

    def connection(self, llm: str) -> Connection:
        reached = self.project.llm(llm).connection(llm)
        return reached.model_copy(update={"refused_at_most": self.project.config.refused_at_most})

    def recorded(self, llm: str) -> list[str]:
        return [] if self.pays(llm) else [self.project.paths.recorded(llm)]

    def journal(self, llm: str) -> str:
        """Name the journal that keeps a language model's paid answers: one for each role and model."""
        return f"{llm}-{self.project.llm(llm).model}".replace("/", "_")

    @cached_property
    def embedders(self) -> dict[str, list[Suite]]:
        """The encoders behind endpoints that tables of the studies show, and what they are scored on."""
        by_role: dict[str, set[Suite]] = {}
        for name in self.project.tables:
            for row in self.project.reports.encoder_rows(name):
                source = self.project.catalog.encoders.get(row.encoder or "")
                if isinstance(source, EmbeddingEndpoint):
                    by_role.setdefault(str(row.encoder), set()).update(
                        self.project.reports.available_suites(name)
                    )
        return {role: sorted(suites) for role, suites in by_role.items()}

    def embedded(self, role: str) -> list[str]:
        """Return the files of the sets whose texts an encoder behind an endpoint is asked about."""
        if role not in self.embedders:
            raise ConfigError(
                f"encoders.{role}: no table of the studies shows it. Add a row: {{encoder: {role}}}."
            )
        return [self.project.paths.benchmarks(suite) for suite in self.embedders[role]]

    def reached(self) -> dict[str, tuple[str, Connection]]:
        """Return journal and connection of every model that is asked, by its role."""
        models = {llm: (self.journal(llm), self.connection(llm)) for llm in self.llm_roles}
        return models | {role: self.embedder(role) for role in self.embedders}

    def embedder(self, role: str) -> tuple[str, Connection]:
        """Return journal and connection of an encoder behind an endpoint."""
        source = self.project.entry("encoders", role)
        return f"vectors-{role}-{source.model}".replace("/", "_"), source.connection(role)

    def _pairs(self) -> Iterator[PairSet]:
        """Yield the pair sets that the tables of the studies are trained on, in this catalog."""
        for name in self.project.tables:
            if not self.project.reports.lacking_sets(name):
                for row in self.project.reports.encoder_rows(name):
                    yield from (self.project.pairs(run.pairs) for run in self.project.runs.of(row)[:1])
