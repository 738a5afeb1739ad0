"""The wording of real gold pairs, against what RISE prints in its Table 5."""

from pathlib import Path

import pandas as pd
import pytest

from contrapose.score.linguistics import overlaps
from contrapose.text.words import words
from tests.reference.real import DATA, on_real_files

pytestmark = on_real_files
FILES = {
    "STSb": ("sts_raw/stsbenchmark/sts-train.csv", 5, 0),
    "MRPC": ("mrpc_raw/msr_paraphrase_train.txt", 3, 1),  # GLUE holds a tenth of it out
}
ROWS = {f"BLEU-{order}": f"bleu{order}" for order in range(1, 5)} | {"BLEU-N": "bleu", "Jaccard": "jaccard"}
PRINTED = Path(__file__).parents[2] / "config/studies/rise/published/table5.csv"


@pytest.mark.parametrize("source", FILES)
def test_human_pairs_overlap_as_much_as_printed(source):
    file, column, header = FILES[source]
    lines = (DATA / file).read_text(encoding="utf-8-sig").rstrip("\n").split("\n")[header:]
    pairs = [line.split("\t")[column : column + 2] for line in lines]
    first, second = ([words(text.lower()) for text in side] for side in zip(*pairs, strict=True))
    found = 100 * overlaps(second, first).mean()
    printed = pd.read_csv(PRINTED).set_index("metric")[f"{source}_human"]
    assert {name: found[ours] for name, ours in ROWS.items()} == pytest.approx(
        {name: printed[name] for name in ROWS}, abs=0.15
    )
