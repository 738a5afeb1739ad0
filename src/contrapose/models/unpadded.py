"""The forward pass of BERT and RoBERTa without padding.

A third of the tokens of a padded batch of Wikipedia sentences is padding.  Here the tokens of all sentences
are in one array; linear layers, norms and activations work on that array, and only attention pads sentences
into a batch.  The modules and weights are those of `transformers`, and the vectors are equal but for
rounding (tests/unit/models/test_unpadded.py).

Further savings: faster matrix products on a CPU (`contrapose.models.linear`); one product for query, key
and value; if the pooler needs only the first token, the last layer computes nothing else; sentences are run
in pieces of about equal lengths that fit in the processor's cache; dropout draws 16 bits per number. In bf16
on a CPU, inputs, outputs and weights of matrix products and the activation between them are bf16, and all
else is float32: norms, residuals, softmax, dropout, and the sums of gradients over pieces. Autocast would
convert weights once per product, and its softmax takes four times as long.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from transformers import BertModel, CamembertModel, RobertaModel, XLMRobertaModel

from contrapose.models.devices import on_device, piece_tokens
from contrapose.models.linear import ROWS, half_precision, linear, spare_rows
from contrapose.models.poolers import pooled
from contrapose.models.pooling import Pooling
from contrapose.models.tokens import Inputs, Tokens, pieces, without_first

if TYPE_CHECKING:
    from transformers import PreTrainedModel
    from transformers.models.bert.modeling_bert import BertLayer, BertOutput, BertSelfAttention

Batch = TypeVar("Batch", Tokens, Inputs)

# Their modules have the same names.  All but BERT count positions from the padding id + 1.
FROM_ZERO = {BertModel}
UNPADDED = {*FROM_ZERO, RobertaModel, XLMRobertaModel, CamembertModel}

DROPOUT_STEPS = 1 << 16  # of 16 random bits: a probability is rounded to the nearest step
SOFTMAX_COLUMNS = 16
OWN_DROPOUT = {"cpu"}  # elsewhere PyTorch's own is fused and fast


class TokenLayout(NamedTuple):
    """Where the tokens of a piece are once its sentences are padded to (b, T)."""

    sentences: int  # b
    longest: int  # T
    slots: Tensor  # (n,) token -> its place in (b T,)
    first: Tensor  # (b,) the first token of each sentence
    mask: Tensor  # (b, T), 1 for tokens and 0 for padding
    full: bool = False  # without any padding
    spare: int = 0  # zero rows after the (n, H) of the tokens, for the matrix products
    counting: Tensor | None = None  # (b, T), the tokens that pooling counts; None: those of `mask`


class Weights(NamedTuple):
    """A linear layer."""

    weight: Tensor  # (m, k)
    bias: Tensor  # (m,)
    half: Tensor | None  # the weight in bf16, if products are to be in bf16


class Layer(NamedTuple):
    """The module of a transformer layer, with the linear layers in it as `linear` takes them."""

    module: "BertLayer"
    attention: Weights  # of query, key and value together: (3H, H)
    attended: Weights
    intermediate: Weights
    output: Weights


def runs_unpadded(model: "PreTrainedModel") -> bool:
    """Return whether `unpadded_vectors` supports the architecture."""
    return (
        type(model) in UNPADDED
        and not model.config.is_decoder
        and getattr(model.config, "position_embedding_type", "absolute") == "absolute"
    )


def unpadded_vectors(
    model: "PreTrainedModel", batch: Tokens, pooling: Pooling, recompute: bool = False
) -> Tensor:
    """Return a vector for each sentence by a model that `runs_unpadded`: (B, H), in the order of the batch.

    `recompute`: keep only the token embeddings for the backward pass, and recompute each piece there, with
        the same dropout and gradients.  Memory then holds the activations of one piece, not of the batch;
        training takes a third more time.
    """
    device = model.embeddings.word_embeddings.weight.device
    order, sizes = pieces(batch.lengths, piece_tokens(device))
    batch = batch.take(order)
    words, positions = batch.ids.astype(np.int64), _positions(model, batch)
    half = half_precision(device)
    with torch.autocast(device.type, enabled=False) if half else nullcontext():
        hidden = _embedded(model, on_device(words, device), on_device(positions, device))  # (N, H)
        if batch.columns is not None:
            hidden = hidden * on_device(np.repeat(batch.columns, batch.lengths, axis=0), device)
        modules = [_with_weights(module, half) for module in model.encoder.layer]
        of_pieces = np.split(batch.lengths, np.cumsum(sizes)[:-1])
        skipped = np.zeros(len(batch), np.int64) if batch.skipped is None else batch.skipped
        of_texts = np.split(skipped, np.cumsum(sizes)[:-1])
        vectors, parts = [], hidden.split([int(each.sum()) for each in of_pieces])
        for lengths, first, part in zip(of_pieces, of_texts, parts, strict=True):
            layout = _layout(lengths, first, device, half)
            vectors.append(_run(recompute, _pooled, modules, part, layout, pooling))
        return _in_order(vectors, order)


def in_pieces(
    run: Callable[[Batch], Tensor], batch: Batch, device: torch.device, recompute: bool = False
) -> Tensor:
    """Return a vector for each sentence from any function of a batch: (B, H), in the order of the batch."""
    order, sizes = pieces(batch.lengths, piece_tokens(device))
    parts = np.split(order, np.cumsum(sizes)[:-1])
    return _in_order([_run(recompute, run, batch.take(part)) for part in parts], order)


def _run(recompute: bool, function: Callable[..., Tensor], *arguments: object) -> Tensor:
    return checkpoint(function, *arguments, use_reentrant=False) if recompute else function(*arguments)


def _in_order(vectors: list[Tensor], order: np.ndarray) -> Tensor:
    joined = torch.cat(vectors)
    return joined.index_select(0, on_device(np.argsort(order), joined.device))


def _layout(lengths: np.ndarray, skipped: np.ndarray, device: torch.device, half: bool) -> TokenLayout:
    longest = int(lengths.max())
    mask = np.arange(longest) < lengths[:, None]
    slots = on_device(np.flatnonzero(mask), device)
    first = on_device(np.cumsum(lengths) - lengths, device)
    spare = spare_rows(int(lengths.sum()), device, half)
    counting = on_device(without_first(mask, skipped), device) if skipped.any() else None
    on = on_device(mask, device)
    return TokenLayout(len(lengths), longest, slots, first, on, bool(mask.all()), spare, counting)


def _positions(model: "PreTrainedModel", batch: Tokens) -> np.ndarray:
    """Return the indices of a batch's tokens into the position embeddings: int64, (N,).

    RoBERTa counts from padding + 1; the padding token in a text does not count.
    """
    if type(model) in FROM_ZERO:
        return batch.positions
    padding = model.config.pad_token_id
    counts = batch.ids != padding  # (N,)
    before = np.concatenate([[0], np.cumsum(counts)])  # counted tokens before each
    numbers = before[1:] - np.repeat(before[batch.start[:-1]], batch.lengths)
    return np.where(counts, numbers + padding, padding)


def _embedded(model: "PreTrainedModel", words: Tensor, positions: Tensor) -> Tensor:
    """Return the normalised sum of the embeddings of word, position and first segment: (N, H)."""
    parts = model.embeddings
    hidden = parts.word_embeddings(words) + parts.token_type_embeddings.weight[0]
    hidden = hidden + parts.position_embeddings(positions)
    return dropout(parts.LayerNorm(hidden), parts.dropout)


def _with_weights(module: "BertLayer", half: bool) -> Layer:
    """Join the weights of query, key and value, and round them all to bf16, once for all pieces."""
    attention, dense = module.attention.self, (module.attention.output, module.intermediate, module.output)
    parts = (attention.query, attention.key, attention.value)
    joined = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
    pairs = [joined, *((each.dense.weight, each.dense.bias) for each in dense)]
    return Layer(
        module,
        *(Weights(weight, bias, weight.detach().bfloat16() if half else None) for weight, bias in pairs),
    )


def _pooled(modules: list[Layer], hidden: Tensor, layout: TokenLayout, pooling: Pooling) -> Tensor:
    """Run a piece through all layers and return the vectors of its sentences: (b, H)."""
    layers = pooling.needs
    hidden = _with_spare_rows(hidden, layout)
    states = [hidden]
    for number, layer in enumerate(modules, 1):
        hidden = _run_layer(layer, hidden, layout, layers == "first" and number == len(modules))
        states = [*states, hidden] if layers == "all" else [hidden]
    if layers == "first":
        return pooled(pooling, [states[-1].unsqueeze(1)], layout.mask[:, :1])
    counting = layout.mask if layout.counting is None else layout.counting
    return pooled(pooling, [_side_by_side(each, layout) for each in states], counting)


def _run_layer(layer: Layer, hidden: Tensor, layout: TokenLayout, only_first: bool) -> Tensor:
    """Run one layer: (n + spare, H) to the same, or to (b, H) for the first tokens only."""
    attended, hidden = _attended(layer, hidden, layout, only_first)
    unused = 0 if only_first else -len(hidden) % ROWS
    hidden = _added(layer.module.attention.output, linear(attended, *layer.attended), hidden, unused)
    inner = layer.module.intermediate.intermediate_act_fn(linear(hidden, *layer.intermediate))
    return _added(layer.module.output, linear(inner, *layer.output), hidden, unused)


def _added(module: "BertOutput", values: Tensor, residual: Tensor, unused: int) -> Tensor:
    values = dropout(values.to(residual.dtype), module.dropout, unused * values.shape[1])
    return module.LayerNorm(values + residual)


def _attended(layer: Layer, hidden: Tensor, layout: TokenLayout, only_first: bool) -> tuple[Tensor, Tensor]:
    """Return the attention output of tokens, (n + spare, H) or (b, H), and their states before it."""
    module, (weight, bias, half) = layer.module.attention.self, layer.attention
    heads, width = module.num_attention_heads, module.attention_head_size
    size = heads * width
    side_by_side = (layout.sentences, layout.longest, -1, heads, width)
    if only_first:
        of_query, of_others = (
            (weight[part], bias[part], None if half is None else half[part])
            for part in (slice(size), slice(size, None))
        )
        pairs = _side_by_side(linear(hidden, *of_others), layout)
        key, value = pairs.view(side_by_side).permute(2, 0, 3, 1, 4)
        hidden = hidden.index_select(0, layout.first)
        query = linear(hidden, *of_query)
        query = query.view(layout.sentences, 1, heads, width).transpose(1, 2)
    else:
        triples = _side_by_side(linear(hidden, weight, bias, half), layout)
        query, key, value = triples.view(side_by_side).permute(2, 0, 3, 1, 4)  # (b, heads, T, width)
    attended = _attention(query, key, value, layout, module)  # (b, heads, T or 1, width)
    attended = attended.transpose(1, 2).reshape(-1, size)
    if only_first:
        return attended, hidden
    of_tokens = attended if layout.full else attended.index_select(0, layout.slots)
    return _with_spare_rows(of_tokens, layout), hidden


def _attention(
    query: Tensor, key: Tensor, value: Tensor, layout: TokenLayout, module: "BertSelfAttention"
) -> Tensor:
    share = module.dropout.p if module.training else 0.0
    half = query.dtype == torch.bfloat16  # for which PyTorch's own attention on a CPU takes longer
    if query.device.type not in OWN_DROPOUT or (share == 0 and not half):
        mask = None if layout.full else layout.mask[:, None, None]
        return functional.scaled_dot_product_attention(
            query, key, value, mask, dropout_p=share, scale=module.scaling
        )
    weights = query @ key.transpose(-1, -2) * module.scaling  # (b, heads, T, T)
    weights = weights.float() if half else weights
    if not layout.full:
        weights = (
            weights + torch.zeros(layout.mask.shape).masked_fill(~layout.mask, -torch.inf)[:, None, None]
        )
    # For rows of fewer numbers PyTorch's softmax takes up to 14 times as long.
    short = max(0, SOFTMAX_COLUMNS - layout.longest) if half else 0
    weights = functional.pad(weights, (0, short), value=-torch.inf) if short else weights
    shares = weights.softmax(dim=-1)[..., : layout.longest]
    return dropout(shares, module.dropout).to(value.dtype) @ value


def _with_spare_rows(rows: Tensor, layout: TokenLayout) -> Tensor:
    """Add rows of zeros; without any to add, no copy is made."""
    return functional.pad(rows, (0, 0, 0, layout.spare)) if layout.spare else rows


def _side_by_side(tokens: Tensor, layout: TokenLayout) -> Tensor:
    """Arrange tokens (n + spare, D) as padded sentences: (b, T, D), with 0 for padding."""
    shape = (layout.sentences, layout.longest, tokens.shape[-1])
    tokens = tokens[: len(layout.slots)]
    if layout.full:
        return tokens.view(shape)
    padded = tokens.new_zeros(layout.sentences * layout.longest, tokens.shape[-1])
    return padded.index_copy_(0, layout.slots, tokens).view(shape)


def dropout(values: Tensor, module: nn.Dropout, unused: int = 0) -> Tensor:
    """Apply a dropout module, on a CPU with 16 random bits per number.

    The probability is rounded to a multiple of 2^-16 (0.1 becomes 0.100006), and kept values are scaled
    accordingly.  The masks are drawn from PyTorch's global generator, then those of `unused` numbers:
    of spare rows, so that products with and without them differ by rounding alone.
    """
    if not module.training or module.p == 0:
        return values
    if values.device.type not in OWN_DROPOUT or module.p == 1:
        return functional.dropout(values, module.p)
    dropped = round(module.p * DROPOUT_STEPS)
    words = torch.empty(-(-(values.numel() + unused) // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = words.view(torch.int16)[: values.numel()].view(values.shape)  # -2^15 to 2^15 - 1
    # To float32 directly: by way of bool it takes three times as long.
    kept = torch.ge(bits, dropped - DROPOUT_STEPS // 2, out=torch.empty(values.shape, dtype=values.dtype))
    return values * kept.mul_(DROPOUT_STEPS / (DROPOUT_STEPS - dropped))
