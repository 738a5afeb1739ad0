"""`config/recipes.yaml`: corpora, pair sets and training recipes that studies share by name."""

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from contrapose.errors import unknown
from contrapose.pairs.kinds import PairSet
from contrapose.refs import Ref, Size, TrainableName, references
from contrapose.settings.corpora import Corpus, Rewrites, SyntheticTexts
from contrapose.settings.spec import Name, PlainPooler, Spec, TextForm, by_kind
from contrapose.tasks import TASKS, DevTask, Task

LossName = Literal["info_nce", "cosine_error"]
Ranking = Literal["listmle", "listmle_mean", "listnet"]


class Recipe(Spec):
    """How an encoder is trained. The defaults are SimCSE's for unsupervised BERT-base."""

    kind: Literal["contrastive"] = "contrastive"
    encoder: TrainableName = Field("bert-base", description="Role in the world")
    loss: LossName = Field(
        "info_nce",
        description="info_nce takes the other pairs of a batch for negatives; cosine_error is the mean of "
        "weight x (cosine - label)^2, of pairs with labels",
    )
    temperature: float = Field(0.05, gt=0, description="Cosines are divided by it")
    view_weight: float = Field(1.0, ge=0, description="Of the loss of views after the first: EdaCSE's lambda")
    batch_size: int = Field(64, ge=2, description="Pairs per step")
    learning_rate: float = Field(3e-5, gt=0, description="Peak of the schedule")
    epochs: int = Field(1, ge=1)
    steps: int | None = Field(
        None, ge=1, description="Of the optimiser, in as many epochs as it takes; null: as epochs says"
    )
    max_length: int = Field(32, ge=3, description="Word pieces per sentence, the rest is cut off")
    dropout: float | None = Field(None, ge=0, lt=1, description="Hidden and attention; null: the encoder's")
    pooler: Literal["cls", "cls_before_pooler", "avg", "avg_top2", "avg_first_last"] = "cls"
    mlp: Literal["train_only", "always"] = Field("train_only", description="MLP head of the cls pooler")
    weight_decay: float = Field(0.0, ge=0)
    warmup: float = Field(0.0, ge=0, lt=1, description="Share of the steps with a rising learning rate")
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    clip: float | None = Field(
        1.0, gt=0, description="Largest gradient norm; null: gradients are not clipped"
    )
    precision: Literal["float32", "bf16", "fp16"] | None = Field(
        None, description="Of training; null: the config's. fp16, as SimCSE's code trains, needs a GPU"
    )
    dev: DevTask | Literal["pairs"] = Field(
        "stsb",
        description="Whose dev split selects the checkpoint; pairs: the pair set's own dev pairs, by the "
        "correlation with their labels or, without labels, by the loss",
    )
    dev_every: Annotated[int, Field(ge=1)] | Literal["epoch"] = Field(
        125, description="Steps between dev scores; one more at the end. epoch: one after each"
    )
    patience: int | None = Field(
        None, ge=1, description="Dev scores in a row that are not the best so far after which training ends"
    )
    teacher: TrainableName | None = Field(
        None, description="Role of the encoder whose rankings are distilled. RankCSE"
    )
    consistency: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking consistency of two views")
    distillation: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking distillation")
    teacher_temperature: float = Field(0.05, gt=0, description="The teacher's cosines are divided by it")
    ranking: Ranking = Field(
        "listmle", description="Loss of the distillation; listmle_mean: over the length of its list"
    )

    @model_validator(mode="after")
    def _one_length(self) -> "Recipe":
        if self.steps is not None and self.epochs != 1:
            raise ValueError(
                f"steps is {self.steps} and epochs is {self.epochs}: steps alone say how long training is. "
                "Leave epochs at 1, or set steps to null"
            )
        return self

    @model_validator(mode="after")
    def _a_teacher(self) -> "Recipe":
        if (self.teacher is None) != (self.distillation == 0):
            raise ValueError("set both teacher and distillation, or neither")
        return self

    @model_validator(mode="after")
    def _ranked(self) -> "Recipe":
        if self.ranks and self.loss != "info_nce":
            raise ValueError(
                f"consistency and distillation rank a batch, and loss is {self.loss}: use info_nce"
            )
        return self

    @property
    def ranks(self) -> bool:
        """Whether RankCSE's terms are added to the loss."""
        return self.consistency > 0 or self.distillation > 0

    @property
    def selects_by_loss(self) -> bool:
        """Whether the loss on dev pairs selects the checkpoint; else it is a correlation."""
        return self.dev == "pairs" and self.loss == "info_nce"


