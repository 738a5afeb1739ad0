"""An encoder of sentences: a transformer, a pooling and what its folder declares after that."""

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import computed
from contrapose.models.declared import Declared, declared
from contrapose.models.devices import chosen_device, chosen_precision, computing_in, on_device
from contrapose.models.dropout_rates import added_dropout, has_dropout
from contrapose.models.folders import (
    base_of,
    length_limit,
    model_folder,
    position_limit,
    transformer_folder,
)
from contrapose.models.heads import MLP_STD, fresh_mlp, head_of, output_size, trained_mlp
from contrapose.models.packed import (
    embeddings_of,
    in_pieces,
    packed_vectors,
    runs_packed,
    words_looked_up_once,
)
from contrapose.models.poolers import pooled
from contrapose.models.pooling import POOLINGS, Pooling
from contrapose.models.tokens import Tokens, tokenised, without_first
from contrapose.models.transformer import Adapter, base_config, load_transformer, new_adapter
from contrapose.settings.catalogs import Prompts
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.recipes import EncoderRecipe
from contrapose.settings.spec import PoolingName

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)


class SentenceEncoder(nn.Module):
    """A transformer of `transformers`, a pooling and a head: modules after it, of which most have none.

    `form`: what its folder declares, with the pooling that it has here.
    `head`: modules of which each maps (B, D) to (B, D'); those of `form` if not given.
    `projector`: the same, between pooling and head, in training alone: SimCSE's MLP.
    `prompts`: text before sentences, by default those of `form`.  At evaluation every sentence gets that of
        queries.
    `adapter`: LoRA matrices in `model`, whose own weights are frozen.
    `unused`: parts of the checkpoint that no vector needs, by name, which are saved with it again.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        form: Declared,
        head: list[nn.Module] | None = None,
        projector: nn.Module | None = None,
        prompts: Prompts | None = None,
        adapter: Adapter | None = None,
        unused: dict[str, nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.model: PreTrainedModel = model
        self.tokenizer = tokenizer
        self.padding_side = tokenizer.padding_side  # as it is saved again
        self.tokenizer.padding_side = "right"  # position 0 must be the first token
        self.form = form
        self.head = nn.Sequential(*(head_of(form, pooled_size(form, model)) if head is None else head))
        self.projector = projector
        self.precision = torch.float32  # of evaluation; training sets its own
        self.prompts = form.prompts if prompts is None else prompts
        self.adapter = adapter
        self.unused = unused or {}  # in a dict, so that they are no weights of this module
        self.note = ""  # what readers of its scores have to know
        self.packed = runs_packed(model)
        kind = model.config.model_type
        if not self.packed:
            logger.info("encoders of type %s run with padding", kind)
        self.positions = position_limit(model)
        declared_limit = form.max_length or length_limit(model, tokenizer)
        self.max_length = min(self.positions, declared_limit)
        self._check_sizes()
        if tokenizer.pad_token_id is None:
            raise ConfigError(
                f"the tokenizer of an encoder of type {kind} has no padding token. Set one and save "
                "the tokenizer: tokenizer.pad_token = tokenizer.eos_token; "
                "tokenizer.save_pretrained(FOLDER)."
            )

    def _check_sizes(self) -> None:
        rows, tokens = self.model.get_input_embeddings().weight.shape[0], len(self.tokenizer)
        last = max(self.tokenizer.get_vocab().values(), default=0)
        if last >= rows:
            raise ConfigError(
                f"encoder '{self.form.folder}': its tokenizer has {tokens} tokens with ids up to "
                f"{last}, but the model has {rows} embeddings. Save the tokenizer and the model of "
                f"the same encoder together, or call model.resize_token_embeddings({last + 1}) and "
                "save the model."
            )

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    @property
    def pooler(self) -> str:
        """The name of its pooling."""
        return self.form.pooling.name

    def forward(self, batch: Tokens, recompute: bool = False) -> Tensor:
        """Return the vectors of a batch of sentences, (B, D), of length 1 only if the head normalises.

        The sentences are run in pieces of about equal lengths, which affects the vectors only by rounding
        and by the dropout masks.  `recompute` saves memory in training, see `packed_vectors`.
        """
        if self.training or self.precision == torch.float32:
            return self._vectors(batch, recompute)
        with computing_in(self.precision, self.device):
            return self._vectors(batch, recompute).float()

    def _vectors(self, batch: Tokens, recompute: bool) -> Tensor:
        computed(self.model, len(batch.ids))
        if self.packed:
            vectors = packed_vectors(self.model, batch, self.form.pooling, recompute)
        else:
            ids = np.append(batch.ids, self.tokenizer.pad_token_id)
            run = words_looked_up_once(self._padded_vectors, self.model, ids)
            vectors = in_pieces(run, batch, self.device, recompute)
        if self.training and self.projector is not None:
            vectors = self.projector(vectors)
        return self.head(vectors)

    def _padded_vectors(self, batch: Tokens) -> Tensor:
        """Run sentences through the model's own forward pass: (b, H)."""
        ids, mask = batch.padded(self.tokenizer.pad_token_id)
        inputs = {"input_ids": ids, "attention_mask": mask}
        if self._segments is not None:
            inputs["token_type_ids"] = self._segments[ids]
        every = self.form.pooling.needs == "all"
        given = {name: on_device(each, self.device) for name, each in inputs.items()}
        with self._cut_off(batch.columns):
            output = self.model(**given, output_hidden_states=every)
        hidden = output.hidden_states if every else (output.last_hidden_state,)
        counting = given["attention_mask"]
        if batch.skipped is not None:
            counting = on_device(without_first(mask, batch.skipped), self.device)
        return pooled(self.form.pooling, hidden, counting)

    @cached_property
    def _segments(self) -> np.ndarray | None:
        """The segment number of every token id, int64, where the tokenizer has others than 0; else None.

        XLNet's tokenizer has them.  In a text alone they are of special tokens, whatever the text is.
        """
        encoded = self.tokenizer("a")
        kinds = dict(zip(encoded["input_ids"], encoded.get("token_type_ids", ()), strict=False))
        if not any(kinds.values()):
            return None
        numbers = np.zeros(1 + max(self.tokenizer.get_vocab().values()), np.int64)
        numbers[[*kinds]] = [*kinds.values()]
        return numbers

    def _cut_off(self, columns: np.ndarray | None) -> AbstractContextManager:
        """Set columns of what the model's embeddings give to 0, meanwhile: see `Tokens.columns`."""
        if columns is None:
            return nullcontext()
        kept = on_device(columns, self.device).unsqueeze(1)  # (b, 1, E)
        embeddings = embeddings_of(self.model)
        assert embeddings is not None  # such columns are refused without them
        return embeddings.register_forward_hook(lambda _, inputs, embedded: embedded * kept)

    @property
    def dimensions(self) -> int:
        """Dimensions of its vectors."""
        return output_size(pooled_size(self.form, self.model), self.head)

    @property
    def prompt(self) -> str:
        return self.prompts.query

    def skipped(self, prompt: str) -> int:
        """Return how many of the first tokens of a text with a prompt its pooling leaves out.

        As in sentence-transformers: those of the prompt alone but for a special token at its end.
        """
        if self.form.pooling.include_prompt or not prompt:
            return 0
        ids = self.tokenizer(prompt, truncation=True, max_length=self.max_length)["input_ids"]
        return len(ids) - (ids[-1] in self.tokenizer.all_special_ids)

    def tokenised(self, texts: Sequence[str], max_length: int) -> Tokens:
        """Tokenise texts after the prompt, truncated to `max_length`, or to the encoder's own limit."""
        prompted, most = [self.prompt + text for text in texts], min(max_length, self.max_length)
        return tokenised(prompted, self.tokenizer, most, self.skipped(self.prompt))

    def check(
        self, max_length: int, query_length: int | None = None, cut_to: Sequence[int] | None = None
    ) -> None:
        """Raise a ConfigError if a recipe asks for longer texts or more dimensions than the encoder has.

        Texts longer than what its folder declares are cut to that.
        """
        query = ("query_length", query_length) if query_length else ("max_length", max_length)
        for side, (key, length) in {"document": ("max_length", max_length), "query": query}.items():
            if length > self.positions:
                raise ConfigError(
                    f"recipe: {key} is {length}, but the encoder takes at most {self.positions} tokens. "
                    f"Lower {key}."
                )
            prompt, length = getattr(self.prompts, side), min(length, self.max_length)
            if prompt and (tokens := len(self.tokenizer(prompt)["input_ids"])) >= length:
                raise ConfigError(
                    f"recipe: {key} is {length}, but the prompt {prompt!r} already has {tokens} "
                    f"tokens. Raise {key}, or shorten the prompt."
                )
        if cut_to and max(cut_to) > self.dimensions:
            raise ConfigError(
                f"recipe: matryoshka is {cut_to}, but the vectors have {self.dimensions} dimensions. Name "
                "smaller sizes."
            )


