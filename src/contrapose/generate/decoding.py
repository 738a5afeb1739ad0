"""Generation with a causal language model: many texts per batch, steered away from counter instructions."""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import computed
from contrapose.settings.corpora import DinoTexts

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Finished rows are removed once they reach this share: copying the others costs about an eighth of a step.
ENDED_SHARE = 1 / 8


def debiased(probabilities: Tensor, text_rows: "TextRows", decay: float, floor: float) -> Tensor:
    """Return each text's next-token probabilities, lowered for tokens that a counter instruction favours.

    p' ~ p * max(floor, exp(-decay * max(0, max_c q_c - p))).  DINO, section 3; a text without
    counters keeps its p.  (R, V), of R rows, become (N, V), of N texts, and sum to 1.
    """
    p = probabilities[text_rows.first]
    if not len(text_rows.counters):
        return p
    q = probabilities[text_rows.counters[0]]
    for rows in text_rows.counters[1:]:
        q = torch.maximum(q, probabilities[rows])
    factor = q.sub_(p).clamp_(min=0).mul_(-decay).exp_().clamp_(min=floor)
    left = factor.mul_(p)
    return left.div_(left.sum(-1, keepdim=True))


def likeliest(probabilities: Tensor, top_k: int, top_p: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens that may be drawn: the `top_k` likeliest, and of these the nucleus of mass `top_p`.

    Edge cases follow the warpers of `transformers`: tokens as likely as the last of the `top_k` are kept,
    too; then a token is removed if it and all less likely ones sum to `1 - top_p` or less, but never the
    likeliest.

    Of probabilities (N, V), returns the tokens, int64 of shape (N, K), the likeliest first, ties by token id;
    and their probabilities, float64, whose rows sum to 1, with 0 for tokens that may not be drawn.
    """
    top_k = min(top_k, probabilities.shape[-1])
    values, tokens = probabilities.topk(top_k)
    least = values[:, -1:].clamp(min=torch.finfo(values.dtype).tiny)  # probability 0 is never a tie
    kept = int((probabilities >= least).sum(-1).max())
    if kept > top_k:
        values, tokens = probabilities.topk(kept)
        values = values.where(values >= least, 0)
    shares, numbers = values.double().cpu().numpy(), tokens.cpu().numpy()
    order = np.lexsort((numbers, -shares))
    shares, numbers = np.take_along_axis(shares, order, 1), np.take_along_axis(numbers, order, 1)
    shares /= shares.sum(1, keepdims=True)
    tail = shares[:, ::-1].cumsum(1)[:, ::-1]  # of a token and all after it
    shares[:, 1:][tail[:, 1:] <= 1 - top_p] = 0
    return numbers, shares / shares.sum(1, keepdims=True)


def drawn(tokens: np.ndarray, probabilities: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Sample a token for each row: the first whose cumulative probability exceeds the uniform number."""
    place = (probabilities.cumsum(1) <= uniforms[:, None]).sum(1)
    last = (probabilities > 0).sum(1) - 1  # if rounding leaves the total below the number
    return np.take_along_axis(tokens, np.minimum(place, last)[:, None], 1)[:, 0]


class TextRows:
    """Which rows belong to which text: its own, then one for each counter instruction, text after text.

    `counters`, of shape (N,): how many counter instructions each text has.
    """

    def __init__(self, counters: np.ndarray, device: torch.device) -> None:
        self.size = counters + 1
        first = self.size.cumsum() - self.size
        most = counters.max(initial=0)
        # A text with fewer counters uses its own row instead, which lowers nothing.
        rows = [first + np.where(at < counters, at + 1, 0) for at in range(most)]
        self.first = torch.from_numpy(first).to(device)  # (N,)
        self.counters = [torch.from_numpy(each).to(device) for each in rows]  # each (N,)

    def spread(self, of_texts: np.ndarray) -> np.ndarray:
        """Repeat the values of texts for each of their rows; of shape (R,)."""
        return np.repeat(of_texts, self.size)


class PreallocatedLayer(DynamicLayer):
    """Keys and values of one layer for rows that start with given prompts, with room for new tokens.

    Adding a token copies only that token.
    """

    def __init__(self, layer: DynamicLayer, rows: Tensor, room: int) -> None:
        super().__init__()
        self.lazy_initialization(layer.keys, layer.values)
        self.length = layer.keys.shape[-2]
        self.whole = [_with_room(each, rows, room) for each in (layer.keys, layer.values)]
        self._show()

    def _show(self) -> None:
        self.keys, self.values = (each[:, :, : self.length] for each in self.whole)  # (R, heads, T, width)

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: object, **__: object
    ) -> tuple[Tensor, Tensor]:
        end = self.length + key_states.shape[-2]
        for whole, new in zip(self.whole, (key_states, value_states), strict=True):
            whole[:, :, self.length : end] = new
        self.length = end
        self._show()
        return self.keys, self.values

    def batch_select_indices(self, indices: Tensor) -> None:
        self.whole = [each[indices] for each in self.whole]
        self._show()


def _with_room(states: Tensor, rows: Tensor, room: int) -> Tensor:
    _, heads, length, width = states.shape
    whole = states.new_empty(len(rows), heads, length + room, width)
    whole[:, :, :length] = states[rows]
    return whole


