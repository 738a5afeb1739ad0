"""Base classes of the kinds of pairs: common settings, and what planning needs to know of each kind.

A strategy is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and
`build`, which returns a PAIRS table.  Only the YAML that uses it knows its name.
"""

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs import inputs
from contrapose.jobs.step import InputFiles, planned
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import CorpusName, PairsId, Size
from contrapose.settings.spec import LabelKind, Spec

# Strategies of version 0.4 import these names from here.
CorpusTexts, Neighbours, PairPieces = inputs.CorpusTexts, inputs.Neighbours, inputs.PairPieces
Pairs, Paraphrases, Sentences, Slots = inputs.Pairs, inputs.Paraphrases, inputs.Sentences, inputs.Slots

MODELS = ("<results>/generate/", "<results>/score/")  # stages that run models
OTHER_PAIRS = "<results>/pairs/"


class Material(NamedTuple):
    """What pairs are made of, for the notes of tables."""

    name: str  # of the corpus, file or dictionary
    amount: str  # `960 sentences`
    note: str = ""  # what a reader should know about it


class Strategy:
    """What a kind of pairs provides besides its settings, for planning only."""

    if TYPE_CHECKING:
        kind: str
    same_text: ClassVar[bool] = False  # both sides are the same text, as RankCSE's terms need
    besides: ClassVar[str] = ""  # what pairs are made of besides sentences, after their number

    @property
    @planned
    def labelled(self) -> bool:
        """Whether its rows have labels, as losses of labelled pairs need."""
        return False

    def labels(self, project: Plan) -> LabelKind:
        """Return what its labels are, if it has some."""
        return "similarity"

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        """Return the files of the parameters of `build`."""
        raise NotImplementedError

    def jobs(self, paths: Paths) -> list[str]:
        """The model jobs that make `inputs`, to sum their costs: `<results>/X` for `<logs>/X.log`."""
        return [file.removesuffix(".parquet") for file in self._read(paths) if file.startswith(MODELS)]

    def pairs_behind(self, paths: Paths) -> list[str]:
        """Return the ids of the pair sets that this one is made from."""
        files = (file for file in self._read(paths) if file.startswith(OTHER_PAIRS))
        return [file.removeprefix(OTHER_PAIRS).removesuffix(".parquet") for file in files]

    def _read(self, paths: Paths) -> list[str]:
        files = self.inputs(paths).values()
        return [file for each in files for file in ([each] if isinstance(each, str) else each)]

    def check(self, project: Plan) -> None:
        """Raise a ConfigError if settings do not fit together; the names in them are already checked."""

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        """Return the id of the pair set that selects the checkpoint when training on this one, or None."""
        return None

    def is_dev(self, project: Plan) -> bool:
        """Return whether these are dev pairs that are held out, so that nothing is trained on them."""
        return False

    def with_dev(self, project: Plan, pairs_id: str) -> list[str]:
        """Return the id of the pair set, followed by that of its dev pairs if it has some."""
        return [pairs_id, *filter(None, [self.dev_pairs(project, pairs_id)])]

    def material(self, project: Plan) -> Material:
        raise NotImplementedError

    def source_corpus(self, project: Plan) -> str:
        """Return the corpus whose sentences are anchors; empty if they come from elsewhere."""
        return getattr(self, "corpus", None) or ""

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of the paraphrases requested from a language model."""
        return []

    def back_translated(self, project: Plan) -> list[tuple[str, str]]:
        """Return corpus and back-translator of what a language model back-translates."""
        return []

    def judged(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return pair set, llm and prompt of the pairs of texts that a language model scores."""
        return []

    def sides(self, project: Plan) -> int:
        """Return how many texts an example has: the anchor, and those of all views."""
        return 1 + self.views(project)

    def views(self, project: Plan) -> int:
        return 1

    def slot_count(self, project: Plan) -> int:
        return 1

    def rows(self, project: Plan) -> float | None:
        """Return how many rows one view has in all slots, if the settings determine it; None: unknown."""
        return None


