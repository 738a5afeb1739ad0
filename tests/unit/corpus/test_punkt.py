import os
import subprocess
import sys
from pathlib import Path

import nltk.data
import pytest
from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

from contrapose.base.errors import TableError
from contrapose.corpus.punkt_parameters import parameter_table, punkt_parameters, splitter
from contrapose.tables import PUNKT, read_table, write_table

SOURCE = Path(__file__).parents[3] / "src"

TEXTS = [
    "Dr. Ada Lund met Prof. Olsen in May. They spoke for 2. 5 hours. However, nothing came of it.\n\n"
    "In 1990 Dr. Ada Lund moved to St. Olaf. However, she kept her house. He wrote to J. S. Bach. "
    "It was cold. It rained a lot. It was late when Dr. Lund came home.",
    "The band (est. 1999) plays no. 5 by J. S. Bach. However, it sold approx. 40. It was tired.",
    "However, Prof. Olsen saw. It was No. 4, i.e. the last. It was St. Olaf that won. J. S. Bach fell.",
]
ARTICLES = [(str(number), text) for number, text in enumerate(TEXTS, 1)]
UNSEEN = 'Mr. Dr. Lund is here. "It was late." said J. S. Bach.\n\nNo. 4 won! However (est. 18.) It... ended.'


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk_data")])


def installed(tmp_path, **files):
    folder = tmp_path / "nltk_data/tokenizers/punkt_tab/english"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_a_table_splits_like_the_tokenizer_it_was_made_from(tmp_path):
    trainer = PunktTrainer()
    trainer.INCLUDE_ALL_COLLOCS = True  # else so little text has none
    trainer.train("\n\n".join(TEXTS))
    tokenizer = PunktSentenceTokenizer(trainer.get_params())
    table = parameter_table(trainer.get_params())
    assert set(table.kind) >= {"abbreviation", "collocation", "orthography"}
    write_table(table, tmp_path / "punkt.parquet", PUNKT)
    split = splitter(read_table(tmp_path / "punkt.parquet", PUNKT))
    for text in [UNSEEN, *TEXTS]:
        assert split(text) == tokenizer.tokenize(text)


def test_every_kind_of_parameter_survives_the_table():
    trainer = PunktTrainer()
    parameters = trainer.get_params()
    parameters.abbrev_types = {"dr", "approx"}
    parameters.collocations = {("##number##", "may"), ("j", "bach")}
    parameters.sent_starters = {"however"}
    parameters.ortho_context.update({"may": 34, "seen-by-asking": 0})
    assert [tuple(row) for row in parameter_table(parameters).itertuples(index=False)] == [
        ("abbreviation", "approx", "", 0),
        ("abbreviation", "dr", "", 0),
        ("collocation", "##number##", "may", 0),
        ("collocation", "j", "bach", 0),
        ("orthography", "may", "", 34),
        ("starter", "however", "", 0),
    ]
    rebuilt = splitter(parameter_table(parameters)).__self__._params
    assert rebuilt.abbrev_types == parameters.abbrev_types
    assert rebuilt.collocations == parameters.collocations
    assert rebuilt.sent_starters == parameters.sent_starters
    assert rebuilt.ortho_context == {"may": 34}


def test_training_uses_the_first_articles_only_and_says_how_many():
    first, source = punkt_parameters(ARTICLES, 2)
    assert source == "trained on 2 articles"
    assert first.equals(punkt_parameters(ARTICLES[:2], 1000)[0])
    assert not first.equals(punkt_parameters(ARTICLES, 3)[0])
    table, source = punkt_parameters(ARTICLES, 1000)
    assert source == "trained on 3 articles"
    assert splitter(table)("We saw Dr. Lund. She left.") == ["We saw Dr. Lund.", "She left."]


@pytest.mark.slow
def test_training_does_not_depend_on_the_order_of_sets():
    program = (
        "import sys, nltk.data; nltk.data.path = []\n"
        "from contrapose.corpus.punkt_parameters import punkt_parameters\n"
        f"print(punkt_parameters({ARTICLES!r}, 3)[0].to_csv())"
    )
    command = [sys.executable, "-c", program]
    places = os.environ | {"PYTHONPATH": str(SOURCE)}
    one, other = (
        subprocess.check_output(command, env=places | {"PYTHONHASHSEED": seed}, text=True) for seed in "12"
    )
    assert one == other
    assert "abbreviation" in one


def test_installed_english_parameters_are_used(tmp_path):
    installed(tmp_path, abbrev_types__txt="dr\nxyz")
    assert punkt_parameters(ARTICLES, 1)[1] == "trained on 1 articles"  # half an installation counts as none
    collocations, context = {"collocations__tab": "j\tbach"}, {"ortho_context__tab": "lund\t4"}
    installed(tmp_path, **collocations, **context, sent_starters__txt="however")
    table, source = punkt_parameters([], 1000)
    assert source == "punkt_tab"
    assert list(table.token) == ["dr", "xyz", "j", "lund", "however"]
    assert splitter(table)("A Xyz. B came. C went.") == ["A Xyz. B came.", "C went."]


def test_in_a_catalog_without_articles_every_full_stop_ends_a_sentence():
    table, source = punkt_parameters(None, 10)
    assert source == "untrained"
    assert splitter(table)("Dr. Smith came. He left.") == ["Dr.", "Smith came.", "He left."]


def test_no_articles_to_train_on_are_refused():
    with pytest.raises(TableError, match="the sentence splitter cannot be trained"):
        punkt_parameters([], 10)