class Continuation:
    """Rows that a causal language model continues token by token; each starts with one of a few prompts.

    Each of the P prompts, given as token ids, is read once.  Memory: `token_bytes` for each row and token of
    the longest prompt, and for `room` more tokens.  Raises ConfigError if the model does not keep keys and
    values of each token.
    """

    def __init__(self, model: "PreTrainedModel", prompts: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.takes = inspect.signature(model.forward).parameters
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        longest = int(lengths.max())
        ids = torch.zeros(len(prompts), longest, dtype=torch.long)
        for row, prompt in zip(ids, prompts, strict=True):
            row[longest - len(prompt) :] = torch.tensor(prompt)  # left-padded: all end at the same position
        mask = (torch.arange(longest) >= longest - lengths[:, None]).long()
        self.mask = mask.to(model.device)
        self.position = lengths.to(model.device)  # of the next token, by row
        self.cache = DynamicCache()
        places = (mask.cumsum(1) - 1).clamp(min=0).to(model.device)
        self.logits = self._read(ids.to(model.device), places)  # (P, V), of the next token
        kept = [type(layer) is DynamicLayer and layer.is_initialized for layer in self.cache.layers]
        if not kept or not all(kept):
            raise ConfigError(
                f"a language model of type {model.config.model_type} does not cache the keys and "
                "values of every token, which Contrapose needs to write many texts at once. Use a "
                "model like GPT-2 or Llama."
            )

    def _read(self, ids: Tensor, positions: Tensor) -> Tensor:
        computed(self.model, ids.numel())
        extra = {"position_ids": positions, "logits_to_keep": 1}
        read = self.model(
            input_ids=ids,
            attention_mask=self.mask,
            past_key_values=self.cache,
            use_cache=True,
            **{name: value for name, value in extra.items() if name in self.takes},
        )
        return read.logits[:, -1].float()

    def spread(self, prompts: Tensor, room: int) -> None:
        """Turn P prompts into R rows; row i starts with prompt number `prompts[i]`."""
        for at, layer in enumerate(self.cache.layers):
            self.cache.layers[at] = PreallocatedLayer(layer, prompts, room)
        self._select(prompts)

    def keep(self, rows: Tensor) -> None:
        self.cache.batch_select_indices(rows)
        self._select(rows)

    def _select(self, rows: Tensor) -> None:
        self.mask, self.position, self.logits = self.mask[rows], self.position[rows], self.logits[rows]

    def add(self, tokens: Tensor) -> None:
        self.mask = torch.cat([self.mask, self.mask.new_ones(len(tokens), 1)], 1)
        self.logits = self._read(tokens[:, None], self.position[:, None])
        self.position = self.position + 1


def token_bytes(model: "PreTrainedModel") -> int:
    """Return the bytes of keys and values per row and token: 4 for each float32 number."""
    config = model.config
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    kept = getattr(config, "num_key_value_heads", None) or heads
    return 2 * model.dtype.itemsize * config.num_hidden_layers * kept * width


def continued(
    model: "PreTrainedModel",
    prompts: Sequence[Sequence[int]],
    texts: Sequence[Sequence[int]],
    uniforms: np.ndarray,
    ends: np.ndarray,
    banned: Sequence[int],
    spec: DinoTexts,
) -> list[list[int]]:
    """Write N texts in one batch: token ids, including the one that ended a text.  DINO, section 3.

    `prompts`: token ids.
    `texts`: for each the numbers of prompts: the one it follows, then those of its counter instructions.
    `uniforms`: float64 of shape (N, T), in [0, 1), for sampling the tokens of each text, T at most.
    `ends`: bool of shape (V,), tokens that end a text.
    `banned`: tokens that are never drawn and are left out of the softmax.
    """
    written: list[list[int]] = [[] for _ in texts]
    going = np.arange(len(texts))  # numbers of the texts that are still in the batch
    running = np.ones(len(texts), bool)
    counters = np.array([len(each) - 1 for each in texts])
    rows = Continuation(model, prompts)
    device = rows.mask.device
    text_rows = TextRows(counters, device)
    rows.spread(torch.tensor([prompt for text in texts for prompt in text], device=device), uniforms.shape[1])
    for step in range(uniforms.shape[1]):
        rows.logits[:, list(banned)] = -torch.inf
        next_ones = debiased(rows.logits.softmax(-1), text_rows, spec.decay, spec.floor)
        tokens = drawn(*likeliest(next_ones, spec.top_k, spec.top_p), uniforms[going, step])
        for text, token in zip(going[running], tokens[running].tolist(), strict=True):
            written[text].append(token)
        running = running & ~ends[tokens]
        if not running.any() or step + 1 == uniforms.shape[1]:
            break
        if (~running).mean() >= ENDED_SHARE:
            rows.keep(torch.from_numpy(np.flatnonzero(text_rows.spread(running))).to(device))
            going, tokens, running = going[running], tokens[running], running[running]
            text_rows = TextRows(counters[going], device)
        rows.add(torch.from_numpy(text_rows.spread(tokens)).to(device))
    return written
