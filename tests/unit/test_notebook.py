"""The notebook of docs/tutorials/python.md, cell by cell."""

import json
import re

import pytest

from tests.checkout import HOME

CELLS = json.loads((HOME / "examples/notebook/pairs.ipynb").read_text())["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]
SHOWN = ["".join(cell["outputs"][-1]["data"]["text/plain"]) for cell in CODE]


def test_its_outputs_are_stored_and_name_no_machine():
    assert SHOWN[0] == "(914, 1500, 1379)"
    assert [cell["execution_count"] for cell in CODE] == [1, 2, 3, 4, 5]
    assert {output["output_type"] for cell in CODE for output in cell["outputs"]} == {"execute_result"}
    assert not re.search(r"/(home|root|tmp|work|Users|usr)/", json.dumps(CELLS))


@pytest.mark.slow
def test_the_notebook_runs_and_trains_as_its_outputs_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in CODE:
        exec("".join(cell["source"]), names)
    assert len(names["sentences"]) == len(names["pairs"]) == 914
    assert names["history"].loss.iloc[-1] < names["history"].loss.iloc[0]
    assert (tmp_path / "trained/model.safetensors").exists()
    stored = [float(score) for score in re.findall(r"\d\.\d{6}$", SHOWN[2], re.MULTILINE)]
    assert names["history"].dev_score.dropna().tolist() == pytest.approx(stored, abs=0.01)
