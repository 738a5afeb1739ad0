"""The notebook of docs/api.md, cell by cell."""

import json

import pytest

from tests.checkout import HOME


@pytest.mark.slow
def test_the_notebook_runs_and_trains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads((HOME / "examples/notebook/pairs.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(names["sentences"]) == len(names["pairs"]) == 914
    assert names["history"].loss.iloc[-1] < names["history"].loss.iloc[0]
    assert (tmp_path / "trained/model.safetensors").exists()
