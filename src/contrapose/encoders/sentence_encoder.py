"""An encoder of sentences: a transformer, a pooler and perhaps a head."""

import inspect
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.modeling_auto import MODEL_MAPPING

from contrapose.encoders.devices import chosen_device, chosen_precision, computing_in, on_device
from contrapose.encoders.dropout_rates import added_dropout, has_dropout, set_dropout
from contrapose.encoders.export import save_modules
from contrapose.encoders.folders import (
    OwnPooling,
    base_of,
    check_layers,
    model_folder,
    own_pooling,
    own_prompts,
    position_limit,
    trained_mlp,
)
from contrapose.encoders.linear import with_fast_layers
from contrapose.encoders.poolers import ALL_LAYERS, FIRST_TOKEN, MLP_STD, POOLERS, Pooler, fresh_mlp
from contrapose.encoders.tokens import Tokens
from contrapose.encoders.unpadded import in_pieces, runs_unpadded, unpadded_vectors
from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.recipes import EncoderRecipe, LoRA
from contrapose.settings.spec import Pooling
from contrapose.settings.worlds import Prompts
from contrapose.tables import written
from contrapose.timing import computed

logger = logging.getLogger(__name__)

LOCAL = {"local_files_only": True, "trust_remote_code": False}  # only local folders, and never run their code


class Adapter(NamedTuple):
    """The adapter of a model that is trained."""

    layers: Any  # PeftModel
    merge: bool  # into the weights of the model, before it is saved


