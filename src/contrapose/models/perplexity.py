"""Perplexity of many texts under a causal language model; a common beginning is read once."""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm
from transformers import AutoModelForCausalLM
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING

from contrapose.base.errors import ConfigError, TableError
from contrapose.jobs.timing import computed
from contrapose.models.devices import chosen_device, chosen_precision
from contrapose.models.folders import model_folder
from contrapose.models.linear import linear
from contrapose.models.transformer import model_and_tokenizer, read_config
from contrapose.settings.spec import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

# These take a mask of any shape and positions in any order, and end in a linear layer without a bias; the
# tests compare each with scoring text by text.  Other types may not, and give no error (ALiBi, recurrence).
TREE_TYPES = (
    "gemma", "gemma2", "gemma3_text", "gpt2", "gpt_neox", "llama", "mistral", "opt", "qwen2", "qwen3",
)  # fmt: skip
# Rows of the output layer multiplied at once: its logits stay in the cache of a core, which is faster than
# all logits of a few tokens.
VOCABULARY_BLOCK = 1024

TokenIds = tuple[int, ...]  # of one text


class ScoredTexts(NamedTuple):
    """Texts of one forward pass."""

    texts: list[TokenIds]
    nats: np.ndarray  # float64 of shape (len(texts),), mean per token
    read: int  # tokens that the model read, padding included


@dataclass(frozen=True)
class CausalLM:
    """A causal language model of `transformers` in evaluation mode, and its tokenizer."""

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"

    @property
    def start(self) -> int:
        """The token before the first: the tokenizer's, else the config's, as Qwen's tokenizers have none.

        Raises ConfigError if there is none.
        """
        for source in (self.tokenizer, self.model.config):
            if (token := getattr(source, "bos_token_id", None)) is not None:
                return int(token)
        raise ConfigError(
            f"the language model of type {self.model.config.model_type} has no token for the start of "
            "a text, so the first word has no probability. Set a bos_token in its tokenizer."
        )

    @property
    def max_tokens(self) -> int | None:
        """How many tokens it can score in a row; None: no limit."""
        return getattr(self.model.config, "max_position_embeddings", None)


def load_causal_lm(
    source: str | Path, revision: str | None = None, device: str = "auto", precision: Precision = "auto"
) -> CausalLM:
    """Load a causal language model in evaluation mode, its weights in the precision of `chosen_precision`.

    Source, revision and errors are as for `contrapose.models.sentence_encoder.load_encoder`; a model that
    does not predict the next token is an error, too.
    """
    folder = model_folder(source, revision, "language model")
    config = read_config(folder, "language model")
    # Encoders like BERT can be loaded as causal models, but then see the token that they should predict.
    looks_ahead = type(config) in MODEL_FOR_MASKED_LM_MAPPING and not getattr(config, "is_decoder", False)
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING or config.is_encoder_decoder or looks_ahead:
        raise ConfigError(
            f"language model '{folder}' is of type {config.model_type}, which does not predict the "
            "next token from the tokens before it. Use a model like GPT-2."
        )
    model, tokenizer = model_and_tokenizer(AutoModelForCausalLM, folder, config, "language model")
    where = chosen_device(device)
    return CausalLM(model.eval().to(where, chosen_precision(precision, where)), tokenizer)


