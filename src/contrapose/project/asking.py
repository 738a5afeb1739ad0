"""What the language models of the studies are asked, and with what connection."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from contrapose.errors import ConfigError
from contrapose.generate.jobs import (
    AskingJob,
    BacktranslationJob,
    ChatTextsJob,
    InstructionJob,
    Question,
    Wanted,
)
from contrapose.generate.prompts import PLACEHOLDER
from contrapose.pairs.kinds import PairSet
from contrapose.project.registries import reached
from contrapose.settings.worlds import Connection
from contrapose.tasks import UNTRANSLATED

if TYPE_CHECKING:
    from contrapose.project import Project

# The parser accepts exactly five paraphrases, so a prompt for paraphrases has to ask for five.
FIVE = re.compile(r"\b(?:5|five)\b", re.I)


class Asking:
    """The questions of all tables of the studies."""

    def __init__(self, project: "Project") -> None:
        self.project = project

    def paraphrases(self, llm: str, prompt: str) -> AskingJob:
        """Return the settings of requests for paraphrases; the connection changes no answer."""
        return self._asked(llm, prompt, self.project.prompt(prompt), self.wanted(prompt))

    def wanted(self, prompt: str) -> Wanted:
        """Return how an answer to a prompt is parsed: as five texts if it names the number, else as one."""
        return "paraphrases" if FIVE.search(self.project.prompt(prompt)) else "negative"

    def pool(self, corpus: str, prompt: str) -> dict[str, str]:
        """Return the files with replacements for sentences without paraphrases; none: these are dropped."""
        if self.project.corpus(corpus).kind != "sampled" or self.wanted(prompt) != "paraphrases":
            return {}
        return {"articles": "<results>/retrieve/articles.parquet", "punkt": self.project.places.punkt}

    def unanswered(self, llm: str, prompt: str) -> str:
        """Say that the recorded answers lack a prompt; empty if they have it, or an endpoint is asked."""
        model = self.project.llm(llm)
        lacks = model.kind == "recorded" and prompt not in model.answers
        return f"the recorded answers of '{llm}' have no answer to prompt '{prompt}'" if lacks else ""

    def _asked(self, llm: str, prompt: str, text: str, wanted: Wanted) -> AskingJob:
        """Return the settings of requests; raise a ConfigError if the prompt has no recorded answers."""
        if lacking := self.unanswered(llm, prompt):
            raise ConfigError(
                f"llms.{llm}.answers: {lacking}. Name the key of these in "
                f"config/worlds/{self.project.world_name}.yaml."
            )
        return AskingJob(
            llm=llm, asked=self.project.llm(llm).asked(), prompt=prompt, text=text, wanted=wanted
        )

    def translations(self) -> AskingJob:
        translator: Any = self.project.world.translator
        text = self.project.prompt(translator.prompt)
        return self._asked(translator.llm, translator.prompt, text, "translation")

    def backtranslations(self, translator: str) -> BacktranslationJob:
        spec = self.project.entry("back_translators", translator)
        there, back = (
            self._asked(spec.llm, prompt, self.project.prompt(prompt), "any_translation")
            for prompt in (spec.there, spec.back)
        )
        return BacktranslationJob(there=there, back=back)

    def texts(self, name: str) -> ChatTextsJob:
        spec = self.project.entry("synthetic", name)
        instructions = self.project.files.instructions(spec.instructions)
        jobs = []
        for each in instructions.labels:
            text = instructions.prompt(each.label, PLACEHOLDER)
            for entry in range(spec.entries):
                prompt = f"dino-{spec.instructions}-{each.label:g}-{entry}"
                job = self._asked(spec.llm, prompt, text, "continuation").model_copy(update={"entry": entry})
                jobs.append(InstructionJob(**dict(job), label=each.label))
        return ChatTextsJob(instructions=jobs)

    @cached_property
    def questions(self) -> list[tuple[str, str, str]]:
        """Corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        found = {question for pairs in self._pairs() for question in pairs.questions(self.project)}
        for _, table in self.project.tables.values():
            found |= set(table.questions(self.project))
        return sorted(question for question in found if self.pays(question[1]))

    def pays(self, llm: str) -> bool:
        """Tell whether answers need requests, so that there is something to estimate, plan and pay."""
        return self.project.llm(llm).kind == "endpoint"

    @cached_property
    def chat_texts(self) -> list[str]:
        used = (entry for pairs in self._pairs() for entry in reached(self.project, pairs))
        names = {name for registry, name in used if registry == "synthetic"}
        texts = {name: self.project.entry("synthetic", name) for name in names}
        return sorted(name for name, spec in texts.items() if spec.kind == "asked" and self.pays(spec.llm))

    @cached_property
    def translating_llm(self) -> str | None:
        translator = self.project.world.translator
        wanted = any(
            "translated" in spec.suites(self.project, name) for name, (_, spec) in self.project.tables.items()
        )
        llm = getattr(translator, "llm", None) if wanted else None
        return llm if llm and self.pays(llm) else None

    @cached_property
    def back_translated(self) -> list[tuple[str, str]]:
        found = {each for pairs in self._pairs() for each in pairs.back_translated(self.project)}
        return sorted(each for each in found if self.pays(self._back_translator(each[1])))

    def _back_translator(self, name: str) -> str:
        return self.project.entry("back_translators", name).llm

    @cached_property
    def llm_roles(self) -> list[str]:
        roles = {llm for _, llm, _ in self.questions}
        roles |= {self.project.entry("synthetic", texts).llm for texts in self.chat_texts}
        roles |= {self._back_translator(name) for _, name in self.back_translated}
        return sorted(roles | {self.translating_llm} if self.translating_llm else roles)

    def corpora(self) -> list[str]:
        found = {corpus for corpus, _, _ in self.questions}
        found |= {self.project.entry("synthetic", texts).corpus for texts in self.chat_texts}
        found |= {corpus for corpus, _ in self.back_translated}
        return sorted(found | {UNTRANSLATED} if self.translating_llm else found)

    def completions(self) -> list[str]:
        places = self.project.places
        files = [places.generated(*question, "completions") for question in self.questions]
        files += [f"<results>/generate/synthetic/{texts}/completions.parquet" for texts in self.chat_texts]
        files += [places.backtranslations(*each, "completions") for each in self.back_translated]
        folders = self.translated_shards() if self.translating_llm else []
        return files + [f"{folder}/completions.parquet" for folder in folders]

    def translated_shards(self) -> list[str]:
        translator: Any = self.project.world.translator
        folder = f"<results>/generate/translation/{translator.llm}"
        files = [f"{folder}/{{shard}}/{table}.parquet" for table in ("translations", "completions")]
        shards = self.project.shards("generate", self.project.places.corpus(UNTRANSLATED), *files)
        return [f"{folder}/{shard}" for shard in shards]

    def translations_files(self) -> list[str]:
        if getattr(self.project.world.translator, "llm", None):
            return [f"{folder}/translations.parquet" for folder in self.translated_shards()]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def all_questions(self) -> list[Question]:
        found = [
            Question(corpus=corpus, job=self.paraphrases(llm, prompt))
            for corpus, llm, prompt in self.questions
        ]
        if self.translating_llm:
            found.append(Question(corpus=UNTRANSLATED, job=self.translations()))
        for texts in self.chat_texts:
            corpus = self.project.entry("synthetic", texts).corpus
            found += [Question(corpus=corpus, job=job) for job in self.texts(texts).instructions]
        for corpus, translator in self.back_translated:
            ways = self.backtranslations(translator)
            found += [
                Question(corpus=corpus, job=ways.there),
                Question(corpus=corpus, job=ways.back, behind=ways.there),
            ]
        return found

    def connection(self, llm: str) -> Connection:
        return self.project.llm(llm).connection(llm)

    def recorded(self, llm: str) -> list[str]:
        return [] if self.pays(llm) else [self.project.places.recorded(llm)]

    def journal(self, llm: str) -> str:
        """Name the journal that keeps a language model's paid answers: one for each role and model."""
        return f"{llm}-{self.project.llm(llm).model}".replace("/", "_")

    def _pairs(self) -> Iterator[PairSet]:
        """Yield the pair sets that the tables of the studies are trained on, in this world."""
        for name in self.project.tables:
            if not self.project.reports.lacking_sets(name):
                for row in self.project.reports.encoder_rows(name):
                    yield from (self.project.pairs(run.pairs) for run in self.project.runs.of(row)[:1])
