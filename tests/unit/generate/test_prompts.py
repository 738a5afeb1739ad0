from pathlib import Path

import pytest

from contrapose.errors import ConfigError
from contrapose.generate.llm import LLMRequests
from contrapose.generate.prompts import filled, request
from contrapose.settings.worlds import SamplingParams
from tests.unit.generate.opened import ROLE

SAMPLING = SamplingParams(model="m", temperature=0.5)
PROMPT = "Generate 5 paraphrases of the following: {sentence}"


def asked(sentence="A mill burned.", sampling=SAMPLING, attempt=0, id="a:0", template=PROMPT):
    requests = LLMRequests(llm=ROLE, sampling=sampling, prompt="1", template=template)
    return request(id, sentence, requests, attempt)


def test_the_body_is_one_user_message_with_the_sampling_settings():
    message = {"role": "user", "content": "Generate 5 paraphrases of the following: A mill burned."}
    sampling = {"temperature": 0.5, "top_p": 1.0, "max_tokens": 600}
    assert asked().body == {"model": "m", "messages": [message], **sampling}


def test_braces_in_sentence_and_prompt_stay_as_they_are():
    assert filled("Use {x}: {sentence}\n", "a {sentence} {0}") == "Use {x}: a {sentence} {0}"


def test_what_is_null_is_not_sent_and_system_and_extra_are():
    form = {"temperature": None, "top_p": None, "system": "Be brief.", "extra": {"reasoning_effort": "none"}}
    messages = [{"role": "system", "content": "Be brief."}, *asked().body["messages"]]
    wanted = {"model": "m", "messages": messages, "max_tokens": 600, "reasoning_effort": "none"}
    assert asked(sampling=SamplingParams(model="m", **form)).body == wanted


def test_the_key_of_a_request_of_before_is_what_it_was():
    """As SHA-256 of the body was before null, `system` and `extra`: its answer is paid for."""
    before = asked(sampling=SamplingParams(model="tiny"), template="Paraphrase: {sentence}")
    assert before.key == "fb440ea9b54a27ceafece90af2fb6112c931e22c5da1684b530b5743672be817"


@pytest.mark.parametrize("field", ["model", "max_completion_tokens", "n", "stream"])
def test_extra_cannot_change_what_other_settings_say_or_how_many_answers_come(field):
    with pytest.raises(ValueError, match=f"{field} cannot be sent as extra"):
        SamplingParams(model="m", extra={field: 1})


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


def test_the_five_prompts_of_the_thesis_each_have_one_place_for_the_sentence():
    folder = Path(__file__).parents[3] / "config" / "prompts"
    for number in range(1, 6):
        assert filled((folder / f"{number}.txt").read_text(), "THE MILL").endswith(": THE MILL")
