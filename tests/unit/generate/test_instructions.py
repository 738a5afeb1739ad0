from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from contrapose.settings.instructions import Instructions

FOLDER = Path(__file__).parents[3] / "config" / "prompts" / "dino"
GOOD = {
    "frame": 'Write {relation}: "{sentence}" "',
    "labels": [{"label": 1, "relation": "the same"}, {"label": 0, "relation": "else", "counters": [1]}],
}


def read(name):
    return Instructions.model_validate(yaml.safe_load((FOLDER / f"{name}.yaml").read_text()))


@pytest.mark.parametrize(("name", "label"), [("questions", "question"), ("sentences", "Sentence")])
def test_the_instructions_are_those_of_the_public_code(name, label):
    asked = read(name)
    assert asked.prompt(0.5, "A dog.") == (
        f'Task: Write two {name} that are somewhat similar.\n{label} 1: "A dog."\n{label} 2: "'
    )
    assert {each.label: each.counters for each in asked.labels} == {1: [], 0.5: [1], 0: [1, 0.5]}


def test_claifs_shares_are_masked_and_only_a_whole_sentence_is_said_again():
    shares = {each.label: each.masked for each in read("filled").labels}
    assert shares == {round(1 - share / 10, 1): share / 10 for share in range(9)}
    relations = {each.relation for each in read("filled").labels if each.masked}
    assert len(relations) == 1
    assert "<mask>" in relations.pop()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame": 'Write: "{sentence}" "'}, "{relation} exactly once"),
        ({"frame": '{relation} "{sentence}" and "{sentence}" "'}, "{sentence} exactly once"),
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
