"""Long answers, as of a model that repeats itself, are read to their end by every parser.

Each fragment once took quadratic time in some parser: minutes for `CHARACTERS` of it, hours for megabytes.
"""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contrapose.generate.masking import MASK, masked
from contrapose.generate.parsing import PARSERS, Refusal, some_paraphrases

EVERY = {**PARSERS, "some": some_paraphrases}
SOURCE = "The mill burned down in 1911 after a storm."
CHARACTERS = 400_000  # a tenth of the least limit of an answer; see `endpoint`
SECONDS = 5  # of CPU; every parser takes less than one
# And the parser that looks at it most often.
FRAGMENTS = {
    **dict.fromkeys(["[a", "please provide the ", "ich kann dir "], "any_translation"),
    **dict.fromkeys(["{", ". (a) ", "anything else "], "paraphrase"),
    **{"<": "negative", "[ similar ": "negative", "...": "translation"},
    **{"\n": "paraphrases", "1. a\n": "some"},
}
KEY = "sk-proj-Ab1Zx9Lm4QwErTy77"
TAGS = ["<think>", "[THINK]", "<|channel|>", "assistantfinal", "<answer>", "</s>", "<|im_end|>"]
OTHERS = ["</think>", "[/THINK]", "final<|message|>", "analysis", "</answer>", "```", "1. ", "It rained. "]
PIECES = st.sampled_from([*TAGS, *OTHERS, *'{}[]()"*.-\\:4\n a'])


def repeated(fragment):
    return "x " + fragment * (CHARACTERS // len(fragment))


def in_time(function, *arguments):
    """Return what a function returns, which must not take much longer than a look at each character."""
    start = time.process_time()
    found = function(*arguments)
    assert time.process_time() - start < SECONDS
    return found


@pytest.mark.parametrize("name", EVERY)
def test_a_thought_that_begins_again_and_again_is_refused_by_every_parser(name):
    assert in_time(EVERY[name], repeated("<think>"), "stop", SOURCE) is Refusal.THINKING


def is_read(name, fragment):
    """Return whether a parser comes to an end, with a refusal or with a part of the text."""
    text = repeated(fragment)
    found = in_time(EVERY[name], text, "stop", SOURCE)
    return isinstance(found, Refusal) or all(item in text for item in found)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_again_and_again_is_read_to_its_end(fragment):
    assert is_read(FRAGMENTS[fragment], fragment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fragment", [*FRAGMENTS, "◁/think▷", "</s>", "`", '"', "\\", "&#", "#\n", "a: ", "**a "]
)
@pytest.mark.parametrize("name", EVERY)
def test_any_fragment_again_and_again_is_read_to_its_end_by_every_parser(name, fragment):
    assert is_read(name, fragment)


@example("assistantfinal<think><|channel|></think>", SOURCE)
@given(st.lists(PIECES).map("".join), st.sampled_from([SOURCE, "", '"Yes," he said [so]. Analysis of it.']))
def test_no_answer_ends_in_an_error_and_none_holds_a_tag_that_its_source_lacks(text, source):
    for parse in EVERY.values():
        found = parse(text, "stop", source)
        assert isinstance(found, Refusal) or not any(tag in item for item in found for tag in TAGS)


@pytest.mark.parametrize("fragment", ["\\", "\\\\u", "%25", "&amp;", "sk-proj-Ab1", "s k "])
def test_a_long_text_beside_an_escaped_key_is_masked(fragment):
    escaped = "".join(f"\\u{ord(each):04x}" for each in KEY)
    assert MASK in in_time(masked, escaped + fragment * (CHARACTERS // len(fragment)), KEY)