def pooled_size(form: Declared, model: "PreTrainedModel") -> int:
    """Return the dimensions of what a pooling gives."""
    return len(form.pooling.modes) * int(model.config.hidden_size)


def load_encoder(
    source: str | Path,
    revision: str | None = None,
    pooling: PoolingName | Pooling = "auto",
    prompts: Prompts | None = None,
) -> SentenceEncoder:
    """Load an encoder for evaluation, in evaluation mode, on the CPU.

    `source` is a folder, or a name on the hub if there is a `revision`, a commit.  `pooling` auto is what the
    folder declares, see `declared`.  Another one takes its place and that of what is after it, but for
    normalisation; `cls` needs the dense layer of the checkpoint.  `prompts`, if given, take the place of
    those that the folder declares.

    Raises ConfigError or BackendError as `model_folder`, `declared`, `trained_mlp`, `base_of`; a ConfigError,
    too, if parts of the folder do not fit each other.
    """
    folder = model_folder(source, revision)
    form, mlp = _declared(folder), []
    if pooling == "cls":
        form, mlp = form.pooled_by(POOLINGS["cls"], own_head=False), [trained_mlp(form.transformer)]
    elif pooling != "auto":
        form = form.pooled_by(pooling if isinstance(pooling, Pooling) else POOLINGS[pooling])
    model, tokenizer, unused = load_transformer(folder)
    if pooling in POOLINGS:
        _need_first_token(form, model, tokenizer)
    head = [*mlp, *head_of(form, pooled_size(form, model))]
    return SentenceEncoder(model, tokenizer, form, head, prompts=prompts, unused=unused).eval()


