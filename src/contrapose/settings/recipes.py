"""How encoders are trained and probed: entries of `config/recipes.yaml`."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, DevTask, one_suite
from contrapose.settings.ids import canonical_id, resolved
from contrapose.settings.plan import Plan
from contrapose.settings.refs import RecipeId, TaskName, TrainableName
from contrapose.settings.spec import PlainPooling, Spec, TextForm

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
    """Low-rank matrices are trained next to frozen weights (Hu et al. 2022). The defaults are those of
    peft.
    """

    rank: int = Field(8, ge=1, description="The matrices have this rank.")
    alpha: float = Field(8, gt=0, description="The product of the matrices is multiplied by alpha / rank.")
    dropout: float = Field(0.0, ge=0, lt=1, description="This share of the input of the matrices is dropped.")
    targets: list[str] | Literal["all-linear"] = Field(
        "all-linear", description="The layers with these names get matrices, for example `[query, value]`."
    )
    save: Literal["merged", "adapter"] = Field(
        "merged",
        description="With `merged`, the result is an ordinary encoder. With `adapter`, it is only the "
        "matrices, which need the base encoder.",
    )


class EncoderRecipe(SteppedRecipe):
    """How an encoder is trained, whatever its loss: `contrapose.train.recipe.Recipe` adds that.

    The defaults are SimCSE's for unsupervised BERT-base.
    """

    kind: Literal["contrastive"] = "contrastive"
    encoder: TrainableName = Field(
        "bert-base", description="This is the catalog's name of the encoder that is trained."
    )
    batch_size: int = Field(64, ge=2, description="Each step reads this many pairs.")
    learning_rate: float = Field(3e-5, gt=0, description="This is the peak of the learning rate.")
    epochs: int = Field(1, ge=1, description="Training has this many epochs.")
    steps: int | None = Field(
        None,
        ge=1,
        description="Training has this many optimiser steps. It passes over the pairs as often as "
        "needed. With null, `epochs` decides.",
    )
    train_fraction: float = Field(
        1.0,
        gt=0,
        le=1,
        description="Training uses this share of the sentences, drawn for each seed. A smaller share is "
        "part of a larger one. Training has as many steps as with all sentences, so that only the amount "
        "of data differs.",
    )
    max_length: int = Field(
        32, ge=3, description="The longest sentence has this many word pieces. The rest is cut off."
    )
    query_length: int | None = Field(
        None,
        ge=3,
        description="This is `max_length` of anchors, which are the queries in retrieval. With null, it "
        "is equal to `max_length`.",
    )
    equal_texts: Literal["negatives", "removed"] = Field(
        "negatives",
        description="A batch can have the same text twice: another pair or a hard negative may repeat "
        "the anchor or the positive of this pair. With `negatives`, such a text counts as a negative, as "
        "in the papers' code. With `removed`, it is no candidate. Texts are equal if they differ only in "
        "white space or invisible characters. The key concerns the loss `info_nce`. Texts in the queue "
        "always count as negatives.",
    )
    dropout: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="This is the dropout of hidden states and attention. With null, the encoder keeps "
        "the dropout of its own configuration. If all of that is 0, it is trained with 0.1, because "
        "equal texts would else have equal vectors. Encoders that can have dropout of attention only, "
        "such as Qwen3 and other decoders, are then trained with 0.3.",
    )
    repetition: float = Field(
        0.0,
        ge=0,
        le=1,
        description="At most this share of a positive's word pieces is repeated, after the text is cut. "
        "ESimCSE has 0.32 for BERT, 0.30 for RoBERTa-base and 0.28 for RoBERTa-large.",
    )
    repetition_count: Literal["code", "paper"] = Field(
        "code",
        description="This says how many of n word pieces are repeated. With `code`, it is 0 to min(10, "
        "rate x n) - 1, where n includes [CLS] and [SEP], as in the authors' code. With "
        "`paper`, it is 0 to max(2, rate x n).",
    )
    token_shuffling: bool = Field(
        False, description="If true, the word pieces of positives change places. ConSERT."
    )
    feature_cutoff: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="This share of the columns of an anchor's embeddings is set to 0. ConSERT has 0.2.",
    )
    pooling: Literal["cls", PlainPooling] = Field(
        "cls",
        description="This says how token vectors become the vector of a text. With `cls`, the vector of "
        "[CLS] passes a dense layer, SimCSE's MLP head, whose use `mlp` decides. With "
        "`cls_before_pooler`, it is the vector of [CLS] in the last layer. With `mean`, it is "
        "the mean over the tokens of the last layer. With `avg_top2`, it is the mean over the "
        "tokens of the last two layers. With `avg_first_last`, it is that of the first and the "
        "last layer. With `lasttoken`, it is the vector of the last token, as in decoders. With "
        "`own`, the encoder's folder decides, including the layers after the pooling.",
    )
    mlp: Literal["train_only", "always"] = Field(
        "train_only",
        description="The pooling `cls` has a dense layer, SimCSE's MLP head. With `train_only`, it "
        "is used in training only, and the evaluation uses the vector before it. With `always`, both "
        "use it.",
    )
    lora: LoRA | None = Field(
        None,
        description="These settings turn on low-rank adaptation: only small added matrices are "
        "trained. With null, all weights of the encoder are trained.",
    )
    weight_decay: float = Field(0.0, ge=0, description="This is the weight decay of AdamW.")
    warmup_ratio: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="The learning rate rises from 0 to its peak during this share of the steps.",
    )
    lr_scheduler_type: Literal["linear", "cosine", "constant"] = Field(
        "linear", description="This is the course of the learning rate after the warm-up."
    )
    max_grad_norm: float | None = Field(
        1.0,
        gt=0,
        description="Gradients are clipped to this norm at each step. With null, gradients are not clipped.",
    )
    precision: Literal["float32", "bf16", "fp16"] | None = Field(
        None,
        description="The encoder is trained with numbers of this precision. With null, the key "
        "`precision` of config.yaml decides. The value `fp16`, as in SimCSE's code, needs a GPU.",
    )
    dev: DevTask | Literal["pairs"] | None = Field(
        "stsb",
        description="The dev split of this task selects the checkpoint: the step with the best dev score "
        "is kept. With `pairs`, the held-out pairs of the pair set select it, by the correlation with "
        "their labels or, without labels, by the loss. With null, the last step is kept.",
    )
    dev_every: Annotated[int, Field(ge=1)] | Literal["epoch"] = Field(
        125,
        description="This many steps lie between two dev scores, and one more score comes at the end. With "
        "`epoch`, there is one score after each epoch. If a training would have only one dev score, at "
        "its end, Contrapose does not compute it: one score selects nothing, and the last step is kept.",
    )
    early_stopping_patience: int | None = Field(
        None,
        ge=1,
        description="Training stops after this many dev scores in a row without a new best one. With "
        "null, it never stops early.",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> "EncoderRecipe":
        if self.steps is not None and self.epochs != 1:
            raise ValueError(
                f"steps is {self.steps} and epochs is {self.epochs}, but with steps, epochs have no "
                "effect. Leave epochs at 1, or set steps to null"
            )
        if self.early_stopping_patience is not None and self.dev is None:
            raise ValueError(
                "early_stopping_patience counts dev scores, but dev is null. Set dev, or remove "
                "early_stopping_patience"
            )
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

    encoder: TrainableName = Field(
        "bert-base",
        description="This is the catalog's name of the pretrained encoder.",
    )
    pooling: PlainPooling = Field(
        "avg_first_last",
        description="This is the pooling of the encoder. The kind `contrastive` explains its values.",
    )
    max_length: int = Field(
        64,
        ge=3,
        description="The longest sentence of the fit has this many word pieces. The rest is cut off.",
    )

    def passes(self, project: Plan) -> float:
        return 1


class WhiteningRecipe(_FittedRecipe):
    """The vectors of a pretrained encoder are whitened. BERT-whitening, Su et al. (2021)."""

    kind: Literal["whitening"]
    components: int | None = Field(
        None,
        ge=1,
        description="This many directions of largest variance are kept. With null, all are. The paper has "
        "256, and 384 for large encoders.",
    )


class FlowRecipe(_FittedRecipe):
    """A normalising flow is fitted to a pretrained encoder. BERT-flow, Li et al. (2020)."""

    kind: Literal["flow"]
    levels: int = Field(
        3,
        ge=1,
        description="The flow has this many levels. Half of the dimensions leave it after each level "
        "but the last.",
    )
    depth: int = Field(3, ge=1, description="Each level has this many steps.")
    width: int = Field(32, ge=1, description="The network of a step has this many hidden units.")
    learning_rate: float = Field(1e-3, gt=0, description="This is the constant learning rate of AdamW.")
    batch_size: int = Field(
        64, ge=2, description="Each step reads this many sentences. The authors have 32 pairs."
    )
    epochs: int = Field(1, ge=1, description="Training has this many epochs.")

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float | None:
        return rows and rows * sides * self.epochs


class ContrastiveTensionRecipe(SteppedRecipe):
    """Two copies of an encoder are trained on single sentences. Carlsson et al. (2021)."""

    kind: Literal["contrastive_tension"]
    encoder: TrainableName = Field(
        "bert-base", description="This is the catalog's name of the encoder that is trained."
    )
    pooling: PlainPooling = Field(
        "mean",
        description="This is the pooling of the encoder. The kind `contrastive` explains its values.",
    )
    negatives: int = Field(
        7,
        ge=1,
        description="For each pair of a sentence with itself, a batch has this many pairs of two "
        "different sentences. These are the negatives.",
    )
    batch_size: int = Field(
        16, ge=2, description="Each step reads this many pairs, a multiple of negatives + 1."
    )
    learning_rate: float = Field(
        1e-5,
        gt=0,
        description="This is the learning rate of RMSprop up to step 500. Later it is 0.8, 0.6, 0.4 and "
        "0.2 times as high.",
    )
    steps: int = Field(
        5000, ge=1, description="Training has this many steps. The authors' code has ten times 500."
    )
    max_length: int = Field(
        75, ge=3, description="The longest sentence has this many word pieces. The rest is cut off."
    )
    dev: DevTask = Field("stsb", description="The dev split of this task selects the checkpoint.")
    dev_every: int = Field(
        500,
        ge=1,
        description="This many steps lie between two dev scores, and one more score comes at the end.",
    )

    @model_validator(mode="after")
    def _whole_groups(self) -> "ContrastiveTensionRecipe":
        if self.batch_size % (self.negatives + 1):
            raise ValueError(
                f"batch_size is {self.batch_size}, but it must be a multiple of negatives + 1 = "
                f"{self.negatives + 1}"
            )
        return self

    def steps_in(self, project: Plan) -> int | None:
        return project.catalog.training.steps or self.steps

    def texts_read(self, project: Plan, rows: float | None, sides: int) -> float:
        return 2 * self.batch_size * self.steps


class AveragedRecipe(RecipeKind):
    """The weights of trained encoders are averaged with each other, or with the encoder before training."""

    kind: Literal["weight_average"]
    recipe: RecipeId = Field(
        description="This is the id of the recipe whose trainings are averaged. They are on the same pairs."
    )
    seeds: Literal["all", "each"] = Field(
        "all",
        description="With `all`, the trainings of all seeds become one encoder (uniform soup, Wortsman "
        "et al. 2022, arXiv 2203.05482). With `each`, every seed stays an encoder of its "
        "own.",
    )
    alpha: float = Field(
        1.0,
        ge=0,
        le=1,
        description="This is the weight of the trained encoder. The encoder before training has the "
        "rest. WiSE-FT (Wortsman et al. 2022, arXiv 2109.01903) recommends 0.5.",
    )
    encoder: TrainableName = Field(
        "",
        description="This is the catalog's name of the encoder before training. If it is empty, it is "
        "that of the recipe.",
    )
    resample_per_seed: bool = Field(
        False,
        description="Leave out this key. Contrapose sets it itself, for rows with `resample_per_seed`, in "
        "which each seed has pairs of its own.",
        json_schema_extra={"internal": True},  # no page of the reference has it
    )

    averages: ClassVar[bool] = True
    dev: ClassVar[None] = None
    pooling: ClassVar[PlainPooling] = "own"

    def scaled(self, project: Plan, own_id: str) -> Self:
        recipes = project.recipes.recipes
        recipe = canonical_id(self.recipe, recipes)
        if resolved(recipe, recipes).averages:
            raise ConfigError(
                f"recipe '{own_id}': its recipe '{self.recipe}' is of kind "
                "weight_average itself. Name a recipe that trains."
            )
        encoder = self.encoder or project.entry("recipes", recipe).encoder
        return self.model_copy(update={"recipe": recipe, "encoder": encoder})

    def trained(self, project: Plan) -> RecipeKind:
        return project.entry("recipes", self.recipe)

    def is_soup(self, project: Plan) -> bool:
        return self.seeds == "all"


class LengthProbe(Spec):
    """Sentences of different length are paired and lengthened by meaningless text, as in EdaCSE, Table 1."""

    tasks: list[TaskName] = Field(
        min_length=1,
        description="The pairs come from the test splits of these sets, which have one suite and one scale.",
    )
    form: TextForm = Field(
        "senteval",
        description="The pairs come from the sets of this form, which their entries in the catalog declare. "
        "`senteval` stands for tokenised texts, and `raw` for texts as released.",
    )
    positive: float = Field(
        description="A positive pair has at least this gold score, on the scale of the sets."
    )
    negative: float = Field(
        description="A negative pair has at most this gold score, on the scale of the sets."
    )
    pairs: int = Field(1000, ge=1, description="At most this many pairs of each kind are used.")
    seed: int = Field(1, ge=0, description="This seed selects the pairs and the places of the marks.")
    unit: Literal["words", "characters"] = Field(
        description="Length counts words between white space, or code points."
    )
    difference: int = Field(
        ge=1, description="The lengths of the two sentences differ by at least this much."
    )
    filler: str = Field(
        min_length=1, description="This text is added: a word, or a character if lengths are in characters."
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> "LengthProbe":
        one_suite(self.tasks)
        scales = {(TASKS[task].low, TASKS[task].high): task for task in self.tasks}
        if len(scales) > 1:
            ranges = " and ".join(f"{task} from {low:g} to {high:g}" for (low, high), task in scales.items())
            raise ValueError(f"the tasks have different scales, {ranges}. Name tasks of one scale")
        if self.negative >= self.positive:
            raise ValueError(
                f"negative is {self.negative:g}, but it must be below positive, which is {self.positive:g}"
            )
        if self.unit == "characters" and len(self.filler) > 1:
            raise ValueError(
                f"filler '{self.filler}' is longer than one character, but lengths are in characters"
            )
        if len(self.filler.split()) != 1:
            raise ValueError(f"filler '{self.filler}' is not one word")
        return self
