"""Answers of megabytes, as of a model that repeats itself, are read to their end by every parser.

Each fragment once took quadratic time in some parser: megabytes of it would take hours.
"""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contrapose.generate.masking import MASK, masked
from contrapose.generate.parsing import PARSERS, Refusal, some_paraphrases

EVERY = {**PARSERS, "some": some_paraphrases}
SOURCE = "The mill burned down in 1911 after a storm."
BYTES = 4_000_000  # the least limit of an answer; see `endpoint`
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
    return "x " + fragment * (BYTES // len(fragment))


@pytest.mark.parametrize("name", EVERY)
def test_a_thought_that_begins_again_and_again_is_refused_by_every_parser(name):
    assert EVERY[name](repeated("<think>"), "stop", SOURCE) is Refusal.THINKING


def is_read(name, fragment):
    """Return whether a parser comes to an end, with a refusal or with a part of the text."""
    text = repeated(fragment)
    found = EVERY[name](text, "stop", SOURCE)
    return isinstance(found, Refusal) or all(item in text for item in found)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_megabytes_of_a_fragment_are_read_to_their_end(fragment):
    assert is_read(FRAGMENTS[fragment], fragment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fragment", [*FRAGMENTS, "◁/think▷", "</s>", "`", '"', "\\", "&#", "#\n", "a: ", "**a "]
)
@pytest.mark.parametrize("name", EVERY)
def test_megabytes_of_any_fragment_are_read_to_their_end_by_every_parser(name, fragment):
    assert is_read(name, fragment)


@example("assistantfinal<think><|channel|></think>", SOURCE)
@given(st.lists(PIECES).map("".join), st.sampled_from([SOURCE, "", '"Yes," he said [so]. Analysis of it.']))
def test_no_answer_ends_in_an_error_and_none_holds_a_tag_that_its_source_lacks(text, source):
    for parse in EVERY.values():
        found = parse(text, "stop", source)
        assert isinstance(found, Refusal) or not any(tag in item for item in found for tag in TAGS)


@pytest.mark.parametrize("fragment", ["\\", "\\\\u", "%25", "&amp;", "sk-proj-Ab1", "s k "])
def test_megabytes_beside_an_escaped_key_are_masked(fragment):
    escaped = "".join(f"\\u{ord(each):04x}" for each in KEY)
    assert MASK in masked(escaped + fragment * (BYTES // len(fragment)), KEY)
