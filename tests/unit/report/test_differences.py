import numpy as np
import pandas as pd
import pytest

from contrapose.report.comparison import SECOND
from tests.kinds import about, cells, drawn, report

COLUMNS = ("STSb_r", "QQP_f1")


def differences(shown: pd.DataFrame, generated: bool = False):
    return report("differences", {"of": "t"}, about(generated=generated), shown)


def table(seeds: int = 3) -> pd.DataFrame:
    """Two groups with DINO as baseline, whose rows are 1 and 2 above it; the paper has no RISE of QQP_f1."""
    rows = []
    for at, group in enumerate(("STSb", "QQP")):
        for which, model in enumerate(("DINO", "RISE", "Random")):
            for column in COLUMNS:
                own = {"row": 3 * at + which, "group": group, "model": model, "column": column}
                rows += [{**own, "seed": 42 + k, "value": 70.0 + which} for k in range(seeds)]
                printed = np.nan if (model, column) == ("RISE", "QQP_f1") else 50.0 + 10 * at + 3 * which
                mean = {**own, "value": 70.0 + which, "published": printed}
                if which:
                    ends = {"difference_low": which - 0.5, "difference_high": which + 0.7}
                    mean |= {"baseline": f"{group}: DINO", "difference": float(which), **ends}
                rows.append(mean)
    return cells(*rows).sample(frac=1, random_state=1)


def test_differences_and_intervals_are_those_of_the_table_and_the_papers_are_between_the_same_rows():
    points = differences(table()).tidy
    cells = points.set_index(["source", "panel", "line", "label"])
    own = cells.loc["ours", "QQP", "Random", "STSb_r"]
    assert (own.baseline, own.value, own.ci_low, own.ci_high, own.n) == ("QQP: DINO", 2, 1.5, 2.7, 3)
    theirs = cells.loc["published", "QQP", "Random", "STSb_r"]
    assert theirs.value == 6
    assert np.isnan(theirs.ci_low)
    assert points.source.value_counts().to_dict() == {"ours": 8, "published": 6}  # two are not printed
    assert set(differences(table(), generated=True).tidy.source) == {"ours"}
    means = table().dropna(subset="difference")
    both = pd.concat([table(), means.assign(variant=SECOND, difference=9.0)])
    assert differences(both).tidy.equals(points)


@pytest.mark.parametrize(
    ("tidy", "generated"), [(table(), False), (table(1), True), (table()[:0], False), (table(0), False)]
)
def test_equal_tables_give_equal_figures(tmp_path, tidy, generated):
    drawn(differences(tidy, generated), tmp_path)
