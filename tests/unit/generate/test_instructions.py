from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from contrapose.settings.instructions import Instructions

FILES = sorted((Path(__file__).parents[3] / "config" / "prompts" / "dino").glob("*.yaml"))
GOOD = {
    "frame": 'Write {relation}: "{sentence}" "',
    "labels": [{"label": 1, "relation": "the same"}, {"label": 0, "relation": "else", "counters": [1]}],
}


@pytest.mark.parametrize(("file", "label"), zip(FILES, ["question", "Sentence"], strict=True))
def test_the_instructions_are_those_of_the_public_code(file, label):
    asked = Instructions.model_validate(yaml.safe_load(file.read_text()))
    assert f"{label.lower()}s" == file.stem
    assert asked.prompt(0.5, "A dog.") == (
        f'Task: Write two {file.stem} that are somewhat similar.\n{label} 1: "A dog."\n{label} 2: "'
    )
    assert {each.label: each.counters for each in asked.labels} == {1: [], 0.5: [1], 0: [1, 0.5]}


@pytest.mark.parametrize("sentence", ['he said "no"', "{relation} {sentence} {0}", " blanks ", r"\1 \g<0>"])
def test_a_sentence_stands_in_its_instruction_verbatim(sentence):
    assert Instructions.model_validate(GOOD).prompt(1, sentence) == f'Write the same: "{sentence}" "'


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame": 'Write: "{sentence}" "'}, "{relation} once"),
        ({"frame": '{relation} "{sentence}" and "{sentence}" "'}, "{sentence} once"),
        ({"frame": "{relation}: {sentence}"}, "end with the quotation mark"),
        ({"labels": GOOD["labels"] * 2}, "labels must differ"),
        ({"labels": [{"label": 1, "relation": "x", "counters": [0.5]}]}, "other labels"),
        ({"labels": [{"label": 1, "relation": "x", "counters": [1]}]}, "other labels"),
        ({"labels": [{"label": 2, "relation": "x"}]}, "less than or equal to 1"),
    ],
)
def test_instructions_that_cannot_be_followed_are_refused(changes, message):
    with pytest.raises(ValidationError) as error:
        Instructions.model_validate(GOOD | changes)
    assert message in str(error.value)
