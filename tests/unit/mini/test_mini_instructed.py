from pathlib import Path

import yaml

from contrapose.settings.instructions import Instructions
from contrapose_mini.instructed import QUESTIONS, mini_documents

FOLDER = Path(__file__).parents[3] / "config" / "prompts" / "dino"
ASKED = {
    name: Instructions.model_validate(yaml.safe_load((FOLDER / f"{name}.yaml").read_text()))
    for name in QUESTIONS
}
DOCUMENTS = mini_documents(ASKED, 1200, seed=5)


def words(text: str) -> set[str]:
    found = {word.strip('".,?!').lower() for word in text.split()}
    return found - {"", "a", "the", "in", "of", "by", "was", "is"}


def test_texts_share_the_less_with_their_sentence_the_lower_the_label():
    shared = {"mean the same thing": [], "are somewhat similar": [], "are on completely different topics": []}
    for prompt, text in DOCUMENTS:
        relation = next(relation for relation in shared if relation in prompt)
        one, other = words(prompt.split('"', 1)[1]), words(text)
        shared[relation].append(len(one & other) / len(one | other))
    same, alike, different = (sum(each) / len(each) for each in shared.values())
    assert same > alike > 2 * different


def test_a_text_is_no_copy_and_holds_nothing_that_would_end_or_refuse_it():
    assert not [
        each for each in DOCUMENTS if set('"\n') & set(each.text) or f'1: "{each.text}"' in each.prompt
    ]


def test_questions_stand_behind_the_instructions_for_questions():
    share = {
        name: sum(each.text.endswith("?") for each in DOCUMENTS if f"two {name}" in each.prompt) / 600
        for name in QUESTIONS
    }
    assert share["questions"] > 0.8
    assert share["sentences"] < 0.2
