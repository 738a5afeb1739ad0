"""What the English mini encoders learn from: short documents, and BERT's two tasks on them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from contrapose.base.seeds import generator
from contrapose.settings.catalogs import SmallEncoder
from contrapose.train.pretraining import LossOf, Rows, Task, masked, masked_loss
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import change_detail, change_relation, draw_fact, negate
from contrapose_mini.styles import STYLES, styled
from contrapose_mini.wording import Wording, untokenised

FACTS, SENTENCES = 3, 6  # ours; of a document
LENGTH = 80  # ours; tokens of a pair of texts


class MadeDocument(NamedTuple):
    """Sentences of one style that speak of the same things."""

    style: str
    sentences: list[str]


def english_documents(count: int, seed: int) -> list[MadeDocument]:
    """Return short documents of a world: an event, and others with the same people and things, in turns.

    Half of them are cased prose, half are in the benchmarks' styles.  A sentence states one or two of the
    document's facts, each time in other words: from that synonyms are learnt, and that a sentence has to do
    with the one before it.
    """
    rng = generator("mini", seed, "documents")
    return [_document(rng) for _ in range(count)]


def sentences_of(documents: Sequence[MadeDocument]) -> list[str]:
    """Return the sentences of documents in their order."""
    return [sentence for document in documents for sentence in document.sentences]


def _document(rng: np.random.Generator) -> MadeDocument:
    prose = chance(rng, 0.5)
    style = "news" if prose else choice(rng, tuple(STYLES))
    facts = [negate(rng, draw_fact(rng)) if chance(rng, 0.1) else draw_fact(rng)]
    while len(facts) < FACTS:
        changed = change_relation if chance(rng, 0.6) else change_detail
        facts.append(changed(rng, choice(rng, facts)))
    counts = [1 if chance(rng, 0.7) else 2 for _ in range(SENTENCES)]
    meanings = (tuple(choice(rng, facts) for _ in range(count)) for count in counts)
    texts = (styled(style, meaning, Wording(rng)) for meaning in meanings)
    return MadeDocument(style, [untokenised(text) if prose else text.lower() for text in texts])


def next_sentence_task(documents: Sequence[MadeDocument], spec: SmallEncoder, half: bool = False) -> Task:
    """Return BERT's two tasks: to find masked tokens, and to tell what follows a text from what does not.

    Devlin et al. 2019, section 3.1.  Half of the pairs are a part of a document and what follows it.  In the
    others the second part is from another document *of the same style*: from any other one, the style alone
    would tell, and the vector of [CLS] then says nothing about the content of a sentence.

    Parameters
    ----------
    half : bool
        Compute in bfloat16 (autocast): 1.7 times as fast on a CPU that has it.
    """
    by_style: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        by_style.setdefault(document.style, []).append(number)

    def task(model: Any, tokenizer: Any) -> tuple[Rows, LossOf]:
        ids = tokenizer(sentences_of(documents), add_special_tokens=False)["input_ids"]
        parts = [ids[start : start + SENTENCES] for start in range(0, len(ids), SENTENCES)]
        head = nn.Sequential(nn.Linear(spec.hidden, spec.hidden), nn.Tanh(), nn.Linear(spec.hidden, 2))
        model.next_sentence = head  # for the optimiser; it is not saved
        rng = generator("mini", "sentence pairs", spec.seed)
        begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id

        def loss_of(rows: Rows) -> Tensor:
            pairs, follows = zip(*(pair(*row) for row in rows), strict=True)
            batch = masked([[begin, *first, end, *second, end] for first, second in pairs], tokenizer)
            types = {}
            if spec.architecture == "bert":
                types["token_type_ids"] = _types([len(first) + 2 for first, _ in pairs], batch[0].shape)
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                loss, vectors = masked_loss(model, batch, **types)
            labels = torch.tensor(follows, dtype=torch.long)
            return loss + nn.functional.cross_entropy(head(vectors.float()), labels)

        def pair(number: int) -> tuple[tuple[list[int], list[int]], bool]:
            start, count = int(rng.integers(SENTENCES - 1)), int(rng.integers(1, 3))
            follows = chance(rng, 0.5) and start + count < SENTENCES
            source = number if follows else choice(rng, by_style[documents[number].style])
            first = list(chain(*parts[number][start : start + count]))[: LENGTH // 2 - 2]
            second = list(chain(*parts[source][min(start + count, SENTENCES - 1) :]))
            return (first, second[: LENGTH - 3 - len(first)]), follows

        return [[number] for number in range(len(documents))], loss_of

    return task


def _types(ends: Sequence[int], shape: Sequence[int]) -> Tensor:
    """Return token types of shape (B, T): 0 of the first text and its marks, 1 behind."""
    return (torch.arange(shape[1])[None] >= torch.tensor(ends)[:, None]).long()