def perplexities(lm: CausalLM, texts: Sequence[str], batch_tokens: int = 256) -> np.ndarray:
    """Return the perplexity of each text: exp of the mean negative log-likelihood of its tokens, in nats.

    All tokens of a text are scored, the first one after the start token, which is not scored; no end token
    is added, and nothing is cut.  That is what `evaluate` of Hugging Face computes (metrics/perplexity);
    lmppl leaves the first token out.

    Texts are sorted by their tokens, so that those with a common beginning, such as candidates for the same
    sentence, follow each other in a batch, which is a tree of tokens: each is read once for all texts that
    go on from there, and sees only what is before it in these texts (SpecInfer, arXiv:2305.09781, verifies
    trees this way).  Models not in TREE_TYPES read every text by itself, and those with sliding-window
    attention every text longer than the window; the log says so.

    Memory beside the model: some 90 bytes for each token of `texts`, so pass a large corpus in parts;
    on the device a mask of batch_tokens ** 2 float32 and batch_tokens x VOCABULARY_BLOCK
    logits (for other models batch_tokens x the whole vocabulary, twice).

    `batch_tokens` are read at once; a longer text is read alone.  The default is the fastest on one core:
    with more, attention that the mask then removes (between unrelated texts) costs more than larger matrix
    products save.  It changes a perplexity by rounding only, less than 1e-5 of it.

    Returns float64 of shape (n,), each >= 1; NaN for a text without tokens, or with more than the model
    takes; the log counts them.  Raises ConfigError if the model has no token for the start of a text, and
    TableError if a perplexity is not a finite number; the text is named.
    """
    distinct = list(dict.fromkeys(texts))
    ids = lm.tokenizer(distinct, add_special_tokens=False, verbose=False)["input_ids"] if distinct else []
    tokens = dict(zip(distinct, map(tuple, ids), strict=True))
    skipped = {ids for ids in tokens.values() if not 0 < len(ids) <= (lm.max_tokens or len(ids))}
    waiting = sorted({*tokens.values()} - skipped)
    perplexity_of: dict[TokenIds, float] = dict.fromkeys(skipped, 1.0)
    scored, read, begin = 0, 0, time.perf_counter()
    progress = tqdm(total=len(waiting), desc="perplexities", unit=" texts", mininterval=5, delay=5)
    with torch.inference_mode(), progress:
        for batch in _scored(lm, waiting, batch_tokens):
            perplexity_of.update(zip(batch.texts, np.exp(batch.nats).tolist(), strict=True))
            scored += sum(len(text) for text in batch.texts)
            read += batch.read
            speed = scored / (time.perf_counter() - begin)
            progress.set_postfix_str(f"{speed:.0f} tokens/s", refresh=False)
            progress.update(len(batch.texts))
    logger.info("%d distinct texts of %d tokens, %d tokens read", len(waiting), scored, read)
    values = np.array([perplexity_of[tokens[text]] for text in texts], np.float64)
    missing = [at for at, text in enumerate(texts) if tokens[text] in skipped]
    values[missing] = np.nan
    _check(lm, texts, np.isfinite(values), missing)
    return values


def _check(lm: CausalLM, texts: Sequence[str], finite: np.ndarray, missing: list[int]) -> None:
    if missing:
        logger.warning(
            "%d of %d texts have no perplexity, because they have no tokens or more than the %s of "
            "the language model. The first text is %r",
            len(missing),
            len(texts),
            lm.max_tokens,
            texts[missing[0]],
        )
    wrong = sorted({*np.flatnonzero(~finite).tolist()} - {*missing})
    if wrong:
        raise TableError(
            f"the language model gives {len(wrong)} of {len(texts)} texts no finite perplexity. The "
            f"first text is {texts[wrong[0]]!r}. Check the weights in its folder."
        )


def _scored(lm: CausalLM, texts: list[TokenIds], batch_tokens: int) -> Iterator[ScoredTexts]:
    config = lm.model.config
    # Our mask ignores a sliding window, in which a token sees only itself and those just before it.
    longest = getattr(config, "sliding_window", None) or np.inf if config.model_type in TREE_TYPES else 0
    alone = [text for text in texts if len(text) > longest]
    if alone:
        logger.warning(
            "%d of %d texts are read one by one, which takes longer. Only models of type %s read equal "
            "beginnings once, in texts within their sliding window. No action is needed",
            len(alone),
            len(texts),
            ", ".join(TREE_TYPES),
        )
    yield from _scored_in_trees(lm, [text for text in texts if len(text) <= longest], batch_tokens)
    yield from _scored_in_rows(lm, alone, batch_tokens)


class TokenTree:
    """Texts as paths from a root: a node is a token after all tokens above it, and comes after them.

    Texts are added in sorted order.
    """

    def __init__(self, root: int) -> None:
        self.tokens = [root]
        self.parents = [0]  # the root's own is never used
        self.depths = [0]
        self.ends: list[int] = []  # the last node of each text
        self.texts: list[TokenIds] = []
        self._path = [0]  # of the last text

    def shared(self, text: TokenIds) -> int:
        """Return how many tokens of a text the tree has already."""
        last = self.texts[-1] if self.texts else ()
        differ = (at for at, (old, new) in enumerate(zip(last, text, strict=False)) if old != new)
        return next(differ, min(len(last), len(text)))

    def add(self, text: TokenIds) -> None:
        shared = self.shared(text)
        del self._path[shared + 1 :]
        for depth, token in enumerate(text[shared:], start=shared + 1):
            self.parents.append(self._path[-1])
            self._path.append(len(self.tokens))
            self.tokens.append(token)
            self.depths.append(depth)
        self.texts.append(text)
        self.ends.append(self._path[-1])

    def lineage(self) -> np.ndarray:
        """Return a bool array of shape (nodes, nodes): is the column's node the row's, or an ancestor?"""
        lineage = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            lineage[node] |= lineage[parent]
        return lineage


