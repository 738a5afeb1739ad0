import re
from itertools import pairwise
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.requests import MASK, filled, masked, request
from contrapose.project import Project
from contrapose.settings.catalogs import SamplingParams
from tests.unit.generate.opened import ROLE

SAMPLING = SamplingParams(model="m", temperature=0.5)
HOME = Path(__file__).parents[3]
FILLED = LLMRequests(llm=ROLE, sampling=SAMPLING, prompt="f", template="Fill: {sentence}", masked=0.5)
PROMPT = "Generate 5 paraphrases of the following: {sentence}"


def asked(sentence="A mill burned.", sampling=SAMPLING, attempt=0, id="a:0", template=PROMPT):
    requests = LLMRequests(llm=ROLE, sampling=sampling, prompt="1", template=template)
    return request(id, sentence, requests, attempt)


def test_the_body_is_one_user_message_with_the_sampling_settings():
    message = {"role": "user", "content": "Generate 5 paraphrases of the following: A mill burned."}
    sampling = {"temperature": 0.5, "top_p": 1.0, "max_tokens": 600}
    assert asked().body == {"model": "m", "messages": [message], **sampling}


def test_what_is_null_is_not_sent_and_system_and_extra_are():
    form = {
        "temperature": None,
        "top_p": None,
        "system": "Be brief.",
        "extra_body": {"reasoning_effort": "none"},
    }
    messages = [{"role": "system", "content": "Be brief."}, *asked().body["messages"]]
    wanted = {"model": "m", "messages": messages, "max_tokens": 600, "reasoning_effort": "none"}
    assert asked(sampling=SamplingParams(model="m", **form)).body == wanted


@pytest.mark.parametrize("field", ["model", "max_completion_tokens", "n", "stream"])
def test_extra_cannot_change_what_other_settings_say_or_how_many_answers_come(field):
    with pytest.raises(ValueError, match=f"{field} cannot be in extra_body"):
        SamplingParams(model="m", extra_body={field: 1})


@pytest.mark.parametrize("prompt", ["no place", "{sentence} and {sentence}"])
def test_a_prompt_without_exactly_one_place_for_the_sentence_is_refused(prompt):
    with pytest.raises(ConfigError, match="exactly once"):
        filled(prompt, "x")


def test_the_key_depends_on_body_and_attempt_and_not_on_the_sentence_id():
    assert asked().key == asked(id="b:7").key
    others = [asked("Another."), asked(attempt=1), asked(sampling=SamplingParams(model="m", temperature=0.6))]
    assert len({asked().key, *(other.key for other in others)}) == 4


def test_the_seed_differs_by_try_and_fits_32_bits():
    seeded = SamplingParams(model="m", send_seed=True)
    seeds = [asked(sampling=seeded, attempt=attempt).body["seed"] for attempt in range(3)]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 2**31 for seed in seeds)


POOL = ["Reword: {sentence}", "Shorten: {sentence}", "Turn round: {sentence}"]
SENTENCES = [f"Mill {number} burned." for number in range(60)]


def drawn(template=POOL, prompt="pool"):
    requests = LLMRequests(llm=ROLE, sampling=SAMPLING, prompt=prompt, template=template)
    return [request("a:0", each, requests).body["messages"][0]["content"] for each in SENTENCES]


def test_each_sentence_draws_an_instruction_of_its_own_pool():
    found = drawn()
    shares = [sum(each.startswith(one.partition(":")[0]) for each in found) / 60 for one in POOL]
    assert min(shares) > 0.15
    assert sum(shares) == 1
    assert drawn() == found != drawn(prompt="other")
    edited = drawn(["Reword it: {sentence}", *POOL[1:]])
    changed = [one for one, other in zip(found, edited, strict=True) if one != other]
    assert changed == [each for each in found if each.startswith("Reword")]


def test_examples_are_earlier_turns_with_the_instruction_of_the_sentence():
    example = {"sentence": "It rained.", "answer": "Rain fell."}
    sampling = SamplingParams(model="m", system="Be brief.")
    requests = LLMRequests(
        llm=ROLE, sampling=sampling, prompt="pool", template=POOL[:1] * 2, examples=[example]
    )
    assert request("a:0", "A mill burned.", requests).body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Reword: It rained."},
        {"role": "assistant", "content": "Rain fell."},
        {"role": "user", "content": "Reword: A mill burned."},
    ]


@pytest.mark.parametrize("name", ["entailment", "contradiction", "styles", "negative_styles"])
def test_our_pools_are_read_and_ask_for_one_sentence(name):
    found = Project({}, HOME).entry("prompts", name)
    assert found.asked_for == ("negative" if name in ("contradiction", "negative_styles") else "paraphrase")
    assert len({filled(each, "THE MILL") for each in found.texts}) == len(found.texts) >= 4
    assert all(each.endswith("\n\nSentence: {sentence}") for each in found.texts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one_of: ['Five of {sentence}', 'One of {sentence}']", "Set `answer`"),
        ("{one_of: [Again], frame: 'Say {sentence}'}", "frame has no {instruction}"),
        ("{one_of: ['Say {sentence}', Again]}", "config/prompts/own.yaml has no {sentence}"),
        ("{one_of: ['Say {sentence}'], choices: {topic: [war]}}", "no instruction contains {topic}"),
        (
            "{one_of: ['Ten like {sentence}'], answer: sentences}",
            "has {sentence}, but it requests new sentences",
        ),
        ("{one_of: ['Say {sentence}'], answer: two}", "'paraphrases', 'paraphrase', "),
    ],
)
def test_a_wrong_pool_is_refused(text, message, tmp_path, monkeypatch):
    (tmp_path / "config/prompts").mkdir(parents=True)
    (tmp_path / "config/prompts/own.yaml").write_text(text)
    project = Project({}, HOME)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(message)):
        project.entry("prompts", "own")


def numbered_bodies(choices, numbers=range(80)):
    requests = LLMRequests(
        llm=ROLE, sampling=SAMPLING, prompt="invented", template="Write in {genre}.", choices=choices,
        parsed_as="sentences",
    )  # fmt: skip
    return [request(str(number), str(number), requests) for number in numbers]


def test_requests_without_a_sentence_have_keys_of_their_own_though_their_bodies_are_equal():
    found = numbered_bodies({"genre": ["a novel"]})
    assert len({str(one.body) for one in found}) == 1
    assert len({one.key for one in found}) == 80


def test_a_share_of_the_words_is_masked_and_half_of_the_time_neighbours_become_one():
    """CLAIF, `corrupt_sentence_with_mask`: ceil(words x share), here of 10 words."""
    texts = [" ".join(f"w{n}x{at}" for at in range(10)) for n in range(400)]
    for share, kept in ((0.1, 9), (0.25, 7), (0.8, 2)):
        shown = [masked(text, share).split(" ") for text in texts]
        assert {len([word for word in words if word != MASK]) for words in shown} == {kept}
        joined = [(MASK, MASK) not in pairwise(words) for words in shown]
        whole = [len(words) == 10 for words in shown]
        if share == 0.1:
            assert all(joined)
            assert all(whole)
        if share == 0.8:  # eight of ten always touch: what is not joined is whole
            assert 150 < sum(joined) < 250
            assert joined == [not each for each in whole]
    places = {words.index(MASK) for words in (masked(text, 0.1).split(" ") for text in texts)}
    assert places == {*range(10)}
    assert masked(texts[0], 0.5) == masked(texts[0], 0.5)
    content = request("a:0", "A mill burned down.", FILLED).body["messages"][0]["content"]
    assert content == f"Fill: {masked('A mill burned down.', 0.5)}"
    assert MASK in content
