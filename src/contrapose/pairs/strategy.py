"""What the kinds of pairs have in common: settings, and what each tells beside how its pairs are made.

A strategy is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and
`build`, which returns a PAIRS table.  Nothing else knows its name but the YAML that uses it.
"""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from contrapose.errors import ConfigError
from contrapose.kinds import Paths, Read, planned
from contrapose.left_out import read_pairs
from contrapose.refs import CorpusName, Size
from contrapose.settings.spec import Spec
from contrapose.tables import IDENTIFIED, NEIGHBOURS, PARAPHRASES, SENTENCES, SYNTHETIC, TRIPLES

if TYPE_CHECKING:
    from contrapose.project import Places, Project

# What parameters of `build` are declared as.
Sentences = Annotated[pd.DataFrame, Read(SENTENCES)]
Paraphrases = Annotated[pd.DataFrame, Read(PARAPHRASES)]
Triples = Annotated[pd.DataFrame, Read(TRIPLES)]
Synthetic = Annotated[pd.DataFrame, Read(SYNTHETIC)]
Pairs = Annotated[pd.DataFrame, lambda files: read_pairs(*files)]
Identified = Annotated[pd.DataFrame, Read(IDENTIFIED)]
Neighbours = Annotated[pd.DataFrame, Read(NEIGHBOURS)]


Slots = Annotated[int, Field(ge=1, description="Epoch e trains on slot e mod slots; each slot is drawn anew")]

MODELS = ("<results>/generate/", "<results>/score/")  # stages in which models work
OTHER_PAIRS = "<results>/pairs/"


class Material(NamedTuple):
    """What pairs are made of, for the notes of tables."""

    name: str  # of the corpus, file or dictionary
    amount: str  # `960 sentences`
    note: str = ""  # what a reader has to know about it


class Strategy:
    """What a kind of pairs tells beside its settings; all of it is for planning alone."""

    if TYPE_CHECKING:
        kind: str
    same_text: ClassVar[bool] = False  # both sides are one text, which RankCSE's terms are for

    @property
    @planned
    def labelled(self) -> bool:
        """Whether its rows have labels, which all losses but info_nce need."""
        return False

    @planned
    def inputs(self, places: "Places") -> dict[str, Paths]:
        """Return the files behind the parameters of `build`."""
        raise NotImplementedError

    @planned
    def jobs(self, places: "Places") -> list[str]:
        """Return the jobs of models behind `inputs`, for what pairs cost: `<logs>/X.log` as `<results>/X`.

        If nothing else is said, those of stages in which models work, each logged under the name of its file.
        """
        return [file.removesuffix(".parquet") for file in self._read(places) if file.startswith(MODELS)]

    @planned
    def pairs_behind(self, places: "Places") -> list[str]:
        """Return the ids of the pair sets that it is made from."""
        found = (file for file in self._read(places) if file.startswith(OTHER_PAIRS))
        return [file.removeprefix(OTHER_PAIRS).removesuffix(".parquet") for file in found]

    @planned
    def _read(self, places: "Places") -> list[str]:
        files = self.inputs(places).values()
        return [file for each in files for file in ([each] if isinstance(each, str) else each)]

    @planned
    def check(self, project: "Project") -> None:
        """Raise a ConfigError if settings do not fit each other; that what they name exists is known."""

    @planned
    def dev_pairs(self, project: "Project", own_id: str) -> str | None:
        """Return the id of the pairs on which a training on these selects its checkpoint, or None."""
        return None

    @planned
    def material(self, project: "Project") -> Material:
        """Return what the pairs are made of."""
        raise NotImplementedError

    @planned
    def questions(self, project: "Project") -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of the paraphrases that a language model is asked for."""
        return []

    @planned
    def back_translated(self, project: "Project") -> list[tuple[str, str]]:
        """Return corpus and back-translator of what a language model translates there and back."""
        return []

    @planned
    def sides(self, project: "Project") -> int:
        """Return how many texts stand side by side: the anchor, and those of all views."""
        return 1 + self.views(project)

    @planned
    def views(self, project: "Project") -> int:
        """Return how many views there are."""
        return 1

    @planned
    def slot_count(self, project: "Project") -> int:
        """Return how many slots there are."""
        return 1

    @planned
    def rows(self, project: "Project") -> float | None:
        """Return how many rows one view has in all slots, as far as settings tell; None: not known."""
        return None


class SentencePairs(Spec, Strategy):
    """What pairs made of the sentences of a corpus have in common."""

    corpus: CorpusName
    size: Size | None = Field(None, description="Name of a size in the world; null: every sentence, in order")
    draw: int = Field(
        1,
        ge=0,
        description="Seed that selects the sentences, if not all are used, and of everything else that is "
        "random",
    )

    @planned
    def inputs(self, places: "Places") -> dict[str, Paths]:
        """The corpus."""
        return {"sentences": places.corpus(self.corpus)}

    @planned
    def material(self, project: "Project") -> Material:
        """Sentences."""
        return corpus_material(project, self.corpus, self.size)

    @planned
    def slot_count(self, project: "Project") -> int:
        """Those of a kind that has `slots`."""
        return getattr(self, "slots", 1)

    @planned
    def rows(self, project: "Project") -> float | None:
        """A row for each sentence and slot."""
        count = project.sentences(self.corpus) if self.size is None else project.size(self.size)
        return count and self.slot_count(project) * count


class HeldOutPairs(Spec, Strategy):
    """What pair sets have in common from which dev pairs can be held out."""

    held_out: Size | None = Field(
        None,
        description="Name of a size in the world: number of pairs, the first ones, that are for dev only",
    )
    part: Literal["train", "dev"] = Field("train", description="dev: the held-out pairs; train: the others")

    @planned
    def check(self, project: "Project") -> None:
        """A checkpoint is selected on at least two pairs."""
        if self.held_out is None:
            if self.part == "dev":
                raise ConfigError("pairs: part is dev, but no pairs are held out. Set held_out.")
        elif (count := project.size(self.held_out)) < 2:
            raise ConfigError(
                f"pairs: held_out is {self.held_out}, {count} pair in the world '{project.world_name}'; a "
                f"checkpoint is selected on at least 2. Raise sizes.{self.held_out} or scale in "
                f"config/worlds/{project.world_name}.yaml."
            )

    @planned
    def dev_pairs(self, project: "Project", own_id: str) -> str | None:
        """Return the same id with `part=dev`, without a size: one for all sizes."""
        return None if self.held_out is None else project.pairs_id(own_id, without="size", part="dev")


def corpus_material(project: "Project", name: str, size: int | str | None = None) -> Material:
    """Return what pairs of the sentences of a corpus are made of."""
    count = project.sentences(name) if size is None else project.size(size)
    at_most = "at most " * getattr(project.corpus(name), "at_most", False)
    amount = "every line" if count is None else f"{at_most}{count} sentences"
    return Material(name, amount, project.corpus_note(name))