def token_trees(texts: list[TokenIds], root: int, max_nodes: int) -> Iterator[TokenTree]:
    """Put sorted texts into trees of at most `max_nodes` nodes, unless a single text has more."""
    tree = TokenTree(root)
    for text in texts:
        if tree.texts and len(tree.tokens) + len(text) - tree.shared(text) > max_nodes:
            yield tree
            tree = TokenTree(root)
        tree.add(text)
    if texts:
        yield tree


def _scored_in_trees(lm: CausalLM, texts: list[TokenIds], batch_tokens: int) -> Iterator[ScoredTexts]:
    """Let the model read a tree as one row of tokens, each with its depth as position, under a mask."""
    device = lm.model.device
    for tree in token_trees(texts, lm.start, batch_tokens):
        parents, depths = np.array(tree.parents), np.array(tree.depths)
        lineage = tree.lineage()
        inner = np.unique(parents[1:])  # the last token of a text is predicted, and never read
        mask = torch.from_numpy(lineage[np.ix_(inner, inner)]).to(device)
        tokens = torch.tensor(tree.tokens, device=device)
        computed(lm.model, len(inner))
        hidden = lm.model.base_model(
            input_ids=tokens[torch.from_numpy(inner).to(device)][None],
            position_ids=torch.from_numpy(depths[inner]).to(device)[None],
            attention_mask=torch.zeros(mask.shape, dtype=lm.model.dtype, device=device).masked_fill(
                ~mask, torch.finfo(lm.model.dtype).min
            )[None, None],
            use_cache=False,
        ).last_hidden_state[0]  # (inner nodes, H)
        weight = lm.model.get_output_embeddings().weight  # (V, H)
        before = torch.from_numpy(np.searchsorted(inner, parents[1:])).to(device)  # (nodes - 1,)
        cap = getattr(lm.model.config, "final_logit_softcapping", None)
        logits = _capped((hidden[before].float() * weight[tokens[1:]].float()).sum(-1), cap)
        nats = (_log_sum_exp(hidden, weight, cap)[before] - logits).cpu().double().numpy()
        sums = lineage[tree.ends, 1:] @ nats  # along the paths
        yield ScoredTexts(tree.texts, sums / depths[tree.ends], len(inner))


def _capped(logits: Tensor, cap: float | None) -> Tensor:
    """Return logits, between -cap and cap if there is one.  Gemma 2, arXiv:2408.00118, section 2."""
    return logits if cap is None else torch.tanh(logits / cap) * cap


def _log_sum_exp(hidden: Tensor, weight: Tensor, cap: float | None) -> Tensor:
    """Return the log of the sum over the vocabulary of exp(logit), of shape (n,)."""
    total = torch.full(hidden.shape[:1], -torch.inf, device=hidden.device)
    for block in weight.split(VOCABULARY_BLOCK):
        total = torch.logaddexp(total, torch.logsumexp(_capped(linear(hidden, block).float(), cap), -1))
    return total


def _scored_in_rows(lm: CausalLM, texts: list[TokenIds], batch_tokens: int) -> Iterator[ScoredTexts]:
    """Let the model read texts of about the same length side by side, padded on the right."""
    waiting = sorted(texts, key=len)
    while waiting:
        longest = len(waiting[-1])  # first: too little memory shows at once
        some = waiting[-max(1, batch_tokens // longest) :]
        del waiting[-len(some) :]
        tokens = torch.full((len(some), longest + 1), lm.start)
        for row, text in zip(tokens, some, strict=True):
            row[1 : len(text) + 1] = torch.tensor(text)
        lengths = torch.tensor([len(text) for text in some])
        mask = torch.arange(longest) < lengths[:, None]  # (B, T)
        tokens, mask = tokens.to(lm.model.device), mask.to(lm.model.device)
        computed(lm.model, mask.numel())
        logits = lm.model(input_ids=tokens[:, :-1], attention_mask=mask.long(), use_cache=False).logits
        nats = F.cross_entropy(logits.float().mT, tokens[:, 1:], reduction="none")  # (B, T)
        sums = nats.where(mask, 0).cpu().double().sum(1)
        yield ScoredTexts(some, (sums / lengths).numpy(), mask.numel())
