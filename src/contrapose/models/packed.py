"""Models of `transformers` on texts without padding.

A third of the tokens of a padded batch of Wikipedia sentences is padding.  Here the tokens of all texts of a
piece stand in one row, texts of equal length together, and the model's own forward pass runs on that row.
Only attention has to know where a text ends.  `transformers` lets a model call any attention function, so one
function serves all types that do, and MPNet, whose layers are made to call it (docs/dev/performance.md lists
the tested ones).  On a CPU it runs once for each length, on views of the row; elsewhere it pads the texts for
the attention alone.  The vectors are equal to those of padded texts but for rounding
(tests/unit/models/test_packed.py).

A piece has as many tokens as fit in the processor's cache.  In bf16 on a CPU, inputs, outputs and weights of
matrix products and the activation between them are bf16, and all else is float32: norms, residuals, softmax,
dropout, and the sums of gradients over pieces.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from transformers import AttentionInterface

from contrapose.models.devices import least_tokens, on_device, piece_tokens
from contrapose.models.dropout import OWN_DROPOUT, dropped
from contrapose.models.linear import half_precision, half_weights, spare_rows
from contrapose.models.poolers import pooled
from contrapose.models.pooling import Pooling
from contrapose.models.tokens import Inputs, Tokens, pieces

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Batch = TypeVar("Batch", Tokens, Inputs)

PACKED = "contrapose_packed"  # the name of our attention among those of transformers
FROM_PADDING = {"roberta", "xlm-roberta", "camembert", "mpnet"}  # count positions from the padding id + 1
# Types whose packed forward pass is tested against the padded one.
TESTED = FROM_PADDING | {"bert", "distilbert", "modernbert", "llama", "qwen3"}
ON_VIEWS = {"cpu"}  # elsewhere few large calls are faster than one for each length
SOFTMAX_COLUMNS = 16  # for rows of fewer numbers PyTorch's softmax takes up to 14 times as long, in bf16


class EqualTexts(NamedTuple):
    """Texts of equal length that stand one after the other."""

    texts: int
    length: int  # tokens of each


class TextsInRow:
    """Where the texts of a row are: N tokens of groups, one after the other, the longest texts first."""

    def __init__(self, groups: list[EqualTexts], device: torch.device) -> None:
        self.groups, self.device = groups, device
        self.tokens = [texts * length for texts, length in groups]
        self.longest = groups[0].length  # T

    @cached_property
    def mask(self) -> Tensor:
        """The places of tokens once all texts are padded, bool (b, T)."""
        lengths = np.repeat([group.length for group in self.groups], [group.texts for group in self.groups])
        return on_device(np.arange(self.longest) < lengths[:, None], self.device)

    @cached_property
    def slots(self) -> Tensor:
        """The place of each token among those of the padded texts: int64 (N,)."""
        return self.mask.flatten().nonzero().squeeze(1)

    def side_by_side(self, rows: Tensor) -> Tensor:
        """Arrange tokens, (N, ...), as padded texts: (b, T, ...), with 0 for padding."""
        padded = rows.new_zeros(self.mask.numel(), *rows.shape[1:]).index_copy(0, self.slots, rows)
        return padded.unflatten(0, self.mask.shape)

    def in_a_row(self, padded: Tensor) -> Tensor:
        """Arrange padded texts as tokens again: (N, ...)."""
        return padded.flatten(0, 1).index_select(0, self.slots)


def runs_packed(model: "PreTrainedModel") -> bool:
    """Return whether `packed_vectors` supports the type of a model."""
    config = model.config
    relative = getattr(config, "position_embedding_type", "absolute") not in ("absolute", None)
    encodes = config.model_type in ("llama", "qwen3") or not getattr(config, "is_decoder", False)
    return config.model_type in TESTED and encodes and not relative


def packed_vectors(
    model: "PreTrainedModel", batch: Tokens, pooling: Pooling, recompute: bool = False
) -> Tensor:
    """Return a vector for each text by a model that `runs_packed`: (B, D), in the order of the batch.

    `recompute`: keep no activations for the backward pass, but recompute each piece there, with the same
        dropout and gradients.  Memory then holds the activations of one piece, not of the batch; training
        takes a third more time.
    """

    def run(piece: Tokens) -> Tensor:
        return _pooled(model, piece, pooling)

    with half_weights():
        run_piece = words_looked_up_once(run, model, batch.ids)
        return in_pieces(run_piece, batch, next(model.parameters()).device, recompute, padded=False)


def embeddings_of(model: "PreTrainedModel") -> Any:
    """Return the module whose output, (b, T, E), goes into the first layer; None without a single one."""
    return getattr(model, "embeddings", getattr(model, "embed_tokens", None))


def words_looked_up_once(
    run: Callable[[Batch], Tensor], model: "PreTrainedModel", ids: np.ndarray
) -> Callable[[Batch], Tensor]:
    """Let the pieces of a batch, in training, take the embeddings of its words from one small table.

    Each lookup among all words has a gradient of the size of the vocabulary, often half of a model's weights.
    So there is one for the batch, and not one for each piece.  `ids`: every token id of the batch.
    """
    words = model.get_input_embeddings()
    if words is None or not torch.is_grad_enabled():
        return run
    used = on_device(np.unique(ids).astype(np.int64), next(model.parameters()).device)
    table = words(used)  # (words of the batch, E)

    def run_with_table(piece: Batch) -> Tensor:
        words.forward = lambda ids: functional.embedding(torch.searchsorted(used, ids), table)
        try:
            return run(piece)
        finally:
            del words.forward

    return run_with_table


def in_pieces(
    run: Callable[[Batch], Tensor],
    batch: Batch,
    device: torch.device,
    recompute: bool = False,
    padded: bool = True,
) -> Tensor:
    """Return a vector for each text from any function of a batch: (B, H), in the order of the batch.

    A piece has the longest texts first.  `padded`: the function pads the texts of a piece; without gradients,
    most pieces then hold texts of one length.
    """
    least = np.inf if torch.is_grad_enabled() or not padded else least_tokens(device)
    order, sizes = pieces(batch.lengths, piece_tokens(device), least)
    parts = (batch.take(part) for part in np.split(order, np.cumsum(sizes)[:-1]))
    vectors = [checkpoint(run, part, use_reentrant=False) if recompute else run(part) for part in parts]
    joined = torch.cat(vectors)
    return joined.index_select(0, on_device(np.argsort(order), joined.device))


def _pooled(model: "PreTrainedModel", piece: Tokens, pooling: Pooling) -> Tensor:
    """Run a piece, whose texts are ordered by length, and return the vectors of its texts: (b, D)."""
    device = next(model.parameters()).device
    groups = [EqualTexts(len(list(same)), int(length)) for length, same in groupby(piece.lengths)]
    # Spare rows that matrix products would add, and drop, in each layer are texts of one token here.
    spare = spare_rows(len(piece.ids), device, half_precision(device))
    ids, positions = piece.ids.astype(np.int64), _positions(model, piece)
    ids, positions = (np.pad(row, (0, spare), mode="edge") for row in (ids, positions))
    every = pooling.needs == "all"
    layout = TextsInRow([*groups, *([EqualTexts(spare, 1)] if spare else [])], device)
    with _attention(model), _biased(model, layout), _cut_off(model, piece, spare, device):
        output = model(
            input_ids=on_device(ids, device)[None],
            position_ids=on_device(positions, device)[None],
            layout=layout,
            output_hidden_states=every,
            **({"use_cache": False} if hasattr(model.config, "use_cache") else {}),
        )
    hidden = output.hidden_states if every else (output.last_hidden_state,)
    tokens = [texts * length for texts, length in groups]
    layers = [states[0, : len(piece.ids)].split(tokens) for states in hidden]
    skipped = np.zeros(len(piece), np.int64) if piece.skipped is None else piece.skipped
    of_groups = np.split(skipped, np.cumsum([group.texts for group in groups])[:-1])
    vectors = []
    for number, (group, first) in enumerate(zip(groups, of_groups, strict=True)):
        states = [layer[number].unflatten(0, group) for layer in layers]  # (texts, length, H)
        counting = np.arange(group.length) >= first[:, None]
        vectors.append(pooled(pooling, states, on_device(counting, device)))
    return torch.cat(vectors)


def _positions(model: "PreTrainedModel", batch: Tokens) -> np.ndarray:
    """Return the indices of a batch's tokens into the position embeddings: int64, (N,).

    RoBERTa counts from padding + 1; the padding token in a text does not count.
    """
    if model.config.model_type not in FROM_PADDING:
        return batch.positions
    padding = model.embeddings.padding_idx
    counts = batch.ids != padding  # (N,)
    before = np.concatenate([[0], np.cumsum(counts)])  # counted tokens before each
    numbers = before[1:] - np.repeat(before[batch.start[:-1]], batch.lengths)
    return np.where(counts, numbers + padding, padding)


@contextmanager
def _attention(model: "PreTrainedModel") -> Iterator[None]:
    """Let a model call `packed_attention`, meanwhile: with it, it makes no mask for padded texts."""
    before = model.config._attn_implementation
    model.config._attn_implementation = PACKED
    try:
        yield
    finally:
        model.config._attn_implementation = before


@contextmanager
def _biased(model: "PreTrainedModel", layout: TextsInRow) -> Iterator[None]:
    """Let the layers of MPNet, which call no attention function, call `packed_attention`, meanwhile.

    Their attention adds a bias, (heads, T, T), that depends on the distance of two tokens alone, so shorter
    texts take its first rows and columns.  The encoder computes it once for all layers, from T.
    """
    if model.config.model_type != "mpnet":
        yield
        return
    encoder: Any = model.encoder
    layers = [layer.attention.attn for layer in encoder.layer]
    of_texts = type(encoder).compute_position_bias

    def bias(hidden: Tensor) -> Tensor:
        return of_texts(encoder, hidden[:, : layout.longest])[0]

    def attended(layer: Any) -> Callable[..., tuple[Tensor]]:
        def forward(hidden: Tensor, mask: None, position_bias: Tensor, **others: Any) -> tuple[Tensor]:
            shape = (1, hidden.shape[1], layer.num_attention_heads, layer.attention_head_size)
            q, k, v = (part(hidden).view(shape).transpose(1, 2) for part in (layer.q, layer.k, layer.v))
            share = layer.dropout.p if layer.training else 0.0
            found, _ = packed_attention(
                layer, q, k, v, None, layout=layout, dropout=share, bias=position_bias
            )
            return (layer.o(found.flatten(2)),)

        return forward

    encoder.compute_position_bias = bias
    for layer in layers:
        layer.forward = attended(layer)
    try:
        yield
    finally:
        del encoder.compute_position_bias
        for layer in layers:
            del layer.forward


@contextmanager
def _cut_off(model: "PreTrainedModel", piece: Tokens, spare: int, device: torch.device) -> Iterator[None]:
    """Set columns of the embeddings of each text to 0, meanwhile: see `Tokens.columns`."""
    if piece.columns is None:
        yield
        return
    rows = np.pad(np.repeat(piece.columns, piece.lengths, axis=0), ((0, spare), (0, 0)))
    kept = on_device(rows, device)[None]  # (1, N, E)
    hook = embeddings_of(model).register_forward_hook(lambda _, inputs, embedded: embedded * kept)
    try:
        yield
    finally:
        hook.remove()


def packed_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: None,
    *,
    layout: TextsInRow,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    bias: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """Attend within each text of a row, as `transformers` calls it: (1, heads, N, d) to (1, N, heads, d).

    Key and value may have fewer heads.  `sliding_window`: tokens at this distance or more do not see each
    other, as in flash attention.  `bias`, (heads, T, T), for modules without either, is added to the weights
    of a text of T tokens before the softmax, and its first rows and columns to those of a shorter text.
    """
    causal = bias is None and bool(module.is_causal)
    repeated = query.shape[1] // key.shape[1]
    rows = [states[0].transpose(0, 1) for states in (query, key, value)]  # (N, heads, d), views
    if repeated > 1:
        rows[1:] = (states.repeat_interleave(repeated, dim=1) for states in rows[1:])
    if query.device.type not in ON_VIEWS:
        q, k, v = (layout.side_by_side(states).transpose(1, 2) for states in rows)  # (texts, heads, T, d)
        visible = layout.mask[:, None, None]
        if (near := _near(layout.longest, causal, sliding_window, query.device)) is not None:
            visible = visible & near
        visible = visible if bias is None else bias.masked_fill(~visible, -torch.inf)
        attended = _attended(q, k, v, visible, scaling, dropout).transpose(1, 2)
        return layout.in_a_row(attended)[None], None
    # `split` and not slices: its gradient is one concatenation.
    parts = zip(*(states.split(layout.tokens) for states in rows), strict=True)
    found = []
    for group, part in zip(layout.groups, parts, strict=True):
        q, k, v = (states.unflatten(0, group).transpose(1, 2) for states in part)  # (texts, heads, T, d)
        near = _near(group.length, causal, sliding_window, query.device)
        near = near if bias is None else bias[None, :, : group.length, : group.length]
        found.append(_attended(q, k, v, near, scaling, dropout).transpose(1, 2).flatten(0, 1))
    return torch.cat(found)[None], None


def _near(length: int, causal: bool, window: int | None, device: torch.device) -> Tensor | None:
    """Return which tokens, (T, T), see which others of a text; None: each sees all."""
    if not causal and (window is None or window >= length):
        return None
    places = torch.arange(length, device=device)
    distance = places[:, None] - places
    seen = distance.abs() < (length if window is None else window)
    return seen & (distance >= 0) if causal else seen


def _attended(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None, scaling: float | None, share: float
) -> Tensor:
    """Attend, (b, heads, T, d), with a share of the weights dropped.

    `visible`: true for tokens that are seen, or what is added to the weights.
    """
    half = query.dtype == torch.bfloat16  # for which PyTorch's own attention on a CPU takes longer
    if query.device.type not in OWN_DROPOUT or (share == 0 and not half):
        if visible is not None and visible.dtype != torch.bool:
            visible = visible.to(query.dtype)
        return functional.scaled_dot_product_attention(
            query, key, value, visible, dropout_p=share, scale=scaling
        )
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    weights = query @ key.transpose(-1, -2) * scaling  # (b, heads, T, T)
    weights = weights.float() if half else weights
    if visible is not None and visible.dtype == torch.bool:
        weights = weights.masked_fill(~visible, -torch.inf)
    elif visible is not None:
        weights = weights + visible
    length = weights.shape[-1]
    short = max(0, SOFTMAX_COLUMNS - length) if half else 0
    weights = functional.pad(weights, (0, short), value=-torch.inf) if short else weights
    return dropped(weights.softmax(dim=-1)[..., :length], share).to(value.dtype) @ value


AttentionInterface.register(PACKED, packed_attention)
