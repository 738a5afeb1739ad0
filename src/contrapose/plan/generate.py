"""Rules of the stage generate: what is asked, of whom, and what it costs."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from contrapose.config.corpora import AskedTexts, DinoTexts, Substitution
from contrapose.config.printed import PromptTable, RowTable
from contrapose.config.worlds import (
    Connection,
    LLMTranslator,
    Seq2SeqTranslator,
)
from contrapose.errors import ConfigError
from contrapose.generate.endpoint import serving_module
from contrapose.generate.prompts import PLACEHOLDER
from contrapose.jobs import (
    AskedTextsJob,
    AskingJob,
    CostJob,
    DinoJob,
    EstimateJob,
    InstructionJob,
    Question,
    ReplacementJob,
    TranslationSample,
)
from contrapose.plan.corpus import CorpusPlan
from contrapose.project import checked_encoder_folder, encoder_files
from contrapose.tasks import UNTRANSLATED

# Rules whose jobs ask a language model.
ASKING_RULES = ("generate_paraphrase", "generate_merge", "generate_translate", "generate_asked")


class GeneratePlan(CorpusPlan):
    """Rules of the stage generate: what is asked, of whom, and what it costs."""

    def servers(self, rule: str, wildcards: Mapping[str, str]) -> tuple[str, ...]:
        """Return the module of an endpoint `python:MODULE`, for the rules that ask a language model."""
        if rule not in ASKING_RULES:
            return ()
        llm = wildcards["llm"] if "llm" in wildcards else self.asked_llm(wildcards["texts"])
        module = serving_module(self.llm(llm).endpoint)
        return (module,) if module else ()

    def generate_paraphrase(self, corpus: str, llm: str, prompt: str, **shard: str) -> AskingJob:
        """What is asked; how the model is reached cannot change an answer (`connection`)."""
        asked = self.llm(llm).asked()
        return AskingJob(llm=llm, asked=asked, prompt=prompt, text=self.prompt(prompt))

    def generate_merge(self, corpus: str, llm: str, prompt: str) -> ReplacementJob:
        """What is asked, and where replacements are drawn from."""
        job = self.generate_paraphrase(corpus, llm, prompt)
        replacements = self.llm(llm).replacements
        return ReplacementJob(**dict(job), corpus=self.sampled_corpus(corpus), replacements=replacements)

    def corpus_untranslated(self) -> TranslationSample:
        """Which pairs are translated."""
        return self.retrieve_translated()

    def generate_translate(self, llm: str, **shard: str) -> AskingJob:
        """What is asked; how the model is reached cannot change an answer (`connection`)."""
        translator = self.world.translator
        if not isinstance(translator, LLMTranslator) or translator.llm != llm:
            raise ConfigError(
                f"llms.{llm} is not the translator of the world '{self.world_name}'. Name it: "
                f"translator: {{kind: llm, llm: {llm}}}."
            )
        asked, text = self.llm(llm).asked(), self.prompt(translator.prompt)
        return AskingJob(llm=llm, asked=asked, prompt=translator.prompt, text=text, wanted="translation")

    def generate_asked(self, texts: str) -> AskedTextsJob:
        """What is asked, label by label; how the model is reached cannot change an answer (`connection`)."""
        spec = self.synthetic(texts)
        assert isinstance(spec, AskedTexts)  # the rule takes no other name
        instructions, asked = self.instructions(spec.instructions), self.llm(spec.llm).asked()
        jobs = [
            InstructionJob(
                llm=spec.llm,
                asked=asked,
                prompt=f"dino-{spec.instructions}-{each.label:g}-{entry}",
                text=instructions.prompt(each.label, PLACEHOLDER),
                wanted="continuation",
                entry=entry,
                label=each.label,
            )
            for each in instructions.labels
            for entry in range(spec.entries)
        ]
        return AskedTextsJob(instructions=jobs)

    def asked_llm(self, texts: str) -> str:
        """Return the role of the language model that is asked for texts."""
        return self.generate_asked(texts).llm

    @cached_property
    def asked_texts(self) -> list[str]:
        """Return the names of the texts that the tables of the studies ask chat models for, sorted."""
        found = set()
        for name, (_, table) in self.tables.items():
            if isinstance(table, RowTable) and not self._missing_sets(name):
                for run in (run for row in table.rows for run in self.runs(row)[:1]):
                    if (pairs := self.dino_pairs_of(self.pairs(run.pairs))) is not None:
                        found |= {pairs.texts} | ({self.dino_pairs(pairs.dev).texts} if pairs.dev else set())
        return sorted(name for name in found if isinstance(self.synthetic(name), AskedTexts))

    def generate_seq2seq(self) -> dict:
        """Return nothing: the folder of the model decides."""
        return {}

    def generate_dino(self, texts: str, **shard: str) -> DinoJob:
        """What is written, and behind which instructions; the model comes as files, or is one of the hub."""
        spec = self._written(texts)
        hub = self.language_model(spec.lm).hub
        return DinoJob(texts=spec, instructions=self.instructions(spec.instructions), hub=hub)

    def generate_synthetic(self, texts: str) -> dict:
        """Return nothing: the shards decide."""
        return {}

    def generate_rewrites(self, rewrites: str, **shard: str) -> Substitution:
        """How sentences are rewritten; which, and with what dictionary, its input files say."""
        spec = self.rewrites(rewrites)
        return Substitution(**{name: getattr(spec, name) for name in Substitution.model_fields})

    def rewrites_inputs(self, rewrites: str) -> list[str]:
        """Return the files of the sentences, of the phrases of the dictionary, and of its rules."""
        spec = self.rewrites(rewrites)
        dictionary = f"<results>/retrieve/dictionaries/{spec.dictionary}"
        return [
            f"<results>/corpus/{spec.corpus}.parquet",
            f"{dictionary}/phrases.parquet",
            f"{dictionary}/rules.parquet",
        ]

    def _written(self, texts: str) -> DinoTexts:
        spec = self.synthetic(texts)
        assert isinstance(spec, DinoTexts)  # the rule takes no other name
        return spec

    def source_of(self, texts: str) -> str:
        """Return the corpus that texts are written for."""
        return f"<results>/corpus/{self.synthetic(texts).corpus}.parquet"

    def language_model_inputs(self, role: str) -> list[str] | str:
        """Return the files of a language model, none for one of the hub; or what a job makes."""
        source = self.language_model(role)
        if source.made:
            return source.made
        return encoder_files(source.folder) if source.folder else []

    @property
    def translator_folder(self) -> str:
        """Folder of the local translation model; empty if none translates."""
        translator = self.world.translator
        if not isinstance(translator, Seq2SeqTranslator):
            return ""
        return str(self._place_of(translator.path))

    def translator_inputs(self) -> list[str]:
        """Return the files of the local translation model."""
        if not self.translator_folder:
            raise ConfigError(
                f"translator of the world '{self.world_name}' is no local model. Name one: "
                "translator: {kind: seq2seq, path: FOLDER}."
            )
        return encoder_files(checked_encoder_folder(Path(self.translator_folder), "translator.path"))

    @property
    def translating_llm(self) -> str | None:
        """The role of the language model that translates, if one does and a table wants it."""
        translator, tables = self.world.translator, self.tables
        wanted = any(self._suite(table) == "translated" for table in tables)
        return translator.llm if wanted and isinstance(translator, LLMTranslator) else None

    def asked_corpora(self) -> list[str]:
        """Return the names of all corpora that a language model is asked about, sorted."""
        corpora = {corpus for corpus, _, _ in self.questions}
        corpora |= {self.synthetic(texts).corpus for texts in self.asked_texts}
        return sorted(corpora | {UNTRANSLATED} if self.translating_llm else corpora)

    def completion_inputs(self) -> list[str]:
        """Return the files of all answers."""
        files = [
            f"<results>/generate/{corpus}/{llm}-prompt{prompt}/completions.parquet"
            for corpus, llm, prompt in self.questions
        ]
        files += [f"<results>/generate/synthetic/{texts}/completions.parquet" for texts in self.asked_texts]
        folders = self._translated_shards if self.translating_llm else []
        return files + [f"{folder}/completions.parquet" for folder in folders]

    @cached_property
    def questions(self) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        asked: set[tuple[str, str, str]] = set()
        for name, (_, table) in self.tables.items():
            if isinstance(table, PromptTable):
                asked |= {(row.corpus, row.llm, row.prompt) for row in table.rows}
            elif isinstance(table, RowTable) and not self._missing_sets(name):
                pairs = [self.pairs(runs[0].pairs) for row in table.rows if (runs := self.runs(row))]
                asked |= {(one.corpus, one.llm, one.prompt) for one in pairs if one.kind == "paraphrase"}
        return sorted(asked)

    @cached_property
    def llm_roles(self) -> list[str]:
        """Return the roles of the language models that the tables of the studies ask, sorted."""
        roles, translating = {llm for _, llm, _ in self.questions}, self.translating_llm
        roles |= set(map(self.asked_llm, self.asked_texts))
        return sorted(roles | {translating} if translating else roles)

    def generate_estimate(self) -> EstimateJob:
        """What will be asked."""
        questions = [
            Question(corpus=corpus, job=self.generate_paraphrase(corpus, llm, prompt))
            for corpus, llm, prompt in self.questions
        ]
        codes = {self.code("generate_paraphrase", {"llm": llm}) for _, llm, _ in self.questions}
        if llm := self.translating_llm:
            questions.append(Question(corpus=UNTRANSLATED, job=self.generate_translate(llm)))
            codes.add(self.code("generate_translate", {"llm": llm}))
        for texts in self.asked_texts:
            corpus = self.synthetic(texts).corpus
            questions += [Question(corpus=corpus, job=job) for job in self.generate_asked(texts).instructions]
            codes.add(self.code("generate_asked", {"texts": texts}))
        return EstimateJob(questions=questions, codes=sorted(codes))

    def generate_cost(self) -> CostJob:
        """Whose answers are counted; their prices stand in the journals."""
        return CostJob(
            models={llm: self.llm(llm).model for llm in self.llm_roles},
            codes=sorted({self.code(rule, {"llm": llm}) for rule in ASKING_RULES for llm in self.llm_roles}),
        )

    def all_knowledge_inputs(self, made: str) -> list[str]:
        """Return what the language models of all questions know, once."""
        return sorted({path for llm in self.llm_roles for path in self.knowledge_inputs(llm, made)})

    def connection(self, llm: str) -> Connection:
        """How a language model is reached."""
        return self.llm(llm).connection(llm)

    def knowledge_inputs(self, llm: str, made: str) -> list[str]:
        """Return what the mini world tells a module that serves its language model; others need no file."""
        return [made] if self.world.mini and serving_module(self.llm(llm).endpoint) else []

    def journal_of(self, llm: str) -> str:
        """Name the journal that keeps a language model's paid answers: one for each role and model."""
        return f"{llm}-{self.llm(llm).model}".replace("/", "_")
