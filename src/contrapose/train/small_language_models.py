"""Train a small GPT-2, on texts or to follow DINO's instructions, where no published model is available.

A document is a text, or an instruction with a sentence, its counterpart from a labelled pair, the closing
quotation mark and a line break: a large model learns this from the web, this one from the pairs.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from contrapose.base.errors import TableError
from contrapose.base.seeds import derived_seed, generator
from contrapose.base.tasks import TASKS
from contrapose.jobs.timing import computed
from contrapose.models.checkpoint import Checkpoints
from contrapose.settings.catalogs import SmallLanguageModel
from contrapose.settings.instructions import QUOTE, Instructions
from contrapose.train.pretraining import Rows, byte_level, save_with_recipe, trained

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

END = "<|endoftext|>"  # GPT-2's
CLOSING = f"{QUOTE}\n"
# Gold scores from 0 to 5 by label, the similarity that an instruction asks for.  Our choice; the annotation
# guide of SemEval STS calls 4 and 5 equivalent, 2 and 3 partly so, 1 the same topic.
GRADES = {1.0: (4.0, 5.0), 0.5: (2.0, 3.0), 0.0: (0.0, 1.0)}


class Document(NamedTuple):
    """A training document in two parts, tokenised separately, as in generation.

    A text without a prompt follows the start token, as when its perplexity is computed.
    """

    prompt: str
    text: str

    @property
    def ending(self) -> str:
        """The text, with the closing mark if it follows an instruction."""
        return self.text + CLOSING if self.prompt else self.text


def pair_documents(
    benchmarks: pd.DataFrame, instructions: Sequence[Instructions], documents: int, seed: int
) -> list[Document]:
    """Make documents from the labelled pairs of train splits, and from random pairs, which have label 0.

    A pair is used in both directions and with every instruction for its label; in addition, one sentence of
    each pair is combined with a random sentence of its set.  Of a scale from 0 to 5, grades between those of
    GRADES are left out; of labels, 1 is label 1 and 0 is label 0.5: those who made these sets looked for
    pairs that are alike.

    At most `documents` are drawn at random; about 1 kB of memory each.  Raises TableError if no pair is left.
    """
    train = benchmarks[benchmarks.split == "train"]
    rng = generator("language model", "documents", seed)
    triplets: list[tuple[str, str, float]] = []
    for task, pairs in train.groupby("task", sort=True):
        first, second = pairs.sentence1.to_numpy(), pairs.sentence2.to_numpy()
        strangers = rng.permutation(second)
        labels = _labels(pairs.score.to_numpy(), TASKS[task].labels)
        for one, other, stranger, label in zip(first, second, strangers, labels, strict=True):
            if label is not None and one != other:
                triplets += [(one, other, label), (other, one, label)]
            if stranger not in (one, other):
                triplets.append((one, stranger, 0.0))
    documented = [
        (each, *triplet)
        for triplet in triplets
        if QUOTE not in triplet[1]
        for each in instructions
        if triplet[2] in {one.label for one in each.labels}
    ]
    if not documented:
        raise TableError(
            "the train splits of the paraphrase sets have no labelled pair, so no language model can "
            "be trained. Add one of these sets to the catalog, or use a language model of another "
            "kind."
        )
    chosen = rng.permutation(len(documented))[:documents]
    logger.info("%d of %d documents, of %d pairs", len(chosen), len(documented), len(train))
    return [
        Document(each.prompt(label, sentence), text)
        for each, sentence, text, label in (documented[at] for at in chosen)
    ]


def text_documents(texts: Sequence[str], documents: int, seed: int) -> list[Document]:
    """Make at most `documents` documents from texts without instructions, drawn at random."""
    chosen = generator("language model", "texts", seed).permutation(len(texts))[:documents]
    logger.info("%d of %d texts", len(chosen), len(texts))
    return [Document("", texts[at]) for at in chosen]


def _labels(scores: np.ndarray, two: bool) -> list[float | None]:
    if two:
        return [1.0 if score else 0.5 for score in scores]
    return [
        next((label for label, (low, high) in GRADES.items() if low <= score <= high), None)
        for score in scores
    ]


def train_language_model(
    documents: Sequence[Document],
    spec: SmallLanguageModel,
    folder: Path,
    tokenizer: "PreTrainedTokenizerBase | None" = None,
    checkpoints: Checkpoints | None = None,
) -> None:
    """Train tokenizer and language model from scratch and save them as a transformers folder.

    The loss covers all tokens, including those of the instruction.  Documents longer than `positions` tokens
    are truncated at the end.  `folder` gets config, tokenizer, `model.safetensors` (float16) and
    `recipe.json`.  The weights are a function of the arguments on one machine with one thread.  Without a
    `tokenizer`, which has tokens for start and end, one like GPT-2's is trained on the documents.
    """
    # Without the corpus: a later setting, which must not change the seeds of earlier models.
    torch.manual_seed(derived_seed("language model", spec.model_dump_json(exclude={"corpus"})) % 2**63)
    tokenizer = tokenizer or _tokenizer(documents, spec)
    model = _model(spec, tokenizer)
    encoded = _encoded(documents, tokenizer, spec.positions)
    training = trained(model, encoded, _loss_of(model, tokenizer), spec, checkpoints)
    save_with_recipe(model, tokenizer, spec.model_dump() | training, folder)


def _tokenizer(documents: Sequence[Document], spec: SmallLanguageModel) -> PreTrainedTokenizerFast:
    parts = (part for document in documents for part in (document.prompt, document.ending))
    trained_tokenizer = byte_level(parts, spec.vocabulary, [END])
    return PreTrainedTokenizerFast(
        tokenizer_object=trained_tokenizer, bos_token=END, eos_token=END, model_max_length=spec.positions
    )


def _encoded(documents: Sequence[Document], tokenizer: "PreTrainedTokenizerBase", positions: int) -> Rows:
    prompts = tokenizer([each.prompt for each in documents], verbose=False)["input_ids"]
    texts = tokenizer([each.ending for each in documents], verbose=False)["input_ids"]
    start, end = [tokenizer.bos_token_id], [tokenizer.eos_token_id]
    rows = zip(prompts, texts, strict=True)
    return [((prompt or start) + text + end)[:positions] for prompt, text in rows]


def _model(spec: SmallLanguageModel, tokenizer: "PreTrainedTokenizerBase") -> GPT2LMHeadModel:
    size = {"n_positions": spec.positions, "n_embd": spec.hidden}
    size |= {"n_layer": spec.layers, "n_head": spec.heads}
    dropout = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), spec.dropout)
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    return GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **size, **dropout, **ends))


def _loss_of(model: GPT2LMHeadModel, tokenizer: "PreTrainedTokenizerBase") -> Callable[[Rows], Tensor]:
    """Return a function: token ids of a batch to the mean loss over its tokens except the first ones."""

    def loss(rows: Rows) -> Tensor:
        longest, end = max(map(len, rows)), tokenizer.eos_token_id
        # (B, T), padded on the right: no token sees padding
        ids = torch.tensor([row + [end] * (longest - len(row)) for row in rows])
        read = torch.arange(longest) < torch.tensor([len(row) for row in rows])[:, None]
        computed(model, ids[:, 1:].numel())
        hidden = model.transformer(input_ids=ids[:, :-1]).last_hidden_state  # (B, T - 1, H)
        scored = read[:, 1:]
        return nn.functional.cross_entropy(model.lm_head(hidden[scored]), ids[:, 1:][scored])

    return loss
