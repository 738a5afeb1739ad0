import json

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from contrapose.train.pretraining import pretrain_encoder
from contrapose_mini.documents import english_documents, next_sentence_task, sentences_of
from contrapose_mini.pretrain import MiniEncoder, pretraining_texts

DOCUMENTS = english_documents(40, seed=3)
TEXTS = sentences_of(DOCUMENTS)
SHAPE = {"layers": 1, "hidden": 16, "heads": 2, "steps": 3, "batch": 4}
SPECS = {
    architecture: MiniEncoder(architecture=architecture, vocabulary=400, texts=200, **SHAPE)
    for architecture in ("bert", "roberta")
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    parent = tmp_path_factory.mktemp("encoders")
    return {name: pretrain_encoder(TEXTS, spec, parent / name) for name, spec in SPECS.items()}


@pytest.mark.parametrize(
    ("architecture", "first", "ignores"), [("bert", "[CLS]", True), ("roberta", "<s>", False)]
)
def test_the_folder_is_an_ordinary_transformers_folder(folders, architecture, first, ignores):
    tokenizer = AutoTokenizer.from_pretrained(folders[architecture])
    model = AutoModel.from_pretrained(folders[architecture], dtype=torch.float32, add_pooling_layer=False)
    # As many tokens as the tokenizer lets through must fit into the position table.
    inputs = tokenizer("doctor " * 300, truncation=True, return_tensors="pt")
    assert inputs["input_ids"].shape == (1, 128)
    assert model(**inputs).last_hidden_state.shape == (1, 128, 16)
    upper, lower = tokenizer("Doctor")["input_ids"], tokenizer("doctor")["input_ids"]
    assert (upper == lower) == ignores
    assert tokenizer.convert_ids_to_tokens(lower)[0] == first
    weights = load_file(folders[architecture] / "model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.float16}
    assert not [name for name in weights if "pooler" in name]


def test_the_same_recipe_gives_the_same_weights(folders, tmp_path):
    again = pretrain_encoder(TEXTS, SPECS["bert"], tmp_path / "again")
    recipes = (json.loads((folder / "recipe.json").read_text()) for folder in (folders["bert"], again))
    assert len({recipe["sha256"] for recipe in recipes}) == 1


def test_a_chinese_character_is_a_token_and_a_word_in_other_letters_is_cut_into_pieces(tmp_path):
    texts = pretraining_texts(3000, "chinese", seed=3)
    spec = MiniEncoder(architecture="bert", language="chinese", vocabulary=1300, **SHAPE)
    tokenizer = AutoTokenizer.from_pretrained(pretrain_encoder(texts, spec, tmp_path / "chinese"))
    tokens = tokenizer.tokenize("请问，Keller医生在USA吗?")
    assert "".join(token.removeprefix("##") for token in tokens) == "请问，keller医生在usa吗?"
    assert [token for token in tokens if not token.removeprefix("##").isascii()] == list("请问，医生在吗")
    marks = ".,!?;:．，！？；：。[]~|"
    assert tokenizer.tokenize(marks) == list(marks)
    assert tokenizer.unk_token_id not in {token for row in tokenizer(texts)["input_ids"] for token in row}


def test_documents_speak_of_one_thing_in_one_style_each_time_in_other_words():
    documents = english_documents(30, seed=5)
    assert documents == english_documents(30, seed=5)
    assert {len(document.sentences) for document in documents} == {6}
    assert len({document.style for document in documents}) > 1
    assert sum(len(set(document.sentences)) for document in documents) > 170


@pytest.mark.parametrize("architecture", SPECS)
def test_half_of_the_pairs_follow_each_other_and_the_others_have_the_same_style(architecture, monkeypatch):
    """What a batch is made of, seen by a tokenizer that numbers sentences and a model that is not there."""
    documents = english_documents(400, seed=5)
    told = []
    monkeypatch.setattr("contrapose_mini.documents.masked", lambda rows, _: (torch.zeros(len(rows), 9), rows))

    def loss(model, batch, **inputs):
        told.append((batch[1], inputs))
        return torch.tensor(0.0), torch.zeros(len(batch[1]), 16)

    class Numbers:
        cls_token_id, sep_token_id = -1, -2

        def __call__(self, sentences, **_):
            return {"input_ids": [[number] for number in range(len(sentences))]}

    monkeypatch.setattr("contrapose_mini.documents.masked_loss", loss)
    rows, loss_of = next_sentence_task(documents, SPECS[architecture])(torch.nn.Module(), Numbers())
    loss_of(rows)
    ((pairs, inputs),) = told
    follows = 0
    for row in pairs:
        middle = row.index(-2)
        first, second = row[1:middle], row[middle + 1 : -1]
        assert (row[0], row[-1]) == (-1, -2)
        assert documents[first[0] // 6].style == documents[second[0] // 6].style
        follows += second[0] == first[-1] + 1
    assert 0.35 < follows / len(pairs) < 0.55
    if architecture == "bert":
        ends = (inputs["token_type_ids"] == 0).sum(1)
        assert ends.tolist() == [row.index(-2) + 1 for row in pairs]
    else:
        assert inputs == {}


def test_the_task_trains_an_encoder_that_is_saved_without_its_head(tmp_path):
    spec = SPECS["bert"]
    folder = pretrain_encoder(TEXTS, spec, tmp_path / "bert", task=next_sentence_task(DOCUMENTS, spec))
    assert not [name for name in load_file(folder / "model.safetensors") if "next_sentence" in name]
    assert json.loads((folder / "recipe.json").read_text())["final_loss"] > 0
