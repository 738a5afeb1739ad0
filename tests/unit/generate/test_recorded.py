import pandas as pd
import pytest

from contrapose.generate import chat_texts, paraphrase, translate
from contrapose.generate.llm_requests import LLMRequests
from contrapose.settings.catalogs import RecordedLLM
from contrapose.tables import RECORDED_ANSWERS, write_table
from tests.unit.generate.opened import opened, requests_to, sentences
from tests.unit.generate.scripted_endpoint import five

FILE = RecordedLLM(kind="recorded", path="a.jsonl", answers={"2": "paraphrases"})


def requests(kind=LLMRequests, prompt="2", **settings):
    return requests_to(FILE, prompt, "Say 5 of: {sentence}", kind, **settings)


@pytest.fixture
def ask(tmp_path):
    """Give a function that asks about sentences where (prompt, sentence, answer) are recorded."""

    def opened_with(answers, build, spec, *tables):
        journal, table = tmp_path / "journal", tmp_path / "answers.parquet"
        write_table(pd.DataFrame(answers, columns=RECORDED_ANSWERS.columns), table, RECORDED_ANSWERS)
        done = build(spec, *tables, opened(FILE, journal, [str(table)]))
        assert not journal.exists()  # nothing is sent, so nothing is kept
        return done

    return opened_with


def test_recorded_answers_are_parsed_and_a_lacking_one_has_its_reason(ask):
    answers = [
        ("2", "A dog ran", five(": A dog ran")),
        ("2", "A cat sat", "1. too few"),
        ("3", "A cow stood", five(": A cow stood")),  # to another prompt
    ]
    table = sentences("A dog ran", "A  cat sat", "A cow stood")
    paraphrases, completions = ask(answers, paraphrase.build, requests(), table)
    assert paraphrases.text.tolist()[:2] == ["They saw that A dog ran.", "They met that A dog ran."]
    assert paraphrases.sentence_id.tolist() == ["a0:0"] * 5
    assert completions.refused.tolist() == ["", "fewer", "unrecorded"]
    assert completions.answer.tolist() == [five(": A dog ran"), "1. too few", ""]
    assert completions.prompt_tokens.isna().all()


def test_translations_and_texts_with_labels_are_read_by_the_names_of_their_prompts(ask):
    dino, table = "dino-sentences-1-0", sentences("天气很好。")
    answers = [("translate", table.text[0], "It is."), (dino, table.text[0], 'It is fine."')]
    spec = requests(prompt="translate", parsed_as="translation")
    translations, _ = ask(answers, translate.build, spec, table)
    assert translations.translation.tolist() == ["It is."]
    labelled = requests(chat_texts.LabelledRequests, dino, parsed_as="continuation", label=1.0)
    texts, _ = ask(answers, chat_texts.build, chat_texts.TextRequests(instructions=[labelled]), table)
    assert texts.text.tolist() == ["It is fine."]
