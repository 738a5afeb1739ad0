import pandas as pd
import pytest
from contrapose.jobs import SettingsTableJob
from contrapose.report.settings_table import settings_csv, settings_markdown, settings_table

from contrapose.errors import TableError
from contrapose.report.about import TableRow
from contrapose.report.published import printed_rows
from contrapose.settings.rows import PrintedLayout

PUBLISHED = pd.DataFrame({"model": ["bert"], "paraphrases": ["ChatGPT"], "epochs": [10], "dropout": [0.1]})
BOTH = ["p/r/seed42", "p/r/seed43"]


def job(**changed):
    settings = {
        **{"table": "table9", "caption": "A caption.", "source": "A paper, 2023", "world": "tiny"},
        **{"world_description": "two tasks", "generated": True, "seeds": [42, 43]},
        "columns": [("epochs", "epochs"), ("dropout", "dropout")],
        "rows": [
            TableRow(group="Ours", model="bert", runs=BOTH, published="bert: ChatGPT"),
            TableRow(group="Ours", model="bert, selected", runs=["p/q/seed42"], note="epochs=5, best of 2"),
        ],
    }
    return SettingsTableJob(**{**settings, **changed})


def made(**recipe):
    return {"settings": {"recipe": {"epochs": 10, "dropout": 0.0, "loss": "info_nce"} | recipe}}


MADE = {"p/r/seed42": made(), "p/r/seed43": made(), "p/q/seed42": made(epochs=5, dropout=None)}


def test_settings_are_what_the_logs_say_and_not_what_the_paper_says():
    tidy = settings_table(MADE, PUBLISHED, job())
    first = tidy[tidy["row"] == 0].set_index("column")
    assert first.value.to_dict() == {"epochs": 10, "dropout": 0}
    assert first.published.to_dict() == {"epochs": 10, "dropout": 0.1}
    assert set(first.n) == {2}
    assert settings_csv(tidy, job()).to_numpy().tolist() == [
        ["tiny", "Ours", "bert", "10", "0", ""],
        ["tiny", "Ours", "bert, selected", "5", "–", "epochs=5, best of 2"],
    ]


def test_the_papers_settings_stand_beside_them():
    text = settings_markdown(settings_table(MADE, PUBLISHED, job()), PUBLISHED, job())
    ours, theirs = text.split("## The paper's settings")
    assert "| Ours | bert | 10 | 0 |" in ours
    assert "- Ours: bert, selected: epochs=5, best of 2" in ours
    assert "| bert: ChatGPT | 10 | 0.1 |" in theirs


def test_seeds_that_were_trained_with_different_settings_are_refused():
    with pytest.raises(TableError, match="p/r/seed42 and its other seeds differ in epochs"):
        settings_table({**MADE, "p/r/seed43": made(epochs=20)}, PUBLISHED, job())


def test_a_setting_that_is_no_number_is_refused():
    with pytest.raises(TableError, match="loss is 'info_nce', no number"):
        settings_table(MADE, PUBLISHED, job(columns=[("epochs", "loss")]))


def test_a_setting_of_the_pair_set_stands_beside_those_of_the_recipe():
    of_pairs = {run: {"temperature": 0.5} for run in [*BOTH, "p/q/seed42"]}
    own = job(columns=[("epochs", "epochs"), ("tau", "pairs.temperature")], pairs=of_pairs)
    cells = settings_table(MADE, PUBLISHED, own).set_index(["row", "column"]).value
    assert cells[0, "tau"] == 0.5
    assert cells[0, "epochs"] == 10


def test_a_printed_table_with_our_rows_as_columns_is_turned():
    printed = pd.DataFrame({"hyperparameter": ["batch size", "tau"], "STSb": [32, 0.5], "QQP": [16, 0.9]})
    layout = PrintedLayout(across="value", below=("hyperparameter", "value"))
    assert printed_rows("t", printed, layout) == {
        "STSb": {"batch size": 32, "tau": 0.5},
        "QQP": {"batch size": 16, "tau": 0.9},
    }
