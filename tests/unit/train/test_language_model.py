import json

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file

from contrapose.models.perplexity import load_causal_lm
from contrapose.settings.catalogs import SmallLanguageModel
from contrapose.settings.instructions import Instructions
from contrapose.train import small_language_models as module
from contrapose.train.small_language_models import Document, pair_documents, train_language_model

LABELS = [{"label": label, "relation": f"like {label:g}"} for label in (1, 0.5, 0)]
ASKED = Instructions.model_validate({"frame": '{relation}: "{sentence}" "', "labels": LABELS})
SIZES = {"layers": 1, "hidden": 32, "heads": 2, "vocabulary": 300, "positions": 64, "batch": 8}
SPEC = SmallLanguageModel(dropout=0.0, steps=200, **SIZES)


def pairs(*rows: tuple[str, str, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["task", "split", "sentence1", "sentence2", "score"])


@pytest.mark.parametrize(
    ("task", "score", "label"),
    [
        ("stsb_glue", 5.0, "1"), ("stsb_glue", 4.0, "1"), ("stsb_glue", 3.5, None), ("stsb_glue", 3.0, "0.5"),
        ("stsb_glue", 2.0, "0.5"), ("stsb_glue", 1.5, None), ("stsb_glue", 1.0, "0"), ("stsb_glue", 0.0, "0"),
        ("mrpc", 1.0, "1"), ("mrpc", 0.0, "0.5"), ("qqp", 1.0, "1"), ("qqp", 0.0, "0.5"),
    ],
)  # fmt: skip
def test_a_labelled_pair_is_read_in_both_directions(task, score, label):
    others = [(task, "dev", "c", "d", 5.0), ("paws_qqp", "train", "x", "y", 1.0)]
    table = pairs((task, "train", "a", "b", score), *others)
    found = {each for each in pair_documents(table, [ASKED], 10, 1) if each.text in "abcd"}
    both = {(f'like {label}: "a" "', "b"), (f'like {label}: "b" "', "a")}
    assert found == (both if label else set())


def test_sentences_of_different_pairs_are_about_something_else():
    benchmarks = pairs(*(("mrpc", "train", f"a{at}", f"b{at}", 1.0) for at in range(50)))
    found = [each for each in pair_documents(benchmarks, [ASKED, ASKED], 1000, 1) if "like 0:" in each.prompt]
    assert len(found) >= 90  # 50 for each of the instructions, but for a few that drew their own partner
    assert all(each.prompt != f'like 0: "a{each.text[1:]}" "' for each in found)


def test_the_folder_holds_a_model_that_has_learnt_its_documents(tmp_path):
    documents = [Document(ASKED.prompt(1, word), f"{word} indeed") for word in ("red", "green", "blue")]
    train_language_model(documents * 25, SPEC, tmp_path)
    lm = load_causal_lm(tmp_path)
    prompt = lm.tokenizer(ASKED.prompt(1, "green"), return_tensors="pt")
    with torch.no_grad():
        written = lm.model.generate(**prompt, max_new_tokens=12, do_sample=False)[0]
    text = lm.tokenizer.decode(written[prompt["input_ids"].shape[1] :])
    assert text.endswith(f' indeed"\n{module.END}')
    assert {tensor.dtype for tensor in load_file(tmp_path / "model.safetensors").values()} == {torch.float16}
    recipe = json.loads((tmp_path / "recipe.json").read_text())
    assert {key: recipe[key] for key in SPEC.model_dump()} == SPEC.model_dump()