class SentenceEncoder(nn.Module):
    """A transformer of `transformers`, a pooler and an optional head.

    `train()` and `eval()` switch the dropout and, if `head_at_evaluation` is False, the head, such as
    SimCSE's MLP that is used in training only.

    `pooler`: a name in POOLERS.
    `head`: modules of which each maps (B, D) to (B, D').
    `max_length`: maximum tokens at evaluation, special tokens included; the model's limit if not given.
    `prompts`: text before sentences.  At evaluation every sentence gets that of queries.
    `adapter`: LoRA matrices in `model`, whose own weights are frozen.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        pooler: str,
        head: list[nn.Module] | None = None,
        head_at_evaluation: bool = True,
        max_length: int | None = None,
        prompts: Prompts | None = None,
        adapter: Adapter | None = None,
    ) -> None:
        super().__init__()
        self.model: Any = model
        self.tokenizer = tokenizer
        self.tokenizer.padding_side = "right"  # position 0 must be the first token
        self.pooler = pooler
        self.head = nn.Sequential(*(head or []))
        self.head_at_evaluation = head_at_evaluation
        self.precision = torch.float32  # of evaluation; training sets its own
        self.prompts = prompts or Prompts()
        self.adapter = adapter
        self.note = ""  # what readers of its scores have to know
        self.unpadded = runs_unpadded(model) and adapter is None
        kind = model.config.model_type
        if not self.unpadded:
            logger.info("type %s runs with padding: only types like BERT and RoBERTa run without", kind)
        limit = position_limit(model, tokenizer)
        self.max_length = min(limit, max_length) if max_length else limit
        if pooler in FIRST_TOKEN and tokenizer.cls_token_id is None:
            raise ConfigError(
                f"an encoder of type {kind} has no [CLS] token for pooling '{pooler}'. Use avg, or last "
                "for a decoder."
            )
        if tokenizer.pad_token_id is None:
            raise ConfigError(
                f"the tokenizer of an encoder of type {kind} has no padding token. Give it one and save it: "
                "tokenizer.pad_token = tokenizer.eos_token; tokenizer.save_pretrained(FOLDER)."
            )

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def forward(self, batch: Tokens, recompute: bool = False) -> Tensor:
        """Return the vectors of a batch of sentences, (B, D), of length 1 only if the head normalises.

        The sentences are run in pieces of about equal lengths, which affects the vectors only by rounding
        and by the dropout masks.  `recompute` saves memory in training, see `unpadded_vectors`.
        """
        if self.training or self.precision == torch.float32:
            return self._vectors(batch, recompute)
        with computing_in(self.precision, self.device):
            return self._vectors(batch, recompute).float()

    def _vectors(self, batch: Tokens, recompute: bool) -> Tensor:
        computed(self.model, len(batch.ids))
        if self.unpadded:
            vectors = unpadded_vectors(self.model, batch, self.pool, self.layers, recompute)
        else:
            vectors = in_pieces(self._padded_vectors, batch, self.device, recompute)
        return self.head(vectors) if self.training or self.head_at_evaluation else vectors

    def _padded_vectors(self, batch: Tokens) -> Tensor:
        """Run sentences through the model's own forward pass: (b, H)."""
        ids, mask = (on_device(each, self.device) for each in batch.padded(self.tokenizer.pad_token_id))
        every = self.pooler in ALL_LAYERS
        with self._cut_off(batch.columns):
            output = self.model(input_ids=ids, attention_mask=mask, output_hidden_states=every)
        hidden = output.hidden_states if every else (output.last_hidden_state,)
        return self.pool(hidden, mask)

    def _cut_off(self, columns: np.ndarray | None) -> Any:
        """Set columns of what the model's embeddings give to 0, meanwhile: see `Tokens.columns`."""
        if columns is None:
            return nullcontext()
        kept = on_device(columns, self.device).unsqueeze(1)  # (b, 1, E)
        return self.embeddings.register_forward_hook(lambda _, inputs, embedded: embedded * kept)

    @property
    def embeddings(self) -> Any:
        """The module whose output, (b, T, E), goes into the first layer; None if there is no single one."""
        return getattr(self.model, "embeddings", getattr(self.model, "embed_tokens", None))

    @property
    def pool(self) -> Pooler:
        return POOLERS[self.pooler]

    @property
    def layers(self) -> str:
        """The layers that the pooler needs, see `unpadded_vectors`."""
        return "all" if self.pooler in ALL_LAYERS else "first" if self.pooler in FIRST_TOKEN else "last"

    @property
    def dimensions(self) -> int:
        """Dimensions of the model's vectors, before a head."""
        return int(self.model.config.hidden_size)

    @property
    def prompt(self) -> str:
        return self.prompts.query

    def check(
        self, max_length: int, query_length: int | None = None, cut_to: Sequence[int] | None = None
    ) -> None:
        """Raise a ConfigError if a recipe asks for longer texts or more dimensions than the encoder has."""
        query = ("query_length", query_length) if query_length else ("max_length", max_length)
        for side, (key, length) in {"document": ("max_length", max_length), "query": query}.items():
            if length > self.max_length:
                raise ConfigError(f"recipe: {key} is {length}, the encoder takes {self.max_length} at most.")
            prompt = getattr(self.prompts, side)
            if prompt and (tokens := len(self.tokenizer(prompt)["input_ids"])) >= length:
                raise ConfigError(
                    f"recipe: {key} is {length}, but the prompt {prompt!r} alone has {tokens} tokens. Raise "
                    f"{key}, or shorten the prompt."
                )
        if cut_to and max(cut_to) > self.dimensions:
            raise ConfigError(f"recipe: matryoshka is {cut_to}, vectors have {self.dimensions} dimensions.")

    def save(self, folder: str | Path, card: str = "") -> None:
        """Write a folder that transformers and sentence-transformers load, for the vectors of evaluation.

        Float32 weights as safetensors; equal encoders give equal bytes.  A head used in training only is
        left out.  An adapter is merged into the weights, or saved alone with the name of its base.  `card` is
        the text of README.md; if empty, none is written.
        """
        if self.adapter and self.adapter.merge:
            self.model = self.adapter.layers.merge_and_unload()
            self.adapter, self.unpadded = None, runs_unpadded(self.model)
        tokenizer = self.tokenizer
        if tokenizer.is_fast:  # else the padding and truncation of its last call are saved
            tokenizer.backend_tokenizer.no_padding()
            tokenizer.backend_tokenizer.no_truncation()
        with written(folder) as draft:
            draft.mkdir()
            (self.adapter.layers if self.adapter else self.model).save_pretrained(draft)
            tokenizer.save_pretrained(draft)
            head = list(self.head) if self.head_at_evaluation else []
            save_modules(draft, self.pooler, head, self.model.config, self.max_length, self.prompts)
            if card:
                (draft / "README.md").write_text(card, encoding="utf-8")


