import json

import pytest
import torch
from pydantic import ValidationError
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from contrapose.train.pretraining import pretrain_encoder
from contrapose_mini.pretrain import MiniEncoder, pretraining_texts

TEXTS = pretraining_texts(200, seed=3)
SPECS = {
    architecture: MiniEncoder(
        architecture=architecture, layers=1, hidden=16, heads=2, vocabulary=400, steps=3, batch=4, texts=200
    )
    for architecture in ("bert", "roberta")
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    parent = tmp_path_factory.mktemp("encoders")
    return {name: pretrain_encoder(TEXTS, spec, parent / name) for name, spec in SPECS.items()}


@pytest.mark.parametrize("architecture", SPECS)
def test_the_folder_is_an_ordinary_transformers_folder(folders, architecture):
    tokenizer = AutoTokenizer.from_pretrained(folders[architecture])
    model = AutoModel.from_pretrained(folders[architecture], dtype=torch.float32, add_pooling_layer=False)
    # As many tokens as the tokenizer lets through must fit into the position table.
    inputs = tokenizer("doctor " * 300, truncation=True, return_tensors="pt")
    assert inputs["input_ids"].shape == (1, 128)
    assert model(**inputs).last_hidden_state.shape == (1, 128, 16)


@pytest.mark.parametrize("architecture", SPECS)
def test_weights_are_float16_and_have_no_pooler(folders, architecture):
    weights = load_file(folders[architecture] / "model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.float16}
    assert not [name for name in weights if "pooler" in name]


def test_bert_ignores_case_and_roberta_does_not(folders):
    same = {
        name: AutoTokenizer.from_pretrained(folder)("Doctor")["input_ids"]
        == AutoTokenizer.from_pretrained(folder)("doctor")["input_ids"]
        for name, folder in folders.items()
    }
    assert same == {"bert": True, "roberta": False}


def test_every_sentence_begins_with_the_token_whose_state_is_the_embedding(folders):
    firsts = {"bert": "[CLS]", "roberta": "<s>"}
    for name, folder in folders.items():
        tokenizer = AutoTokenizer.from_pretrained(folder)
        assert tokenizer.convert_ids_to_tokens(tokenizer("a dog")["input_ids"])[0] == firsts[name]


def test_the_same_recipe_gives_the_same_weights(folders, tmp_path):
    again = pretrain_encoder(TEXTS, SPECS["bert"], tmp_path / "again")
    made, remade = (
        json.loads((folder / "recipe.json").read_text())["sha256"] for folder in (folders["bert"], again)
    )
    assert made == remade


def test_a_misspelt_setting_is_refused():
    with pytest.raises(ValidationError):
        MiniEncoder(architecture="bert", hiden=64)


CHINESE_TEXTS = pretraining_texts(3000, "chinese", seed=3)


@pytest.fixture(scope="module")
def chinese_tokenizer(tmp_path_factory):
    spec = MiniEncoder(
        architecture="bert",
        language="chinese",
        layers=1,
        hidden=16,
        heads=2,
        vocabulary=1080,
        steps=3,
        batch=4,
    )
    return AutoTokenizer.from_pretrained(
        pretrain_encoder(CHINESE_TEXTS, spec, tmp_path_factory.mktemp("chinese"))
    )


def test_a_chinese_character_is_a_token_and_a_word_in_other_letters_is_cut_into_pieces(chinese_tokenizer):
    tokens = chinese_tokenizer.tokenize("请问，Keller医生在USA吗?")
    assert "".join(token.removeprefix("##") for token in tokens) == "请问，keller医生在usa吗?"
    assert [token for token in tokens if not token.removeprefix("##").isascii()] == list("请问，医生在吗")


def test_marks_of_both_widths_have_tokens_of_their_own(chinese_tokenizer):
    marks = ".,!?;:．，！？；：。[]~|"
    assert chinese_tokenizer.tokenize(marks) == list(marks)


def test_no_character_of_the_chinese_texts_is_unknown(chinese_tokenizer):
    ids = chinese_tokenizer(CHINESE_TEXTS)["input_ids"]
    assert chinese_tokenizer.unk_token_id not in {token for row in ids for token in row}