class WhiteningRecipe(Spec):
    """How the vectors of a pretrained encoder are whitened. BERT-whitening, Su et al. (2021)."""

    kind: Literal["whitening"]
    encoder: TrainableName = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg_first_last"
    components: int | None = Field(
        None, ge=1, description="Directions kept, widest first; null: all. The paper's: 256, 384 of a large"
    )
    max_length: int = Field(64, ge=3, description="Word pieces per sentence of the fit, the rest is cut off")


class FlowRecipe(Spec):
    """How a normalising flow is put on a pretrained encoder. BERT-flow, Li et al. (2020)."""

    kind: Literal["flow"]
    encoder: TrainableName = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg_first_last"
    levels: int = Field(3, ge=1, description="Half of the dimensions are done after each but the last")
    depth: int = Field(3, ge=1, description="Steps per level")
    width: int = Field(32, ge=1, description="Hidden units of a step's network")
    learning_rate: float = Field(1e-3, gt=0, description="Of AdamW, the same in every step")
    batch_size: int = Field(64, ge=2, description="Sentences per step; the authors': 32 pairs")
    epochs: int = Field(1, ge=1)
    max_length: int = Field(64, ge=3, description="Word pieces per sentence of the fit, the rest is cut off")


class ContrastiveTensionRecipe(Spec):
    """How two copies of an encoder are trained on single sentences. Carlsson et al. (2021)."""

    kind: Literal["contrastive_tension"]
    encoder: TrainableName = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg"
    negatives: int = Field(7, ge=1, description="Pairs of different sentences for each of one with itself")
    batch_size: int = Field(16, ge=2, description="Pairs per step, a multiple of negatives + 1")
    learning_rate: float = Field(
        1e-5, gt=0, description="Of RMSprop up to step 500; then 0.8, 0.6, 0.4 and 0.2 of it"
    )
    steps: int = Field(5000, ge=1, description="Of the optimiser: ten times 500 in the authors' code")
    max_length: int = Field(75, ge=3, description="Word pieces per sentence, the rest is cut off")
    dev: DevTask = Field("stsb", description="Whose dev split selects the checkpoint")
    dev_every: int = Field(500, ge=1, description="Steps between dev scores; one more at the end")

    @model_validator(mode="after")
    def _whole_groups(self) -> "ContrastiveTensionRecipe":
        if self.batch_size % (self.negatives + 1):
            raise ValueError(
                f"batch_size is {self.batch_size}, but must be a multiple of negatives + 1 = "
                f"{self.negatives + 1}"
            )
        return self


AnyRecipe = Annotated[
    Annotated[Recipe, Tag("contrastive")]
    | Annotated[WhiteningRecipe, Tag("whitening")]
    | Annotated[FlowRecipe, Tag("flow")]
    | Annotated[ContrastiveTensionRecipe, Tag("contrastive_tension")],
    by_kind("contrastive"),
]


class Identifier(Spec):
    """How a classifier learns to tell machine from human texts. RISE, section 3."""

    encoder: TrainableName = Field("bert-base", description="Role in the world")
    learning_rate: float = Field(1e-5, gt=0, description="Peak, after a tenth of the steps; then linear to 0")
    batch_size: int = Field(32, ge=2, description="Texts per step")
    epochs: int = Field(5, ge=1, description="The one of the lowest loss on held-out texts is kept")
    max_length: int = Field(128, ge=3, description="Word pieces per text, the rest is cut off")
    clip: float | None = Field(
        None, gt=0, description="Largest gradient norm; null: not clipped, as in the authors' code"
    )
    seed: int = Field(42, ge=0, description="Of the new layer, dropout, the order of texts and the folds")
    folds: int = Field(
        1,
        ge=1,
        description="1: a text may be judged by a classifier that has read it; more: never, cross-fitting",
    )
    dropout: Literal["every_epoch", "first_epoch"] = Field(
        "every_epoch", description="first_epoch: as the authors' code, which never turns it on again"
    )
    padding: Literal["masked", "attended"] = Field(
        "masked", description="attended: as the authors' code, whose texts see the padding behind them"
    )


