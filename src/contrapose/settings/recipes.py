"""How encoders are trained and probed: entries of `config/recipes.yaml`."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, DevTask
from contrapose.settings.ids import canonical_id, resolved
from contrapose.settings.plan import Plan
from contrapose.settings.refs import RecipeId, TaskName, TrainableName
from contrapose.settings.spec import PlainPooler, Spec, TextForm

TRAINED = 3.0  # cost of a training step in forward passes: the backward pass counts twice


class RecipeKind(Spec):
    """What planning asks of a recipe; the defaults are those of one that is fitted without dev scores."""

    averages: ClassVar[bool] = False  # what others have trained
    stepped: ClassVar[bool] = False  # whether it trains in steps with dev scores

    @property
    def frozen_encoders(self) -> list[str]:
        """Roles of the encoders that training reads and does not change."""
        return []

    @property
    def idle(self) -> set[str]:
        """Options of its loss that are not used."""
        return set()

    def scaled(self, project: Plan, own_id: str) -> Self:
        """Return the recipe with this catalog's changes to training."""
        return self

    def trained(self, project: Plan) -> "RecipeKind":
        """Return the recipe of the trainings behind it: its own, or that of what it averages."""
        return self

    def check_pairs(self, project: Plan, pairs: str, where: str) -> None:
        """Raise a ConfigError if it cannot train on a pair set; `where` begins the message."""

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float | None:
        """Return how many texts a training reads, of pairs with `rows` in a slot; None if unknown."""
        return rows and rows * sides

    def passes(self, project: Plan) -> float:
        """Return the cost of reading a text, in forward passes."""
        return TRAINED

    def in_half(self, project: Plan) -> bool | None:
        """Return whether it trains in half precision; None: as the config says."""
        return None

    def is_soup(self, project: Plan) -> bool:
        """Return whether all seeds make one encoder together."""
        return False


class SteppedRecipe(RecipeKind):
    """What planning asks of a recipe that trains in steps, with dev scores between them."""

    stepped: ClassVar[bool] = True
    if TYPE_CHECKING:
        learning_rate: float
        steps: int | None
        dev_every: int | Literal["epoch"]

    def scaled(self, project: Plan, own_id: str) -> Self:
        scale, fewer = project.catalog.training, project.config.steps
        steps, every = self.steps_in(project), self.dev_every
        if every != "epoch":
            every = scale.dev_every or every
        if fewer and steps:
            if every != "epoch":  # as many dev scores: the choice among them is part of the protocol
                every = max(1, round(every * fewer / steps))
            steps = fewer
        rate = scale.rate(self.learning_rate)
        return self.model_copy(update={"learning_rate": rate, "dev_every": every, "steps": steps})

    def steps_in(self, project: Plan) -> int | None:
        """Return its steps in this catalog, without `--config steps`; None: epochs decide."""
        return self.steps


class LoRA(Spec):
    """Training of low-rank matrices beside frozen weights. Hu et al. (2022); the defaults are peft's."""

    rank: int = Field(8, ge=1, description="Of the matrices")
    alpha: float = Field(8, gt=0, description="Their product is multiplied by alpha / rank")
    dropout: float = Field(0.0, ge=0, lt=1, description="Of what goes into the matrices")
    targets: list[str] | Literal["all-linear"] = Field(
        "all-linear", description="Names of the layers that get them, e.g. [query, value]"
    )
    save: Literal["merged", "adapter"] = Field(
        "merged", description="merged: an ordinary encoder; adapter: the matrices alone, which need the base"
    )