def check_encoder(source: str | Path) -> Declared:
    """Return what an encoder's folder declares, once all parts of it have been held against each other.

    The weights are not read, and take no memory.  Raises as `load_encoder`.
    """
    folder = model_folder(source)
    form = _declared(folder)
    model, tokenizer, unused = load_transformer(folder, device="meta")
    SentenceEncoder(model, tokenizer, form, unused=unused)
    return form


def encoder_of(job: EncoderSettings, folder: str, device: str) -> SentenceEncoder:
    """Load the encoder of a job, from its folder or the hub, in evaluation mode, on `device`."""
    source, revision = job.source(folder)
    encoder = load_encoder(source, revision, job.pooling, job.prompts).to(chosen_device(device))
    encoder.precision = chosen_precision(job.precision, encoder.device, of_encoder=True)
    return encoder


def new_encoder(
    source: str | Path,
    recipe: EncoderRecipe,
    seed: int,
    revision: str | None = None,
    prompts: Prompts | None = None,
) -> SentenceEncoder:
    """Load a pre-trained encoder, as `load_encoder`, to train it by a recipe, in training mode, on the CPU.

    With the recipe's pooling `own` it makes vectors as its folder declares, and what stands after its pooling
    is trained, too.  The pooling `cls` gets a fresh MLP head.  The weights of the MLP and of LoRA follow from
    `seed`, that of the run, alone.  If neither recipe nor encoder sets a dropout, it is that of DROPOUTS, and
    the encoder's `note` says so, or that there is none.
    """
    folder = model_folder(source, revision)
    form = _declared(folder)
    if recipe.pooling != "own":
        form = form.pooled_by(POOLINGS[recipe.pooling], own_head=recipe.pooling != "cls")
    added = added_dropout(base_config(folder)) if recipe.dropout is None else None
    model, tokenizer, unused = load_transformer(folder, added or recipe.dropout)
    if recipe.pooling != "own":
        _need_first_token(form, model, tokenizer)
    adapter = new_adapter(model, recipe.lora, seed, source, revision) if recipe.lora else None
    head, mlp = head_of(form, pooled_size(form, model)), None
    if recipe.pooling == "cls":
        std = getattr(model.config, "initializer_range", MLP_STD)
        mlp = fresh_mlp(model.config.hidden_size, std, seed)
        head, mlp = ([mlp, *head], None) if recipe.mlp == "always" else (head, mlp)
    encoder = SentenceEncoder(model, tokenizer, form, head, mlp, prompts, adapter, unused)
    if added:
        encoder.note = f"trained with a dropout of {added:g}, because the encoder itself has a dropout of 0"
    elif recipe.dropout is None and not has_dropout(model):
        encoder.note = (
            "trained without dropout, because the encoder has no place for it, so equal texts have "
            "equal vectors"
        )
    if encoder.note:
        logger.warning(encoder.note)
    return encoder.train()


def _declared(folder: Path) -> Declared:
    base = base_of(folder)
    return declared(folder, transformer_folder(model_folder(*base)) if base else None)


def _need_first_token(form: Declared, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
    """Refuse to pool by [CLS], where nothing but a setting says so, in an encoder that has none."""
    if form.pooling.needs == "first" and tokenizer.cls_token_id is None:
        raise ConfigError(
            f"an encoder of type {model.config.model_type} has no [CLS] token, which pooling "
            f"'{form.pooling.name}' needs. Use mean, or lasttoken for a decoder."
        )
