import json

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from contrapose.train.pretraining import pretrain_encoder
from contrapose_mini.documents import english_documents, next_sentence_task, sentences_of
from contrapose_mini.pretrain import MiniEncoder

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


def test_the_task_trains_an_encoder_that_is_saved_without_its_head(tmp_path):
    spec = SPECS["bert"]
    folder = pretrain_encoder(TEXTS, spec, tmp_path / "bert", task=next_sentence_task(DOCUMENTS, spec))
    assert not [name for name in load_file(folder / "model.safetensors") if "next_sentence" in name]
    assert json.loads((folder / "recipe.json").read_text())["final_loss"] > 0