class EncoderRecipe(SteppedRecipe):
    """How an encoder is trained, whatever its loss: `contrapose.train.recipe.Recipe` adds that.

    The defaults are SimCSE's for unsupervised BERT-base.
    """

    kind: Literal["contrastive"] = "contrastive"
    encoder: TrainableName = Field("bert-base", description="Role in the catalog")
    batch_size: int = Field(64, ge=2, description="Pairs per step")
    learning_rate: float = Field(3e-5, gt=0, description="Peak of the schedule")
    epochs: int = Field(1, ge=1)
    steps: int | None = Field(
        None, ge=1, description="Optimiser steps, in as many epochs as needed; null: epochs decides"
    )
    share: float = Field(
        1.0,
        gt=0,
        le=1,
        description="Share of the pair set's sentences, drawn for each seed, a smaller one out of a larger "
        "one; in as many steps as all of them take",
    )
    max_length: int = Field(32, ge=3, description="Longest sentence in word pieces; the rest is cut off")
    query_length: int | None = Field(
        None, ge=3, description="The same for anchors, which in retrieval are queries; null: max_length"
    )
    equal_texts: Literal["negatives", "removed"] = Field(
        "negatives",
        description="What candidates of other rows are that share a text with the row, in whatever spelling, "
        "and hard negatives that are its anchor or positive. With loss info_nce they are negatives, as in "
        "the papers' code, or removed; those of queue stay",
    )
    dropout: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="Hidden and attention dropout; null: the encoder's own or, if that is 0, 0.1; 0.3 "
        "for decoders",
    )
    repetition: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Largest share of a positive's word pieces that are repeated, after the rest is cut off. "
        "ESimCSE: 0.32, 0.30 for roberta-base, 0.28 for roberta-large",
    )
    repetition_count: Literal["code", "paper"] = Field(
        "code",
        description="How many of n: code: 0 to min(10, rate x n) - 1, [CLS] and [SEP] among the n, as in the "
        "authors' code; paper: 0 to max(2, rate x n)",
    )
    shuffle: bool = Field(False, description="The word pieces of positives change places. ConSERT")
    cutoff: float = Field(
        0.0, ge=0, lt=1, description="Share of the columns of an anchor's embeddings set to 0. ConSERT: 0.2"
    )
    pooler: Literal["cls", PlainPooler] = Field(
        "cls",
        description="How token vectors become the vector of a text. own: as the encoder's folder declares, "
        "with what is after the pooling there; cls: SimCSE's, with an MLP head",
    )
    mlp: Literal["train_only", "always"] = Field("train_only", description="MLP head of the cls pooler")
    lora: LoRA | None = Field(None, description="Low-rank adaptation; null: all weights are trained")
    weight_decay: float = Field(0.0, ge=0)
    warmup: float = Field(0.0, ge=0, lt=1, description="Share of the steps with a rising learning rate")
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    clip: float | None = Field(
        1.0, gt=0, description="Largest gradient norm; null: gradients are not clipped"
    )
    precision: Literal["float32", "bf16", "fp16"] | None = Field(
        None, description="Precision of training; null: the config's. fp16, as in SimCSE's code, needs a GPU"
    )
    dev: DevTask | Literal["pairs"] | None = Field(
        "stsb",
        description="Task whose dev split selects the checkpoint; pairs: the pair set's own dev pairs, by the"
        " correlation with their labels or, without labels, by the loss; null: the last step is kept",
    )
    dev_every: Annotated[int, Field(ge=1)] | Literal["epoch"] = Field(
        125,
        description="Steps between dev scores, with one more at the end; epoch: one after each epoch. A score"
        " that would be the only one selects nothing and is left out",
    )
    patience: int | None = Field(
        None, ge=1, description="Early stopping: dev scores in a row without a new best"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> "EncoderRecipe":
        if self.steps is not None and self.epochs != 1:
            raise ValueError(
                f"steps is {self.steps} and epochs is {self.epochs}: steps alone say how long training is. "
                "Leave epochs at 1, or set steps to null"
            )
        if self.patience is not None and self.dev is None:
            raise ValueError("patience counts dev scores, and dev is null: leave patience out")
        return self

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float | None:
        if self.steps:
            return self.steps * min(self.batch_size, rows or self.batch_size) * sides
        return rows and rows * sides * self.epochs

    def in_half(self, project: Plan) -> bool | None:
        return None if self.precision is None else self.precision != "float32"


class _FittedRecipe(RecipeKind):
    """How something is fitted to the vectors of a pretrained encoder."""

    dev: ClassVar[None] = None

    encoder: TrainableName = Field("bert-base", description="Role in the catalog")
    pooler: PlainPooler = Field("avg_first_last", description="own: as the encoder's folder declares")
    max_length: int = Field(
        64, ge=3, description="Longest sentence of the fit in word pieces; the rest is cut off"
    )

    def passes(self, project: Plan) -> float:
        return 1


class WhiteningRecipe(_FittedRecipe):
    """How the vectors of a pretrained encoder are whitened. BERT-whitening, Su et al. (2021)."""

    kind: Literal["whitening"]
    components: int | None = Field(
        None,
        ge=1,
        description="Directions kept, by decreasing variance; null: all. The paper has 256, and 384 for large"
        " encoders",
    )


class FlowRecipe(_FittedRecipe):
    """How a normalising flow is fitted to a pretrained encoder. BERT-flow, Li et al. (2020)."""

    kind: Literal["flow"]
    levels: int = Field(
        3, ge=1, description="Half of the dimensions leave the flow after each level but the last"
    )
    depth: int = Field(3, ge=1, description="Steps per level")
    width: int = Field(32, ge=1, description="Hidden units of a step's network")
    learning_rate: float = Field(1e-3, gt=0, description="Constant learning rate of AdamW")
    batch_size: int = Field(64, ge=2, description="Sentences per step; the authors have 32 pairs")
    epochs: int = Field(1, ge=1)

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float | None:
        return rows and rows * sides * self.epochs


class ContrastiveTensionRecipe(SteppedRecipe):
    """How two copies of an encoder are trained on single sentences. Carlsson et al. (2021)."""

    kind: Literal["contrastive_tension"]
    encoder: TrainableName = Field("bert-base", description="Role in the catalog")
    pooler: PlainPooler = Field("avg", description="own: as the encoder's folder declares")
    negatives: int = Field(
        7, ge=1, description="Pairs of different sentences for each pair of a sentence with itself"
    )
    batch_size: int = Field(16, ge=2, description="Pairs per step, a multiple of negatives + 1")
    learning_rate: float = Field(
        1e-5,
        gt=0,
        description="Learning rate of RMSprop up to step 500; then 0.8, 0.6, 0.4 and 0.2 times as high",
    )
    steps: int = Field(5000, ge=1, description="Optimiser steps: ten times 500 in the authors' code")
    max_length: int = Field(75, ge=3, description="Longest sentence in word pieces; the rest is cut off")
    dev: DevTask = Field("stsb", description="Task whose dev split selects the checkpoint")
    dev_every: int = Field(500, ge=1, description="Steps between dev scores, with one more at the end")

    @model_validator(mode="after")
    def _whole_groups(self) -> "ContrastiveTensionRecipe":
        if self.batch_size % (self.negatives + 1):
            raise ValueError(
                f"batch_size is {self.batch_size}, but must be a multiple of negatives + 1 = "
                f"{self.negatives + 1}"
            )
        return self

    def steps_in(self, project: Plan) -> int | None:
        return project.catalog.training.steps or self.steps

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float:
        return 2 * self.batch_size * self.steps


class AveragedRecipe(RecipeKind):
    """How the weights of trained encoders are averaged, with each other or with those before training."""

    kind: Literal["averaged"]
    recipe: RecipeId = Field(description="Id of the recipe of the trainings; they are on the same pairs")
    seeds: Literal["all", "each"] = Field(
        "all",
        description="all: of all seeds, one encoder (uniform soup, Wortsman et al. 2022, arXiv 2203.05482); "
        "each: of every seed by itself",
    )
    alpha: float = Field(
        1.0,
        ge=0,
        le=1,
        description="Weight of what was trained, the rest is that of the encoder before training. WiSE-FT "
        "(Wortsman et al. 2022, arXiv 2109.01903) recommends 0.5",
    )
    encoder: TrainableName = Field(
        "", description="Role in the catalog of the encoder before training; empty: that of the recipe"
    )
    redraw: bool = Field(False, description="Set by a row with redraw: each seed has drawn its own pairs")

    averages: ClassVar[bool] = True
    dev: ClassVar[None] = None
    pooler: ClassVar[PlainPooler] = "own"

    def scaled(self, project: Plan, own_id: str) -> Self:
        recipes = project.recipes.recipes
        recipe = canonical_id(self.recipe, recipes)
        if resolved(recipe, recipes).averages:
            raise ConfigError(
                f"recipe '{own_id}': its recipe '{self.recipe}' is of kind averaged itself. Name one that "
                "trains."
            )
        encoder = self.encoder or project.entry("recipes", recipe).encoder
        return self.model_copy(update={"recipe": recipe, "encoder": encoder})

    def trained(self, project: Plan) -> RecipeKind:
        return project.entry("recipes", self.recipe)

    def is_soup(self, project: Plan) -> bool:
        return self.seeds == "all"


class LengthProbe(Spec):
    """Pairs of sentences of different length, lengthened by meaningless text. After EdaCSE, Table 1."""

    tasks: list[TaskName] = Field(
        min_length=1, description="Sets of one suite and one scale; their test splits"
    )
    form: TextForm = Field(
        "senteval",
        description="Text form. senteval: Moses-tokenised, as in SimCSE's evaluation; raw: as released",
    )
    positive: float = Field(description="Lowest gold score of a positive pair, on the sets' own scale")
    negative: float = Field(description="Highest gold score of a negative pair")
    pairs: int = Field(1000, ge=1, description="Most pairs of each kind")
    seed: int = Field(1, ge=0, description="Seed that selects the pairs and the places of marks")
    unit: Literal["words", "characters"] = Field(
        description="Unit of length: words between white space, or code points"
    )
    difference: int = Field(ge=1, description="Least difference in length of a pair")
    filler: str = Field(
        min_length=1, description="Text that is added: a word, or a character if lengths are in characters"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> "LengthProbe":
        if len({(TASKS[task].suite, TASKS[task].low, TASKS[task].high) for task in self.tasks}) > 1:
            raise ValueError("tasks of several suites or scales; gold scores are compared with one number")
        if self.negative >= self.positive:
            raise ValueError(f"negative is {self.negative:g}, it has to be below positive, {self.positive:g}")
        if self.unit == "characters" and len(self.filler) > 1:
            raise ValueError(f"filler '{self.filler}' is longer than a character, the unit of length")
        if len(self.filler.split()) != 1:
            raise ValueError(f"filler '{self.filler}' is not one word")
        return self
