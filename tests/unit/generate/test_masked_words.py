"""Words replaced by a masked language model: against the pipeline of transformers, and by hand."""

import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, pipeline

from contrapose.generate import masked_words
from contrapose.generate.masked_language_model import MaskedLanguageModel
from contrapose.generate.masked_words import MaskedWords
from contrapose.tables import PARAPHRASES, checked_arrays
from tests.tables import sentences

MINI = Path(__file__).parents[3] / "resources/mini/encoders"
TEXTS = ["The {} is in the north of the town.", "She {} them.", "In 1987 the river and the {} were one."]
WORDS = ["river", "saw", "sea"]


@pytest.fixture(scope="module", params=["bert-base", "roberta-base"])
def folder(request, tmp_path_factory):
    """A mini encoder with a layer of random weights that predicts words."""
    torch.manual_seed(0)
    made = tmp_path_factory.mktemp(request.param)
    AutoModelForMaskedLM.from_pretrained(MINI / request.param).save_pretrained(made)
    AutoTokenizer.from_pretrained(MINI / request.param).save_pretrained(made)
    return made


@pytest.fixture(scope="module")
def ranked(folder):
    """For each text, each whole word that can stand for the mask and its probability, likeliest first."""
    fill = pipeline("fill-mask", str(folder))
    tokenizer = fill.tokenizer
    found = fill([text.format(tokenizer.mask_token) for text in TEXTS], top_k=len(tokenizer))
    roberta = "roberta" in str(folder)
    names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    whole = {
        token
        for token, name in enumerate(names)
        if (name[1:].isalnum() and name[0] == "Ġ" if roberta else name.isalnum())
    }
    assert 100 < len(whole) < len(tokenizer) - 100
    return [
        [
            (each["token"], each["token_str"].strip(), each["score"])
            for each in one
            if each["token"] in whole and each["token_str"].strip().lower() != own
        ]
        for one, own in zip(found, WORDS, strict=True)
    ]


def masked(model):
    return [text.format(model.mask) for text in TEXTS]


def test_the_likeliest_other_word_is_the_first_of_the_pipeline(folder, ranked):
    model = MaskedLanguageModel(folder, "cpu")
    best = [one[0][1] for one in ranked]
    own = [[word.title()] for word in WORDS]  # in any case
    assert model.fill(masked(model), own, None) == [[word] for word in best]
    second = [one[1][1] for one in ranked]
    assert model.fill(masked(model), [[word] for word in best], None) != [[word] for word in best]
    found = model.fill(masked(model), [[word] for word in best], None)
    assert all(other in (word, own) for (other,), word, own in zip(found, second, WORDS, strict=True))


def test_several_masks_are_in_their_order_and_those_behind_the_limit_have_no_word(folder):
    model = MaskedLanguageModel(folder, "cpu")
    one, two, long = (
        f"The {model.mask} fell.",
        f"The {model.mask} of the {model.mask}.",
        f"{model.mask} a " * 300,
    )
    own = [["x"], ["x"] * 2, ["x"] * 300]
    found = model.fill([one, two, long], own, None)
    assert [len(each) for each in found[:2]] == [1, 2]
    assert 10 < len(found[2]) < 300
    assert [
        model.fill([text], [words], None)[0] for text, words in zip((one, two), own, strict=False)
    ] == found[:2]


class Counting:
    """Fills masks with the words w0, w1 ... and remembers what it was given."""

    mask = "[MASK]"

    def __init__(self):
        self.calls = []

    def identity(self, *parts):
        return sha256("\n".join(parts).encode()).hexdigest()

    def fill(self, texts, words, draws):
        self.calls.append((texts, words, draws))
        return [[f"w{at}" for at in range(len(own))] for own in words]


SOURCES = sentences(
    "One two three (four), five!", "...", "A [MASK] word is here.", "Un-heard of: no-one's words", ids="abcd"
)


@pytest.fixture
def replaced(tmp_path):
    def table(model, rows=SOURCES, state="state", **settings):
        parts = list(masked_words.build(MaskedWords(**settings), rows, model, tmp_path / state))
        for part in parts:
            checked_arrays(part, "part", PARAPHRASES)
        return {(row.sentence_id, row.slot): row.text for part in parts for row in part.itertuples()}

    return table


def test_a_share_of_the_words_is_replaced_without_the_marks_around_them(replaced):
    model = Counting()
    found = replaced(model, rate=0.9)
    assert found["a", 0] in {  # four of five
        "One w0 w1 (w2), w3!",
        "W0 two w1 (w2), w3!",
        "W0 w1 three (w2), w3!",
        "W0 w1 w2 (four), w3!",
        "W0 w1 w2 (w3), five!",
    }
    assert (found["b", 0], found["c", 0], found["d", 0]) == ("...", "A [MASK] word is here.", "W0 w1: w2 w3")
    ((texts, words, draws),) = model.calls
    assert (texts[3], words[3]) == ("[MASK] [MASK]: [MASK] [MASK]", ["Un-heard", "of", "no-one's", "words"])
    assert draws is None
    (one,) = replaced(Counting(), SOURCES[:1], "15 %").values()
    assert len(re.findall(r"[wW]\d", one)) == 1


def test_words_are_chosen_by_the_sentence_the_slot_and_the_draw_alone(replaced, monkeypatch):
    rows = sentences(*["one two three four five six seven eight nine ten"] * 40)
    model = Counting()
    found = replaced(model, rows, slots=2, choice="drawn")
    monkeypatch.setattr("contrapose.generate.masked_words.ROWS_PER_GROUP", 7)
    assert replaced(Counting(), rows[::-1], "other", slots=2, choice="drawn") == found
    assert len(set(found.values())) > 20  # two of ten: 45
    assert sum(found[name, 0] != found[name, 1] for name in rows.id) > 30
    assert replaced(Counting(), rows, "third", slots=2, seed=2) != found
    draws = np.concatenate(model.calls[0][2])
    assert draws.shape == (2 * 40 * 2,)
    assert 0.4 < draws.mean() < 0.6
