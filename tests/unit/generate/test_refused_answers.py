import re
from types import SimpleNamespace

import pytest

from contrapose.base.errors import BackendError, ConfigError
from contrapose.generate.llm_requests import CorpusRequests
from contrapose.generate.merge import ReplacementRequests
from contrapose.generate.merge import build as merged
from contrapose.generate.paraphrase import build
from contrapose.generate.refused import Tally
from contrapose.generate.session import session
from contrapose.jobs.status import read_status
from contrapose.project.rules import read_rules
from contrapose.tables import SENTENCES, write_table
from contrapose.tools.journal import forget_refused
from tests.checkout import HOME
from tests.unit.generate.opened import ROLE, costs, model, opened, requests_by, requests_to
from tests.unit.generate.scripted_endpoint import Say, body, corpus, five

SORRY = "I'm sorry, but I cannot help with that."


def refusing(request, count):
    """Refuse to talk about any sentence; the second answer is another one."""
    return Say(content=body(f"{SORRY} {count}"))


def asked(endpoint, folder, rows, at_most=0.5, **settings):
    llm = model(endpoint.url, concurrency=4, **settings)
    connection = llm.connection(ROLE).model_copy(update={"max_invalid_ratio": at_most})
    about = {"llm": ROLE, "corpus": "wiki", "prompt": "1", "shard": "0-of-1"}
    return build(requests_to(llm), rows, session(connection, folder, about))


def test_a_job_whose_answers_are_refused_stops_early_and_pays_no_more_until_told_to(endpoint, tmp_path):
    endpoint.script = refusing
    said = f'prompt 1: 20 of 20 answers are refused: talking 20, such as "{SORRY} 0".*max_invalid_ratio=1'
    with pytest.raises(BackendError, match=f"^{ROLE}, {said}"):
        asked(endpoint, tmp_path, corpus(range(200)))
    paid = len(endpoint.requests)
    assert 20 <= paid < 20 + 4
    with pytest.raises(BackendError, match="answers are refused: talking 2"):
        asked(endpoint, tmp_path, corpus(range(200)))
    assert len(endpoint.requests) == paid
    paraphrases, completions = asked(endpoint, tmp_path, corpus(range(50)), at_most=1)
    assert paraphrases.empty
    assert len(endpoint.requests) == len(completions) == 50 * 3
    # All is in the journal: nothing is left to ask, so that nothing stops.
    assert len(asked(endpoint, tmp_path, corpus(range(50)))[1]) == 50 * 3
    assert len(endpoint.requests) == 50 * 3


@pytest.mark.parametrize(
    ("answers", "refused", "at_most", "stops"),
    [
        (19, 19, 0.5, False),  # too few
        (20, 15, 0.5, False),  # as happens with half refused: 10 + 2.33 * sqrt(5) = 15.2
        (20, 16, 0.5, True),
        (1000, 536, 0.5, False),  # 500 + 2.33 * sqrt(250) = 536.8
        (1000, 537, 0.5, True),
        (20, 20, 1, False),
        (20, 1, 0, True),
    ],
)
def test_it_stops_when_more_is_refused_than_chance_explains(answers, refused, at_most, stops):
    rows = [{"refused": "talking" if number < refused else "", "answer": "x"} for number in range(answers)]
    try:
        Tally(rows).check(at_most, "x", "x")
    except BackendError:
        assert stops
    else:
        assert not stops


def test_a_tally_has_a_count_and_an_example_of_each_code():
    rows = [
        {"refused": code, "answer": f"{code}\nanswer {'x' * 100}"} for code in ("copy", "talking", "copy")
    ]
    tally = Tally([*rows, {"refused": "unrecorded", "answer": ""}, {"refused": "", "answer": "fine"}])
    long = "answer xxxxx"
    assert str(tally).startswith(f'4 of 5 answers are refused: copy 2, such as "copy {long}')
    assert 'x..."; talking 1, such as "talking answer' in str(tally)
    assert str(tally).endswith("; unrecorded 1")


def test_what_stays_without_paraphrases_is_told_in_the_notes_of_tables(endpoint, tmp_path):
    def script(request, count):
        prompt = request["messages"][0]["content"]
        return refusing(request, count) if " 1 " in prompt else Say(content=body(five(prompt)))

    endpoint.script = script
    rows = corpus(range(3))
    shard = asked(endpoint, tmp_path, rows)
    llm = model(endpoint.url)
    spec = requests_to(llm, kind=ReplacementRequests)
    _, paraphrases, completions, _ = merged(spec, rows, *shard, None, opened(llm, tmp_path))
    said = f'{ROLE}, prompt 1: 3 of 5 answers are refused: talking 3, such as "{SORRY} 0"'
    assert read_status(paraphrases.attrs).skipped == [said]
    assert requests_by(costs(tmp_path, completions), "outcome") == {"accepted": 2, "talking": 3}


@pytest.mark.parametrize("place", ["tiny", "tiny/loopback-1"])  # the second: of a server that jobs start
def test_after_a_mend_what_was_refused_and_has_no_accepted_answer_is_asked_again(endpoint, tmp_path, place):
    def script(request, count):
        prompt = request["messages"][0]["content"]
        refused = " 1 " in prompt or (" 2 " in prompt and not count)
        return refusing(request, count) if refused else Say(content=body(five(prompt)))

    endpoint.script = script
    rows, journal = corpus(range(4)), tmp_path / "state/generate" / place
    write_table(rows, tmp_path / "results/corpus/wiki.parquet", SENTENCES)
    asked(endpoint, journal, rows)
    about = CorpusRequests(corpus="wiki", requests=requests_to(model(endpoint.url)))
    requests = SimpleNamespace(journal=lambda llm: "tiny", all=lambda: [about], scores=list)
    folders = {"results": str(tmp_path / "results"), "state": str(tmp_path / "state")}
    rules = read_rules(HOME / "workflow/resources.yaml")
    config = SimpleNamespace(pathvars=folders)
    project = SimpleNamespace(config=config, llm_requests=requests, rules=rules)
    known = r"no refused answer with the code 'copy'\. Codes of the refused answers here: talking \(3\)\."
    with pytest.raises(ConfigError, match=known):
        forget_refused(project, ROLE, ["copy"])
    said = (
        rf"{journal}: these refused answers will be requested again: talking \(3\)\. .* --forcerun "
        "generate_paraphrase"
    )
    assert re.fullmatch(said, forget_refused(project, ROLE, []))
    endpoint.script, before = lambda request, count: None, len(endpoint.requests)
    paraphrases, completions = asked(endpoint, journal, rows)
    assert len(endpoint.requests) == before + 1
    assert paraphrases.sentence_id.nunique() == 4
    outcomes = {"accepted": 4, "talking": 1, "forgotten": 3}
    assert requests_by(costs(journal, completions), "outcome") == outcomes
    with pytest.raises(ConfigError, match=r"there is no refused answer\. Codes .*: none\."):
        forget_refused(project, ROLE, [])


def test_some_good_paraphrases_are_taken_where_the_model_says_so(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(
        content=body(five(request["messages"][0]["content"]).replace("They met that ", ""))
    )
    every, completions = asked(endpoint, tmp_path / "all", corpus(range(1)))
    assert (len(every), set(completions.refused)) == (0, {"copy"})
    some, completions = asked(endpoint, tmp_path / "some", corpus(range(1)), accept="some")
    assert list(completions.refused) == [""]
    assert [text.split()[1] for text in some.text] == ["saw", "found", "left", "heard", "saw"]
