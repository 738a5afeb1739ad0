"""Pre-train the mini world's encoders: real architectures, made small.

The English ones learn BERT's two tasks on documents (`documents`), the others masked tokens of short texts.

Run once (`python -m contrapose_mini.pretrain --role bert-base --folder ...`); the results are
checked in below `resources/mini/encoders/`.  The sentences come from a world of another seed than any
study uses, in all its styles, as a published encoder has read more than one encyclopedia.
"""

import argparse
import logging
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from contrapose.base.seeds import generator
from contrapose.settings.catalogs import SmallEncoder
from contrapose.train.pretraining import pretrain_encoder
from contrapose_mini.chinese import lexicon as chinese
from contrapose_mini.chinese import wording as chinese_wording
from contrapose_mini.documents import english_documents, next_sentence_task, sentences_of
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Fact, Meaning, change_detail, change_relation, draw_fact, negate
from contrapose_mini.japanese import wording as japanese_wording
from contrapose_mini.rinna import pretrain_rinna_encoder
from contrapose_mini.wording import Wording

WORLD_SEED = 1987  # far from 2023, the default world's: the encoders have not read the studies' articles
POST_RATE = 0.1  # ours; of Chinese texts with the marks and letters of web pages around them


class MiniEncoder(SmallEncoder):
    """Recipe of one encoder of the mini world; `texts` are documents in English."""

    language: Literal["english", "chinese", "japanese"] = "english"


DOCUMENTS = {"texts": 20_000, "steps": 14_000, "batch": 16, "heads": 4}
# With RoBERTa's larger vocabulary, dropout lifts wider ones only.
ROBERTA = MiniEncoder(architecture="roberta", vocabulary=2400, hidden=192, learning_rate=1.5e-3, **DOCUMENTS)
CHINESE = MiniEncoder(architecture="bert", language="chinese", vocabulary=1080, steps=4500)
MINI_ENCODERS = {
    "bert-base": MiniEncoder(learning_rate=2e-3, **DOCUMENTS),
    # RoBERTa was trained without next sentences; at this size [CLS] then says little of a sentence.
    "roberta-base": ROBERTA,
    "roberta-large": ROBERTA.model_copy(update={"layers": 3}),
    "bert-base-chinese": CHINESE,
    # As the published ones are, these two are BERT models in spite of their names.
    "chinese-roberta-wwm-ext": CHINESE.model_copy(update={"seed": 2, "steps": 9000}),
    "chinese-roberta-wwm-ext-large": CHINESE.model_copy(
        update={"seed": 2, "layers": 3, "hidden": 192, "heads": 3, "steps": 5000}
    ),
    # Saved in the form of rinna's.
    "japanese-roberta-base": MiniEncoder(
        architecture="roberta", language="japanese", vocabulary=1200, steps=9000, learning_rate=1.5e-3
    ),
}
IN_BFLOAT16 = ("roberta-large",)  # of the English ones


def write_mini_encoder(role: str, folder: Path) -> None:
    """Pre-train one of `MINI_ENCODERS`."""
    spec = MINI_ENCODERS[role]
    if spec.language == "english":
        documents = english_documents(spec.texts, WORLD_SEED)
        task = next_sentence_task(documents, spec, half=role in IN_BFLOAT16)
        pretrain_encoder(sentences_of(documents), spec, folder, task=task)
    else:
        write = pretrain_rinna_encoder if spec.language == "japanese" else pretrain_encoder
        write(pretraining_texts(spec.texts, spec.language), spec, folder)


def pretraining_texts(
    count: int, language: Literal["chinese", "japanese"], seed: int = WORLD_SEED
) -> list[str]:
    """Return `count` short texts of a world: one sentence, or two neighbours that speak of the same things.

    They are in any style.  Neighbours share an entity or tell of one event with another detail, in other
    words, as the sentences of a document do; that is what a masked language model can learn synonyms from.
    """
    rng = generator("mini", seed, "pretraining texts")
    text = {"chinese": _chinese_text, "japanese": _japanese_text}[language]
    return [text(rng) for _ in range(count)]


def _chinese_text(rng: np.random.Generator) -> str:
    style = choice(rng, tuple(chinese_wording.STYLES))
    meanings = _neighbours(rng, _drawn_fact(rng))
    text = "".join(chinese_wording.styled(style, meaning, Wording(rng)) for meaning in meanings)
    return choice(rng, chinese.POSTS).format(text) if chance(rng, POST_RATE) else text


def _japanese_text(rng: np.random.Generator) -> str:
    style = choice(rng, tuple(japanese_wording.STYLES))
    meanings = _neighbours(rng, _drawn_fact(rng))
    return japanese_wording.unspaced(
        "".join(japanese_wording.styled(style, meaning, Wording(rng)) for meaning in meanings)
    )


def _drawn_fact(rng: np.random.Generator) -> Fact:
    return negate(rng, draw_fact(rng)) if chance(rng, 0.1) else draw_fact(rng)


def _neighbours(rng: np.random.Generator, fact: Fact) -> list[Meaning]:
    """Return what one sentence says or two neighbours do, the first of them `fact`."""
    if chance(rng, 0.3):
        return [(fact, draw_fact(rng))]
    if chance(rng, 0.4):
        return [(fact,)]
    other = change_detail(rng, fact) if chance(rng, 0.5) else change_relation(rng, fact)
    return [(fact,), (other,)]


def main() -> None:
    """Make one of `MINI_ENCODERS` with one thread."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--role", choices=sorted(MINI_ENCODERS), required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    write_mini_encoder(arguments.role, arguments.folder)


if __name__ == "__main__":
    main()
