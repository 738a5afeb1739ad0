import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.report.about import TableRow
from contrapose.report.kinds.settings import SettingsAbout
from contrapose.tables import HISTORY, empty
from tests.kinds import about, file, report

PUBLISHED = pd.DataFrame({"model": ["bert"], "paraphrases": ["ChatGPT"], "epochs": [10], "dropout": [0.1]})
BOTH = ["p/r/seed42", "p/r/seed43"]
ROWS = [
    TableRow(group="Ours", model="bert", runs=BOTH, published="bert: ChatGPT"),
    TableRow(group="Ours", model="bert, selected", runs=["p/q/seed42"], note="epochs=5, best of 2"),
]
MADE = {"p/r/seed42": {}, "p/r/seed43": {}, "p/q/seed42": {"epochs": 5, "dropout": None}}


def table(made=MADE, columns=("epochs", "dropout"), of_pairs=()):
    def log(run: str, recipe: dict) -> str:
        settings = {"recipe": {"epochs": 10, "dropout": 0.0, "loss": "info_nce"} | recipe}
        names = dict(zip(("pairs", "recipe", "seed"), run.replace("seed", "").split("/"), strict=True))
        return file(empty(HISTORY), HISTORY, settings=settings, wildcards=names)

    facts = {
        "rows": ROWS,
        "seeds": [42, 43],
        "form": "senteval",
        "pairs": dict(of_pairs),
        "generated": True,
    }
    rows = [{"group": row.group, "model": row.model} for row in ROWS]
    settings = {"of": "table4", "columns": {name.split(".")[-1]: name for name in columns}, "rows": rows}
    logs = [log(*each) for each in made.items()]
    return report(
        "settings", settings, about(SettingsAbout, **facts), [], published=PUBLISHED, histories=logs
    )


def test_settings_are_what_the_logs_say_with_the_papers_beside_them():
    made = table()
    first = made.tidy[made.tidy["row"] == 0].set_index("column")
    assert first.value.to_dict() == {"epochs": 10, "dropout": 0}
    assert first.published.to_dict() == {"epochs": 10, "dropout": 0.1}
    assert set(first.n) == {2}
    assert made.csv.to_numpy().tolist() == [
        ["w", "Ours", "bert", "10", "10", "0", "0.1", ""],
        ["w", "Ours", "bert, selected", "5", "–", "–", "–", "epochs=5, best of 2"],
    ]
    assert "- Ours: bert, selected: epochs=5, best of 2" in made.markdown
    assert "| bert: ChatGPT | 10 | 0.1 |" in made.markdown.split("## The paper's settings")[1]


def test_seeds_that_differ_and_a_setting_that_is_no_number_are_refused():
    with pytest.raises(TableError, match="p/r/seed42 and its other seeds differ in epochs"):
        table({**MADE, "p/r/seed43": {"epochs": 20}})
    with pytest.raises(TableError, match="loss is 'info_nce', but a number is expected"):
        table(columns=["loss"])


def test_a_setting_of_the_pair_set_stands_beside_those_of_the_recipe():
    of_pairs = {run: {"temperature": 0.5} for run in MADE}
    made = table(columns=["epochs", "pairs.temperature"], of_pairs=of_pairs)
    cells = made.tidy.set_index(["row", "column"]).value
    assert (cells[0, "temperature"], cells[0, "epochs"]) == (0.5, 10)