def load_encoder(
    source: str | Path,
    revision: str | None = None,
    pooling: Pooling = "auto",
    prompts: Prompts | None = None,
) -> SentenceEncoder:
    """Load an encoder for evaluation, in evaluation mode, on the CPU.

    `source` is a folder, or a name on the hub if there is a `revision`, a commit.  `pooling` auto is what the
    folder declares: the modules of sentence-transformers, else [CLS] without a head.  `cls` needs the dense
    layer of the checkpoint; the others ignore what the folder declares, as `prompts` do, if given.

    Raises ConfigError or BackendError as `model_folder`, `own_pooling`, `own_prompts`, `trained_mlp`,
    `base_of`.
    """
    folder = model_folder(source, revision)
    if pooling == "auto":
        pool = own_pooling(folder)
    else:
        pool = OwnPooling(pooling, [trained_mlp(folder)] if pooling == "cls" else [])
    model, tokenizer = _transformer(folder)
    prompts = prompts or own_prompts(folder)
    return SentenceEncoder(model, tokenizer, pool.pooler, pool.head, True, pool.max_length, prompts).eval()


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

    A `cls` pooler gets a fresh MLP head; the pooling that the folder declares is ignored.  The weights of the
    MLP and of LoRA follow from `seed`, that of the run, alone.  If neither recipe nor encoder sets a dropout,
    it is that of DROPOUTS, and the encoder's `note` says so, or that there is none.
    """
    folder = model_folder(source, revision)
    added = added_dropout(_config(folder)) if recipe.dropout is None else None
    model, tokenizer = _transformer(folder, added or recipe.dropout)
    adapter = new_adapter(model, recipe.lora, seed, source, revision) if recipe.lora else None
    head: list[nn.Module] = []
    if recipe.pooler == "cls":
        std = getattr(model.config, "initializer_range", MLP_STD)
        head = [fresh_mlp(model.config.hidden_size, std, seed)]
    always, prompts = recipe.mlp == "always", prompts or own_prompts(folder)
    encoder = SentenceEncoder(model, tokenizer, recipe.pooler, head, always, None, prompts, adapter)
    if added:
        encoder.note = f"trained with a dropout of {added:g}, as the encoder's own is 0"
    elif recipe.dropout is None and not has_dropout(model):
        encoder.note = (
            "trained without dropout, for which the encoder has no place, so equal texts have equal vectors"
        )
    if encoder.note:
        logger.warning(encoder.note)
    return encoder.train()


def _config(folder: Path) -> Any:
    """Return the configuration of a model, or of the one that an adapter is for."""
    base = base_of(folder)
    return _config(model_folder(*base)) if base else read_config(folder)


def read_config(folder: Path, what: str = "encoder") -> Any:
    """Return the configuration of a model folder; `what` describes the model in the ConfigError."""
    check_layers(folder, what)
    try:
        return AutoConfig.from_pretrained(folder, **LOCAL)
    except Exception as error:  # the type depends on the library that rejects the value
        raise ConfigError(f"{what} '{folder}': its config.json is not usable: {error}") from error


def _transformer(folder: Path, dropout: float | None = None) -> tuple[Any, Any]:
    """Load model and tokenizer, without the checkpoint's pooling layer; an adapter is merged."""
    if base := base_of(folder):
        model, tokenizer = _transformer(model_folder(*base), dropout)
        return with_adapter(model, folder), tokenizer
    config = read_config(folder)
    if type(config) not in MODEL_MAPPING or getattr(config, "is_encoder_decoder", False):
        raise ConfigError(
            f"encoder '{folder}' is of type {config.model_type}, which is not an encoder. Use one like BERT."
        )
    if dropout is not None:
        set_dropout(config, dropout, folder)
    parameters = inspect.signature(MODEL_MAPPING[type(config)].__init__).parameters
    options: dict[str, Any] = {"add_pooling_layer": False} if "add_pooling_layer" in parameters else {}
    return model_and_tokenizer(AutoModel, folder, config, **options)