class FineTuning(Spec):
    """How an encoder learns to judge pairs, both in one input. PPDB-CSE, section 4.2."""

    learning_rate: float = Field(5e-5, gt=0, description="Peak of the schedule")
    batch_size: int = Field(64, ge=2, description="Pairs per step")
    epochs: int = Field(20, ge=1, description="At most; the one of the lowest dev loss is kept")
    patience: int = Field(3, ge=1, description="Epochs without a lower dev loss after which training ends")
    max_length: int = Field(128, ge=3, description="Word pieces of both sentences, the rest is cut off")
    long_max_length: int = Field(256, ge=3, description="The same for product retrieval")
    warmup: float = Field(0.1, ge=0, lt=1, description="Share of the steps with a rising learning rate")
    schedule: Literal["linear", "cosine", "constant"] = "constant"
    weight_decay: float = Field(0.0, ge=0)
    clip: float | None = Field(
        1.0, gt=0, description="Largest gradient norm; null: gradients are not clipped"
    )
    bert_pooler: Literal["new", "kept"] = Field(
        "new",
        description="BERT's dense layer between [CLS] and the new output layer. new: drawn anew for every "
        "encoder; kept: the checkpoint's, pre-trained on the next sentence, which no run of ours has",
    )
    train_pairs: Size | None = Field(
        None, description="Name of a size in the world: most training pairs of a task; null: all"
    )


class LengthProbe(Spec):
    """Pairs of sentences of different length, lengthened by what means nothing. After EdaCSE, Table 1."""

    tasks: list[Annotated[Task, Ref("tasks")]] = Field(
        min_length=1, description="Sets of one suite and one scale; their test splits"
    )
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    positive: float = Field(description="Lowest gold score of a positive pair, on the sets' own scale")
    negative: float = Field(description="Highest gold score of a negative pair")
    pairs: int = Field(1000, ge=1, description="Pairs wanted of each kind; where there are fewer, all")
    seed: int = Field(1, ge=0, description="Which pairs, and where marks are put")
    unit: Literal["words", "characters"] = Field(description="Of length: between white space, or code points")
    difference: int = Field(ge=1, description="Pairs differ in length by so much or more")
    filler: str = Field(min_length=1, description="A word, or a character if lengths are in characters")

    @model_validator(mode="after")
    def _one_scale(self) -> "LengthProbe":
        if len({(TASKS[task].suite, TASKS[task].low, TASKS[task].high) for task in self.tasks}) > 1:
            raise ValueError("tasks of several suites or scales; gold scores are compared with one number")
        if self.negative >= self.positive:
            raise ValueError(f"negative is {self.negative:g}, it has to be below positive, {self.positive:g}")
        return self

    @model_validator(mode="after")
    def _one_unit(self) -> "LengthProbe":
        if self.unit == "characters" and len(self.filler) > 1:
            raise ValueError(f"filler '{self.filler}' is longer than a character, the unit of length")
        if len(self.filler.split()) != 1:
            raise ValueError(f"filler '{self.filler}' is not one word")
        return self


SECTIONS = ("synthetic", "rewrites", "pairs")  # whose entries name entries of other sections


class Recipes(Spec):
    """`config/recipes.yaml`: what studies share by name."""

    corpora: dict[Name, Corpus]
    synthetic: dict[Name, SyntheticTexts] = Field(
        {}, description="Texts that language models write for a corpus by instruction"
    )
    rewrites: dict[Name, Rewrites] = Field(
        {}, description="Sentences of a corpus with phrases of a dictionary in them"
    )
    identifiers: dict[Name, Identifier] = Field({}, description="Classifiers of machine and human texts")
    fine_tunings: dict[Name, FineTuning] = Field({}, description="How encoders are fine-tuned")
    pairs: dict[Name, PairSet]
    recipes: dict[Name, AnyRecipe]
    probes: dict[Name, LengthProbe] = Field({}, description="Pairs on which length bias is measured")

    @model_validator(mode="after")
    def _known_names(self) -> "Recipes":
        """What an entry names is another entry of the file, also where no study asks for it."""
        for section in SECTIONS:
            for name, entry in getattr(self, section).items():
                for key, ref, wanted in references(entry):
                    known = getattr(self, ref.registry, None)
                    if known is not None and wanted not in known:
                        raise ValueError(f"{section}.{name}.{key}: {unknown(ref.registry, wanted, known)}")
        return self
