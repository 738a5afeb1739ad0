"""Perplexity of candidates: ours, the metric of Hugging Face's `evaluate`, and lmppl.

The peers are written here after their public code (`evaluate` metrics/perplexity, lmppl 0.3
ppl_recurrent_lm), which loads models from the hub only.
"""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import ByteLevelBPETokenizer
from torch.nn import CrossEntropyLoss
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Tokenizer

from benchmarks.compare import Item, Way, agreed
from benchmarks.texts import mini_sentences
from contrapose.base.seeds import generator
from contrapose.models.perplexity import CausalLM, perplexities

SENTENCES = 12
CANDIDATES = 5  # of a sentence
WORDS = range(6, 50)  # of a sentence; PPDB-CSE replaces phrases in sentences of this length
PHRASE = 3  # words taken out, and put in, at most
EVALUATE_BATCH = 16  # texts, its default
LMPPL_BATCH = 32  # texts, as in its README; all at once if not given
VOCABULARY = 50257  # tokens of GPT-2
END = "<|endoftext|>"  # which is also GPT-2's start
ALLOWED = 1e-5  # of a perplexity


class EvaluateMetric:
    """The metric of `evaluate`: all texts padded to the longest, a start token before each batch."""

    def __init__(self, model: GPT2LMHeadModel, tokenizer: GPT2Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.tokenizer.pad_token = END  # it takes the first special token there is

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """Return the perplexity of each text."""
        encoded = self.tokenizer(
            texts, add_special_tokens=False, padding=True, return_tensors="pt", return_attention_mask=True
        )
        loss = CrossEntropyLoss(reduction="none")
        found: list[float] = []
        for at in range(0, len(texts), EVALUATE_BATCH):
            tokens, mask = (
                encoded[name][at : at + EVALUATE_BATCH] for name in ("input_ids", "attention_mask")
            )
            start = torch.full((len(tokens), 1), self.tokenizer.bos_token_id)
            tokens = torch.cat([start, tokens], dim=1)
            mask = torch.cat([torch.ones_like(start), mask], dim=1)
            with torch.no_grad():
                logits = self.model(tokens, attention_mask=mask).logits
            before, after, scored = (
                each.contiguous() for each in (logits[:, :-1], tokens[:, 1:], mask[:, 1:])
            )
            nats = (loss(before.transpose(1, 2), after) * scored).sum(1) / scored.sum(1)
            found += torch.exp(nats).tolist()
        return found


class LMPPL:
    """The class for causal models of lmppl: batch after batch, a padding token added to the vocabulary."""

    def __init__(self, model: GPT2LMHeadModel, tokenizer: GPT2Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.tokenizer.add_special_tokens({"pad_token": "<<PAD>>"})
        self.model.resize_token_embeddings(len(tokenizer))

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """Return the perplexity of each text, its first token apart."""
        loss = CrossEntropyLoss(reduction="none")
        found: list[float] = []
        with torch.no_grad():
            for at in range(0, len(texts), LMPPL_BATCH):
                batch = self.tokenizer(
                    texts[at : at + LMPPL_BATCH], truncation=True, padding=True, return_tensors="pt"
                )
                logits = self.model(**batch).logits[:, :, :-1]  # without the added token
                labels = batch["input_ids"]
                labels[labels == self.tokenizer.pad_token_id] = loss.ignore_index
                before, after = logits[:, :-1].contiguous(), labels[:, 1:].contiguous()
                nats = loss(before.view(-1, before.size(-1)), after.view(-1)).view(len(labels), -1)
                scored = (after != loss.ignore_index).sum(-1)
                found += (nats.sum(-1) / scored).tolist()
        return [math.exp(nats) for nats in found]


def item(folder: Path) -> Item:
    """Return the item; the language model has random weights."""
    pool = [text for text in mini_sentences(folder, 4000) if len(text.split()) in WORDS]
    random = generator("perplexity", 0)
    sentences = random.choice(pool, SENTENCES, replace=False)
    texts = [text for sentence in sentences for text in _candidates(sentence, pool, random)]
    train_tokenizer(pool, folder)
    lm = CausalLM(_model(), tokenizer_of(folder))
    evaluate = EvaluateMetric(lm.model, tokenizer_of(folder))
    lmppl = LMPPL(_model(), tokenizer_of(folder))

    def check() -> str:
        ours = perplexities(lm, texts)
        theirs = [
            evaluate(texts),
            lmppl([END + text for text in texts]),  # the first token of its texts is not scored
        ]
        furthest = float(np.abs(np.array(theirs) / ours - 1).max())
        return agreed(furthest, ALLOWED, "with lmppl given the start token, perplexities")

    lengths = [len(ids) for ids in lm.tokenizer(texts)["input_ids"]]
    return Item(
        work=f"GPT-2's shape (12 layers of 768, {VOCABULARY} tokens) with random weights, "
        f"float32: {CANDIDATES} candidates for each of {SENTENCES} sentences of the mini world, a phrase "
        f"replaced at a random place; {min(lengths)} to {max(lengths)} tokens, "
        f"{np.mean(lengths):.0f} on average",
        ours=Way(lambda _: perplexities(lm, texts)),
        peers={
            "evaluate metric": Way(lambda _: evaluate(texts)),
            "lmppl": Way(lambda _: lmppl(texts)),
        },
        check=check,
        differs=f"the peers take {EVALUATE_BATCH} and {LMPPL_BATCH} texts at once in the order given; "
        "when timed, lmppl has no start token and leaves each text's first token unscored. We look for "
        "numbers that are not finite.",
    )


def _candidates(sentence: str, pool: Sequence[str], random: np.random.Generator) -> Iterator[str]:
    """Replace a phrase of the sentence, again and again, by one from another sentence."""
    words = sentence.split()
    for _ in range(CANDIDATES):
        first = random.integers(len(words))
        other = random.choice(pool).split()
        begin = random.integers(len(other))
        taken, put = random.integers(1, PHRASE, size=2, endpoint=True)
        yield " ".join([*words[:first], *other[begin : begin + put], *words[first + taken :]])


def train_tokenizer(texts: Sequence[str], folder: Path) -> None:
    """Write the files of a tokenizer with GPT-2's many tokens."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, special_tokens=[END], show_progress=False)
    trained.save_model(str(folder))
    path = folder / "vocab.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))
    # As many as the model has, of which so little text does not use most: lmppl cuts the model to them.
    vocabulary |= {f"<unused {number}>": number for number in range(len(vocabulary), VOCABULARY)}
    path.write_text(json.dumps(vocabulary), encoding="utf-8")


def tokenizer_of(folder: Path) -> GPT2Tokenizer:
    """Return the tokenizer of such files."""
    files = {"vocab": str(folder / "vocab.json"), "merges": str(folder / "merges.txt")}
    return GPT2Tokenizer(**files, bos_token=END, eos_token=END)


def _model() -> GPT2LMHeadModel:
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY)).eval()