class SentencePairs(Spec, Strategy):
    """Base of pairs made of the sentences of a corpus."""

    corpus: CorpusName = Field(description="This names the corpus whose sentences are the anchors.")
    size: Size | None = Field(
        None,
        description="The pair set uses this many sentences: a number, or the name of a size of the "
        "catalog. They are drawn by `seed`. With null, it uses every sentence, in the order of the "
        "corpus.",
    )
    seed: int = Field(
        1,
        ge=0,
        description="This seed draws the sentences if `size` is smaller than the corpus, and makes all "
        "other random choices of the pair set.",
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {"sentences": paths.corpus(self.corpus)}

    def material(self, project: Plan) -> Material:
        return corpus_material(project, self.corpus, self.size, self.besides)

    def slot_count(self, project: Plan) -> int:
        return getattr(self, "slots", 1)

    def rows(self, project: Plan) -> float | None:
        count = project.sentences(self.corpus) if self.size is None else project.size(self.size)
        return count and self.slot_count(project) * count


class AskedPairs(Strategy):
    """Base of pairs whose texts a chat model writes for the rows of a corpus."""

    if TYPE_CHECKING:
        corpus: str
        llm: Any
        prompt: str

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        tables = ("sentences", "paraphrases")
        return {each: paths.generated(self.corpus, self.llm, self.prompt, each) for each in tables}

    def jobs(self, paths: Paths) -> list[str]:
        """Those that query chat models, shard by shard, and those that join the shards."""
        table, files = "paraphrases", list[str]()
        for question in self.questions(paths.project):
            files += [*paths.answered(*question, table), paths.generated(*question, table)]
        return [str(PurePath(file).parent) for file in files]

    def material(self, project: Plan) -> Material:
        return corpus_material(project, self.corpus, besides=self.besides)

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return [(self.corpus, self.llm, self.prompt)]

    def rows(self, project: Plan) -> float | None:
        count = project.sentences(self.corpus)
        return count and self.slot_count(project) * count


class HeldOutPairs(Spec, Strategy):
    """Base of pair sets from which dev pairs can be held out."""

    held_out: Size | None = Field(
        None,
        description="This many pairs are held out for dev scores: a number, or the name of a size of the "
        "catalog. No method trains on them. They are drawn by `seed`; the kind `dictionary` takes the "
        "first ones. With null, none are held out.",
    )
    part: Literal["train", "dev"] = Field(
        "train",
        description="With `dev`, the pair set has only the held-out pairs. With `train`, it has all others.",
    )

    def check(self, project: Plan) -> None:
        if self.held_out is None:
            if self.part == "dev":
                raise ConfigError("pairs: part is dev, but the pair set has no held-out pairs. Set held_out.")
        elif (count := project.size(self.held_out)) < 2:
            raise ConfigError(
                f"pairs: held_out is {self.held_out}, which is {count} pair in the catalog "
                f"'{project.catalog_name}'. Selecting a checkpoint needs at least 2. Raise "
                f"sizes.{self.held_out} or scale in config/catalogs/{project.catalog_name}.yaml."
            )

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        """Return the same id with `part=dev`, without a size: one dev set for all sizes."""
        return None if self.held_out is None else project.pairs_id(pairs_id, without="size", part="dev")

    def is_dev(self, project: Plan) -> bool:
        return self.part == "dev"


class OtherPairs(Spec, Strategy):
    """Base of pair sets made of another one, without labels."""

    pairs: PairsId = Field(
        description="This is the id of the pair set that is changed. That pair set must not have labels."
    )

    def other(self, project: Plan) -> Strategy:
        return project.pairs(self.pairs)

    def check(self, project: Plan) -> None:
        """Refuse pair sets with labels, which hard negatives cannot have."""
        if (other := self.other(project)).labelled:
            raise ConfigError(
                f"pairs: {self.pairs} is of kind {other.kind}, whose rows have labels, but hard "
                "negatives need pairs without labels. Name another pair set."
            )

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        return self.other(project).dev_pairs(project, self.pairs)

    def material(self, project: Plan) -> Material:
        return self.other(project).material(project)

    def source_corpus(self, project: Plan) -> str:
        return self.other(project).source_corpus(project)

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return self.other(project).questions(project)

    def back_translated(self, project: Plan) -> list[tuple[str, str]]:
        return self.other(project).back_translated(project)

    def judged(self, project: Plan) -> list[tuple[str, str, str]]:
        return self.other(project).judged(project)

    def views(self, project: Plan) -> int:
        return self.other(project).views(project)

    def slot_count(self, project: Plan) -> int:
        return self.other(project).slot_count(project)

    def rows(self, project: Plan) -> float | None:
        return self.other(project).rows(project)


@planned
def corpus_material(project: Plan, name: str, size: int | str | None = None, besides: str = "") -> Material:
    """Return the material of pairs made of the sentences of a corpus."""
    count = project.sentences(name) if size is None else project.size(size)
    corpus = project.corpus(name)
    return Material(name, corpus.amount(project, count) + besides, corpus.note(project))
