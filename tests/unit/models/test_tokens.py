from pathlib import Path

import numpy as np
import pytest
from transformers import AutoTokenizer

from contrapose.models.tokens import pieces, tokenised

ENCODERS = Path(__file__).parents[3] / "resources" / "mini" / "encoders"


def ids(text, tokenizer, max_length=32):
    return tokenised([text], tokenizer, max_length).ids.tolist()


@pytest.mark.parametrize("role", ["bert-base", "roberta-base"])
@pytest.mark.parametrize("word", ["[CLS]", "[MASK]"])
@pytest.mark.parametrize("text", ["The ship sank.", "the ship sank", "", "«é» 好"])
def test_special_words_in_front_are_exactly_the_tokenizers_own_tokens(role, word, text):
    tokenizer = AutoTokenizer.from_pretrained(ENCODERS / role)
    own = {"[CLS]": tokenizer.cls_token_id, "[MASK]": tokenizer.mask_token_id}[word]
    start, *rest = tokenizer(text)["input_ids"]
    assert start == tokenizer.cls_token_id
    for count in (1, 4):
        assert ids(f"{word} " * count + text, tokenizer) == [start, *[own] * count, *rest]
    assert ids(f"{word} " * 3 + text, tokenizer, max_length=4)[:3] == [start, own, own]


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (np.inf, [[9, 5, 5], [5, 4, 4, 4], [4, 2, 2, 1]]),  # as many as have room in 20 tokens
        (0, [[9], [5, 5, 5], [4, 4, 4, 4], [2, 2], [1]]),  # of one length alone
        (6, [[9], [5, 5, 5], [4, 4, 4, 4], [2, 2, 1]]),  # 2 and 2 are too few tokens for a piece
    ],
)
def test_pieces_of_enough_tokens_end_where_the_next_text_is_shorter(least, expected):
    lengths = np.array([4, 1, 5, 2, 4, 9, 5, 4, 2, 5, 4])
    order, sizes = pieces(lengths, 20, least)
    assert [part.tolist() for part in np.split(lengths[order], np.cumsum(sizes)[:-1])] == expected
