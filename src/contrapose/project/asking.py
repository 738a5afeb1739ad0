"""What the language models of the studies are asked, and with what connection."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from contrapose.generate.endpoint import serving_module
from contrapose.generate.jobs import AskedTextsJob, AskingJob, InstructionJob, Question
from contrapose.generate.prompts import PLACEHOLDER
from contrapose.pairs.kinds import PairSet
from contrapose.project.data import MADE
from contrapose.project.registries import reached
from contrapose.settings.worlds import Connection
from contrapose.tasks import UNTRANSLATED

if TYPE_CHECKING:
    from contrapose.project import Project


class Asking:
    """The questions of all tables of the studies."""

    def __init__(self, project: "Project") -> None:
        self.project = project

    def paraphrases(self, llm: str, prompt: str) -> AskingJob:
        """Return what is asked for paraphrases; how the model is reached cannot change an answer."""
        asked = self.project.llm(llm).asked()
        return AskingJob(llm=llm, asked=asked, prompt=prompt, text=self.project.prompt(prompt))

    def translations(self) -> AskingJob:
        """Return what the language model that translates is asked."""
        translator: Any = self.project.world.translator
        asked, text = self.project.llm(translator.llm).asked(), self.project.prompt(translator.prompt)
        return AskingJob(
            llm=translator.llm, asked=asked, prompt=translator.prompt, text=text, wanted="translation"
        )

    def texts(self, name: str) -> AskedTextsJob:
        """Return what a chat model is asked for an entry of `synthetic`, label by label."""
        spec = self.project.entry("synthetic", name)
        instructions = self.project.files.instructions(spec.instructions)
        asked = self.project.llm(spec.llm).asked()
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

    @cached_property
    def questions(self) -> list[tuple[str, str, str]]:
        """Corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        found = {question for pairs in self._pairs() for question in pairs.questions(self.project)}
        for _, table in self.project.tables.values():
            found |= set(table.questions())
        return sorted(found)

    @cached_property
    def asked_texts(self) -> list[str]:
        """The names of the texts that the tables of the studies ask chat models for, sorted."""
        used = (entry for pairs in self._pairs() for entry in reached(self.project, pairs))
        names = {name for registry, name in used if registry == "synthetic"}
        return sorted(name for name in names if self.project.entry("synthetic", name).kind == "asked")

    @cached_property
    def translating_llm(self) -> str | None:
        """The role of the language model that translates, if one does and a table wants it."""
        translator = self.project.world.translator
        wanted = any(
            "translated" in spec.suites(self.project, name) for name, (_, spec) in self.project.tables.items()
        )
        return getattr(translator, "llm", None) if wanted else None

    @cached_property
    def llm_roles(self) -> list[str]:
        """The roles of the language models that the tables of the studies ask, sorted."""
        roles = {llm for _, llm, _ in self.questions}
        roles |= {self.project.entry("synthetic", texts).llm for texts in self.asked_texts}
        return sorted(roles | {self.translating_llm} if self.translating_llm else roles)

    def corpora(self) -> list[str]:
        """Return the names of all corpora that a language model is asked about, sorted."""
        found = {corpus for corpus, _, _ in self.questions}
        found |= {self.project.entry("synthetic", texts).corpus for texts in self.asked_texts}
        return sorted(found | {UNTRANSLATED} if self.translating_llm else found)

    def completions(self) -> list[str]:
        """Return the files of all answers."""
        places = self.project.places
        files = [places.generated(*question, "completions") for question in self.questions]
        files += [f"<results>/generate/synthetic/{texts}/completions.parquet" for texts in self.asked_texts]
        folders = self.translated_shards() if self.translating_llm else []
        return files + [f"{folder}/completions.parquet" for folder in folders]

    def translated_shards(self) -> list[str]:
        """Return the folders of the translations by a language model."""
        translator: Any = self.project.world.translator
        folder = f"<results>/generate/translation/{translator.llm}"
        return [f"{folder}/{shard}" for shard in self.project.places.shards("generate")]

    def translations_files(self) -> list[str]:
        """Return the files of all translations, by whom they are."""
        if getattr(self.project.world.translator, "llm", None):
            return [f"{folder}/translations.parquet" for folder in self.translated_shards()]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def all_questions(self) -> list[Question]:
        """Return everything that is asked, with the corpus that it is asked about."""
        found = [
            Question(corpus=corpus, job=self.paraphrases(llm, prompt))
            for corpus, llm, prompt in self.questions
        ]
        if self.translating_llm:
            found.append(Question(corpus=UNTRANSLATED, job=self.translations()))
        for texts in self.asked_texts:
            corpus = self.project.entry("synthetic", texts).corpus
            found += [Question(corpus=corpus, job=job) for job in self.texts(texts).instructions]
        return found

    def connection(self, llm: str) -> Connection:
        """Return how a language model is reached."""
        return self.project.llm(llm).connection(llm)

    def knowledge(self, llm: str) -> list[str]:
        """Return what a language model reads that is served here; other models need no file."""
        served = serving_module(self.project.llm(llm).endpoint)
        return [MADE] if self.project.world.mini and served else []

    def all_knowledge(self) -> list[str]:
        """Return what the language models of all questions read, once."""
        return sorted({path for llm in self.llm_roles for path in self.knowledge(llm)})

    def journal(self, llm: str) -> str:
        """Name the journal that keeps a language model's paid answers: one for each role and model."""
        return f"{llm}-{self.project.llm(llm).model}".replace("/", "_")

    def _pairs(self) -> Iterator[PairSet]:
        """Yield the pair sets that the tables of the studies are trained on, in this world."""
        for name in self.project.tables:
            if not self.project.reports.lacking_sets(name):
                for row in self.project.reports.encoder_rows(name):
                    yield from (self.project.pairs(run.pairs) for run in self.project.runs.of(row)[:1])