def model_and_tokenizer(
    auto: Any, folder: Path, config: Any, what: str = "encoder", new_head: bool = False, **options: Any
) -> tuple[Any, Any]:
    """Load a model from safetensors, as float32 whatever the file holds, and its tokenizer.

    `auto` is an auto class of `transformers`; `what` describes the model in the ConfigError if something is
    missing or not usable.  With `new_head`, layers on top of the encoder, its pooling layer included, may be
    missing; they are then initialised from PyTorch's random number generator.
    """
    try:
        how = {"dtype": torch.float32, "use_safetensors": True, "output_loading_info": True, **LOCAL}
        model, loaded = auto.from_pretrained(folder, config=config, **how, **options)
        tokenizer = AutoTokenizer.from_pretrained(folder, **LOCAL)
    except Exception as error:  # as for the configuration
        raise ConfigError(f"{what} '{folder}' is not usable: {error}") from error
    vocabularies = sorted({*tokenizer.vocab_files_names.values(), "tokenizer.json"})
    if not any((folder / name).is_file() for name in vocabularies):
        # transformers would continue with a tokenizer that knows no words.
        raise ConfigError(
            f"{what} '{folder}' has no tokenizer: none of {', '.join(vocabularies)}. Save the "
            "tokenizer there with save_pretrained."
        )
    prefix = f"{model.base_model_prefix}."
    missing = sorted(
        name
        for name in loaded["missing_keys"]
        if not new_head or (name.startswith(prefix) and not name.startswith(f"{prefix}pooler."))
    )
    if missing:
        raise ConfigError(
            f"{what} '{folder}': the weights lack {len(missing)} tensors of a {config.model_type} model, "
            f"the first is {missing[0]}. Save the folder again from the whole model."
        )
    return with_fast_layers(model), tokenizer


def new_adapter(model: Any, lora: LoRA, seed: int, source: str | Path, revision: str | None) -> Adapter:
    """Put fresh matrices beside the linear layers of a model, and freeze its own weights.

    With peft's initial values the model's vectors are unchanged; those drawn follow from `seed` alone.  An
    adapter that is saved alone names `source` and `revision` of the model.  Raises ConfigError if no layer
    has one of the names in `targets`.
    """
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,  # type: ignore[arg-type]  # peft takes fractions, too
        lora_dropout=lora.dropout,
        target_modules=lora.targets,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("lora", seed))
        try:
            layers = get_peft_model(model, config, revision=revision)
        except ValueError as error:
            linear = [name for name, part in model.named_modules() if isinstance(part, nn.Linear)]
            kinds = sorted({name.rsplit(".", 1)[-1] for name in linear})
            raise ConfigError(
                f"recipe: lora.targets {lora.targets} fits no layer of a {model.config.model_type} model. "
                f"Its linear layers: {', '.join(kinds)}."
            ) from error
    # peft takes the name from the model, and that is a folder of the hub's cache if there is a revision.
    base = str(source) if revision else str(Path(source).resolve())
    layers.peft_config["default"].base_model_name_or_path = base
    return Adapter(layers, lora.save == "merged")


def with_adapter(model: Any, folder: Path) -> Any:
    """Return a model with a folder's adapter merged in; raise ConfigError if it does not fit the model."""
    from peft import PeftModel

    try:
        return PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
    except (RuntimeError, ValueError, KeyError) as error:
        raise ConfigError(f"encoder '{folder}': the adapter does not fit its model: {error}") from error
