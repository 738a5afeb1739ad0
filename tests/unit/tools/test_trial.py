"""What a trial of a language model asks, and how its table reads."""

import re
from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.settings.catalogs import LLM
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import project_of
from contrapose.tools.new import write
from contrapose.tools.trial import _in_all, _questions, _rows, _scorer, _sentences, tried
from contrapose.tools.workload import Call
from tests.checkout import HOME


@pytest.fixture(scope="module")
def hub() -> Project:
    return Project({"catalog": "hub", "studies": ["thesis"]}, HOME)


def test_it_asks_by_the_prompts_of_larger_corpora_or_by_those_that_are_named(hub: Project):
    assert _questions(hub, "chatgpt", [], 200) == {"2": "wiki-1-1"}
    assert _questions(hub, "vicuna", [], 200) == {"1": "wiki-1-1-small"}
    assert _questions(hub, "chatgpt", ["1", "styles"], 200) == {"1": "wiki-1-1-prompts", "styles": "wiki-1-1"}
    assert _scorer(hub) == "scorer"


def test_the_table_has_scores_refusals_the_papers_row_and_what_all_would_cost(hub: Project):
    scores = pd.DataFrame({"similarity": [0.9, 0.92], "bleu": [0.2, 0.4], "total": [0.85, 0.76]})
    answers = pd.DataFrame(
        {
            "sentence_id": ["a", "b", "b", "c"],
            "refused": ["", "copy", "copy", ""],
            "prompt_tokens": [50, 50, 50, 50],
            "completion_tokens": [200] * 4,
        }
    )
    ours, theirs = _rows(hub, "chatgpt", "2", scores, answers)
    assert (ours["usable sentences"], ours["refused answers"], ours["Sim"]) == (2, "50.0 %", "0.910 ± 0.010")
    assert (theirs["source"], theirs["Sim"], theirs["BLEU"]) == ("ChatGPT: Prompt 2", "0.926", "0.353")
    one, none = (next(_rows(hub, "chatgpt", "2", scores[:count], answers)) for count in (1, 0))
    assert (ours["source"], one["Sim"], none["Sim"]) == ("this model", "0.900", "-")  # without nan
    said = _in_all(hub, "chatgpt", "2", 1_000_000, answers, 2)  # the third takes the place of the second
    assert said.startswith("Prompt 2: this trial took 1,000 tokens, $0.0004. All 1")
    assert "would take 500,000,000 tokens, $210.00, 13 h" in said
    assert _in_all(hub, "chatgpt", "1", None, answers, 2).endswith(
        "have an unknown number of sentences for it."
    )
    unpriced = {"endpoint": "https://x.org/v1", "model": "m"}
    hub.catalog.llms["unpriced"] = LLM.model_validate(unpriced)
    assert "1,000 tokens, price unknown. All" in _in_all(hub, "unpriced", "2", 2000, answers, 2)
    served = _in_all(hub, "vicuna", "1", 150_000, answers, 2)
    assert "75,000,000 tokens, $0.00, 8.3 h" in served


def test_a_recording_is_no_model_and_the_page_on_connecting_one_is_named(tmp_path, monkeypatch):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(20)))
    encoder = str(HOME / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {"sentences": tmp_path / "s.txt"})
    monkeypatch.chdir(tmp_path / "mine")
    for file in (", which is missing", ""):
        says = (
            f"writer is a recording (answers.jsonl{file}), so no model is called and there is nothing to "
            "preview. To connect a model, replace the entry `writer` under `llms` in "
            "config/catalogs/own.yaml, as docs/how-to/connect-a-model.md describes."
        )
        with pytest.raises(ConfigError, match=f"^{re.escape(says)}$"):
            tried(parser_of("preview").parse_args(["writer"]))
        Path("data/answers.jsonl").touch()


def test_more_sentences_than_there_are_name_the_option_before_a_job_starts(tmp_path, monkeypatch):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(20)))
    (tmp_path / "t.csv").write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n")
    files = {"sentences": tmp_path / "s.txt", "test": tmp_path / "t.csv"}
    llm = "{endpoint: 'http://127.0.0.1:9/v1', model: one}"
    write(tmp_path / "mine", str(HOME / "resources/mini/encoders/bert-base"), files, llm=llm)
    monkeypatch.chdir(tmp_path / "mine")
    says = "writer: corpus sentences has 20 sentences, but 200 would be sent. Add --sentences 20."
    with pytest.raises(ConfigError, match=f"^{re.escape(says)}$"):
        tried(parser_of("preview").parse_args(["writer", "--sentences", "200"]))
    with pytest.raises(ConfigError, match=r"^--sentences 1: write a whole number of at least 2"):
        tried(parser_of("preview").parse_args(["writer", "--sentences", "1"]))
    with pytest.raises(ConfigError, match=r"^llms\.writer\.endpoint: .* does not answer .*Start the server"):
        tried(parser_of("preview").parse_args(["writer"]))  # at once: a run would wait
    call = Call(project_of(["sentences=200"]), [])
    assert _sentences(call, "writer", ["sentences"], None) == 20  # all of a corpus smaller than the default
    assert _sentences(call, "writer", ["sentences"], 5) == 5
