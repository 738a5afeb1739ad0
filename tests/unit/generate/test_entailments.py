"""Entailments and contradictions by an encoder-decoder: GenSE's prompts, and how likely answers are."""

from hashlib import sha256

import numpy as np
import pytest
import torch
from transformers import T5ForConditionalGeneration

from contrapose.generate import entailments
from contrapose.generate.encoder_decoders import Seq2SeqModel
from contrapose.generate.entailments import JUDGING, WRITING, EntailmentWriting
from contrapose.tables import ENTAILMENTS, checked_arrays
from tests.hub.models import write_t5
from tests.tables import sentences


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_t5(tmp_path_factory.mktemp("t5"))


def test_prompts_have_the_tokens_of_their_parts_as_the_authors_join_them(folder):
    tokenizer = Seq2SeqModel(folder, "cpu").tokenizer
    first, second = "He isn't contending; so be it.", 'The "end"?'
    for prompt, texts in ((WRITING["entailment"], [first]), (JUDGING, [first, second])):
        parts = [part.strip() for part in prompt.split("{}")]
        alone = [parts[0], *(each for pair in zip(texts, parts[1:], strict=True) for each in pair)]
        ids = [token for part in alone for token in tokenizer(part, add_special_tokens=False)["input_ids"]]
        assert tokenizer(prompt.format(*texts))["input_ids"] == [*ids, 1]
        assert tokenizer.unk_token_id not in ids


def test_a_probability_is_that_of_the_first_token_among_both(folder):
    model = Seq2SeqModel(folder, "cpu")
    texts = ["the", "the sentence is longer", "a b c d e f g h i j k"]
    found = model.probabilities(texts, ["true", "false"])
    theirs = T5ForConditionalGeneration.from_pretrained(folder).eval()
    for text, probabilities in zip(texts, found, strict=True):
        ids = model.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            logits = theirs(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
        np.testing.assert_allclose(
            probabilities, logits[[3, 4]].softmax(0).numpy(), atol=1e-5
        )  # ▁true, ▁false
    assert len(set(found[:, 0])) == 3


def test_long_texts_are_cut_at_tokens_and_others_stay_as_they_are(folder):
    model = Seq2SeqModel(folder, "cpu")
    short, long = "the  sentence", "the sentence " * 9
    assert model.cut([short, long], 4) == [short, "the sentence the sentence"]


class FakeModel:
    """Writes how long its prompt is and of which kind, and is less sure of each; knows what it was asked."""

    def __init__(self):
        self.seeds, self.asked, self.judged = [], [], []

    def identity(self, *parts):
        return sha256("\n".join(parts).encode()).hexdigest()

    def cut(self, texts, longest):
        return [text[:longest] for text in texts]

    def drawn(self, texts, count, top_k, top_p, longest, seed):
        assert (count, top_k, top_p, longest) == (1, 50, 0.9, 63)
        self.asked += texts
        self.seeds.append(seed)
        return [f"{'follows' if 'entailment' in text else 'denies'} {len(text)}" for text in texts]

    def probabilities(self, texts, answers):
        self.judged += texts
        true = 0.5 + 1 / (2 + np.arange(len(texts)))
        return np.stack([true, 1 - true], axis=1)


def test_every_sentence_has_both_texts_and_what_the_model_thinks_of_them(tmp_path, monkeypatch):
    rows = sentences("One.", "The longest of all.", "Two words.", ids="abc")
    model = FakeModel()
    found = entailments.build(EntailmentWriting(), rows, model, tmp_path)
    checked_arrays(found, "found", ENTAILMENTS)
    assert found.sentence_id.tolist() == ["a", "b", "c"]
    prompts = {"b": "The longest of all.", "c": "Two words.", "a": "One."}  # the longest first
    assert model.asked == [prompt.format(text) for prompt in WRITING.values() for text in prompts.values()]
    lengths = {name: len(WRITING["entailment"].format(text)) for name, text in prompts.items()}
    assert found.entailment.tolist() == [f"follows {lengths[name]}" for name in "abc"]
    assert found.contradiction.str.startswith("denies").all()
    assert model.judged[0] == JUDGING.format("The longest of all.", found.entailment[1])
    assert found.p_entailment.tolist() == pytest.approx([0.75, 1, 5 / 6])
    assert found.p_contradiction.tolist() == pytest.approx([0.25, 0, 1 / 6])
    assert len(set(model.seeds)) == 2
    again = FakeModel()
    assert entailments.build(EntailmentWriting(), rows, again, tmp_path).equals(found)
    assert again.asked == []  # kept
    monkeypatch.setattr("contrapose.generate.entailments.SENTENCES", 2)
    assert len(entailments.build(EntailmentWriting(), rows, again, tmp_path / "2")) == 3
    assert len(set(again.seeds)) == 4
