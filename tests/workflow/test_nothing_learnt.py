"""A comparison in which nothing is learnt shows no difference, whatever the encoder's folder declares."""

import re
import shutil

import pandas as pd
import pytest

from contrapose.tools.new import write
from tests.checkout import HOME, forked_snakemake
from tests.unit.models.layouts import dense, in_modules, pooling

WIDTH = 128  # of the mini world's BERT
ROWS = ("No training", "Dropout", "Span crop", "Dropout model soup", "Dropout weight interpolation")
LAYOUTS = {
    "first token": ((pooling("cls", width=WIDTH), ("Normalize", {})), {}),
    "dense, cut, prompt": (
        (pooling("max", width=WIDTH), dense(WIDTH, 64), ("Normalize", {})),
        {
            "transformer": {"max_seq_length": 24, "do_lower_case": True},
            "whole": {"truncate_dim": 32, "prompts": {"q": "the cat "}, "default_prompt_name": "q"},
        },
    ),
}


CASES = [("first token", "mean"), ("dense, cut, prompt", "own")]
SHORT = {"steps: 16 ": "steps: 2 ", "batch_size: 64": "batch_size: 8", "3.0e-5": "1.0e-12"}
LABEL = re.compile(r'      - {model: "?([^"{}]+?)"?, (?:pairs|encoder)')


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pooler"), CASES)
def test_every_difference_is_nought(name, pooler, tmp_path):
    encoder = shutil.copytree(HOME / "resources/mini/encoders/bert-base", tmp_path / "encoder")
    modules, others = LAYOUTS[name]
    in_modules(encoder, *modules, **others)
    (tmp_path / "s.txt").write_text("".join(f"The cat sat on mat number {n}.\n" for n in range(40)))
    pairs = "".join(f"A cat sits {n},The dog ran {n % 7} miles,{n % 5}\n" for n in range(30))
    (tmp_path / "t.csv").write_text("sentence1,sentence2,score\n" + pairs)
    own = tmp_path / "own"
    write(own, str(encoder), {"sentences": tmp_path / "s.txt", "test": tmp_path / "t.csv"})
    _edit(own / "config/recipes.yaml", {**SHORT, "pooling: own": f"pooling: {pooler}"})
    study = own / "config/studies/compare/study.yaml"
    lines = study.read_text().splitlines(keepends=True)
    study.write_text("".join(line for line in lines if (row := LABEL.match(line)) is None or row[1] in ROWS))
    table = "results/tables/compare_pairs.parquet"
    call = ("--directory", str(own), "--cores", "2", "--config", "seeds=1", "--", table)
    done = forked_snakemake(HOME, *call)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = pd.read_parquet(own / table)
    means = cells[cells.seed.isna() & (cells.variant == "")].set_index("model")
    trained = means.loc[means.index.intersection(ROWS[1:])]
    assert len(trained) == 4
    assert trained.difference.abs().max() < 0.005
    assert ("No training, mean pooling" in means.index) == (pooler == "mean")


def _edit(file, changes):
    text = file.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
