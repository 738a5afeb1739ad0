"""Texts of DINO: ours, and the public way of one instruction at a time.

The peer is written here after the public code (DINO's modeling.py and generation.py), which
subclasses the generation of an old `transformers`; today a logits processor does the same.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LogitsProcessor,
    LogitsProcessorList,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from benchmarks.compare import Item, UnequalError, Way
from benchmarks.perplexity import VOCABULARY, WORDS, tokenizer_of, train_tokenizer
from benchmarks.texts import mini_sentences
from contrapose.base.seeds import generator, uniforms
from contrapose.generate.dino_texts import dino_texts, outcome
from contrapose.models.perplexity import CausalLM
from contrapose.settings.corpora import DinoTexts
from contrapose.settings.instructions import QUOTE, Instructions

SENTENCES = 4
SPEC = DinoTexts(corpus="mini")  # DINO's settings
INSTRUCTIONS = Instructions.model_validate(
    {
        "frame": 'Task: Write two sentences that {relation}.\nSentence 1: "{sentence}"\nSentence 2: "',
        "labels": [
            {"label": 1, "relation": "mean the same thing"},
            {"label": 0.5, "relation": "are somewhat similar", "counters": [1]},
            {"label": 0, "relation": "are on completely different topics", "counters": [1, 0.5]},
        ],
    }
)
CLOSING = 7.8  # along the mark's embedding, so that a text has some 12 tokens, as a short sentence has
SAME = 0.9  # of the texts: random weights make tokens as likely as each other, and rounding then decides


class SelfDebiasing(LogitsProcessor):
    """Self-debiasing row by row, then the warpers; draws one token for all rows of a text."""

    def __init__(self, counters: int, uniform: np.ndarray, end: int) -> None:
        self.counters, self.uniform, self.end = counters, uniform, end
        self.warpers = LogitsProcessorList([TopKLogitsWarper(SPEC.top_k), TopPLogitsWarper(SPEC.top_p)])
        self.step = 0

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return scores of which one token of each text is left."""
        scores[:, self.end] = -torch.inf
        texts = len(scores) // (1 + self.counters)
        for text in range(texts if self.counters else 0):
            p = scores[text].softmax(-1)
            q = torch.stack(
                [scores[text + (at + 1) * texts].softmax(-1) for at in range(self.counters)]
            ).amax(0)
            factor = torch.exp(-SPEC.decay * (q - p).clamp(min=0)).clamp(min=SPEC.floor)
            scores[text::texts] = (p * factor / (p * factor).sum()).log()
        shares, order = self.warpers(input_ids, scores[:texts]).softmax(-1).sort(descending=True)
        draws = torch.from_numpy(self.uniform[:, self.step, None])
        tokens = order.gather(1, (shares.double().cumsum(1) <= draws).sum(1, keepdim=True))
        self.step += 1
        return torch.full_like(scores, -torch.inf).scatter(1, tokens.repeat(1 + self.counters, 1), 0.0)


def public_tokens(lm: CausalLM, sentences: pd.DataFrame) -> Iterator[list[int]]:
    """Yield the 40 token ids of texts: a batch of entries and counters for each sentence and label."""
    for sentence, asked in product(sentences.itertuples(), INSTRUCTIONS.labels):
        labels = (asked.label, *asked.counters)
        prompts = [INSTRUCTIONS.prompt(label, sentence.text) for label in labels for _ in range(SPEC.entries)]
        read = lm.tokenizer(prompts, padding=True, padding_side="left", return_tensors="pt")
        keys = [("dino", SPEC.seed, sentence.id, f"{asked.label:g}", entry) for entry in range(SPEC.entries)]
        draw = SelfDebiasing(len(asked.counters), uniforms(keys, SPEC.max_tokens), lm.start)
        tokens = lm.model.generate(
            input_ids=read["input_ids"],
            attention_mask=read["attention_mask"],
            do_sample=False,
            min_new_tokens=SPEC.max_tokens,
            max_new_tokens=SPEC.max_tokens,
            pad_token_id=lm.start,
            logits_processor=LogitsProcessorList([draw]),
        )
        yield from tokens[: SPEC.entries, read["input_ids"].shape[1] :].tolist()


def item(folder: Path) -> Item:
    """Return the item; the language model has random weights."""
    pool = [text for text in mini_sentences(folder, 4000) if len(text.split()) in WORDS]
    texts = generator("dino", 0).choice(pool, SENTENCES, replace=False)
    sentences = pd.DataFrame({"id": [str(at) for at in range(SENTENCES)], "text": texts})
    train_tokenizer(pool, folder)
    tokenizer = tokenizer_of(folder)
    tokenizer.pad_token = tokenizer.eos_token  # as the public code has it
    lm = CausalLM(_model(tokenizer.convert_tokens_to_ids(QUOTE)), tokenizer)

    def ours() -> pd.DataFrame:
        with TemporaryDirectory(dir=folder) as state:
            return dino_texts(lm, sentences, INSTRUCTIONS, SPEC, Path(state))

    def check() -> str:
        table = ours()
        tokens = list(public_tokens(lm, sentences))
        theirs = [outcome(text) for text in lm.tokenizer.batch_decode(tokens)]
        pairs = zip(theirs, zip(table.text, table.refused, strict=True), strict=True)
        same = sum(one == other for one, other in pairs)
        if same < SAME * len(table):
            raise UnequalError(f"{same} of {len(table)} texts are the same, and {SAME:.0%} have to be")
        mark = lm.tokenizer.convert_tokens_to_ids(QUOTE)
        lengths = [each.index(mark) + 1 if mark in each else len(each) for each in tokens]
        return (
            f"{same} of {len(table)} texts of the same draws are the same, {np.mean(lengths):.0f} tokens long"
        )

    count = SENTENCES * SPEC.entries * len(INSTRUCTIONS.labels)
    return Item(
        work=f"GPT-2's shape (12 layers of 768, {VOCABULARY} tokens) with random weights, float32: "
        f"{count} texts, {SPEC.entries} for each label of {SENTENCES} sentences of the mini world",
        ours=Way(lambda _: ours()),
        peers={
            "one instruction at a time": Way(
                lambda _: lm.tokenizer.batch_decode(list(public_tokens(lm, sentences)))
            )
        },
        check=check,
        differs="the peer always writes 40 tokens and cuts; ours ends with the quotation mark, and keeps "
        "every block of sentences on disk. Both keep keys and values.",
    )


def _model(mark: int) -> GPT2LMHeadModel:
    """Return a model that ends a text now and then, as a trained one does."""
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY)).eval()
    model.transformer.ln_f.bias.data += CLOSING * model.lm_head.weight.data[mark]
    return model
