import re
from pathlib import Path

import pandas as pd
import pytest

from contrapose.generate.chat_texts import translate_shard
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob
from contrapose.generate.parsing import Refusal
from contrapose.generate.translation import any_translation, one_translation
from contrapose.settings.worlds import LLM
from tests.unit.generate.scripted_endpoint import Say, body

PROMPT = (Path(__file__).parents[3] / "config/prompts/translate.txt").read_text(encoding="utf-8")
SOURCE = "今天天气怎么样？"
ENGLISH = "How is the weather today?"


def read(answer, source=SOURCE, reason="stop"):
    found = one_translation(answer, reason, source)
    return found if isinstance(found, Refusal) else found[0]


@pytest.mark.parametrize(
    "answer",
    [
        ENGLISH, f"{ENGLISH}\n", f'"{ENGLISH}"', f"“{ENGLISH}”", f"**{ENGLISH}**", f"Translation: {ENGLISH}",
        f"Translation:\n{ENGLISH}", f"**Translation:** {ENGLISH}", f"English: {ENGLISH}",
        f'English translation: "{ENGLISH}"', f"The translation is: {ENGLISH}",
        f"Sure! Here is the translation:\n\n{ENGLISH}", f"<think>weather</think>\n{ENGLISH}",
    ],
)  # fmt: skip
def test_labels_and_quotation_marks_around_a_translation_go(answer):
    assert read(answer) == ENGLISH


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (None, "empty"), ("  \n", "empty"), ("？！", "blank_item"), (SOURCE, "untranslated"),
        ("How is the 天气 today?", "untranslated"), (f"{ENGLISH} (今天)", "untranslated"),
        (f"{ENGLISH}\n\nNote: the subject is implied.", "prose"),
        (f"1. {ENGLISH}\n2. What weather?", "prose"),
        (f"{ENGLISH} (Note: informal)", "labels"), ("How is the **weather** today?", "markup"),
        ("The weather / How is the weather", "markup"), ("How is the [weather] today?", "placeholder"),
        ("I'm sorry, but I cannot do that.", "talking"),
        ("As an AI language model, I have no weather.", "talking"),
        ("Please provide the sentence you want in English.", "talking"),
        ("This translates to a question about the weather.", "talking"), ("A\ufffdB", "garbled"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_translation_is_refused(answer, refusal):
    assert read(answer) == refusal


def test_a_cut_answer_is_refused_even_if_it_looks_whole():
    assert read(ENGLISH, reason="length") == "cut"


@pytest.mark.parametrize(
    ("source", "english"),
    [
        ("怎么翻译这句话：我爱你", "How do you translate this: I love you"),
        ("“一带一路”是什么意思", '"Belt and Road" means what?'),
        ("“好的”", '"Okay"'),
        ("对不起，你是谁？", "Sorry, who are you?"),
        ("你能帮我吗？", "Can you help me?"),
        ("QQ是什么", "What is QQ?"),
        ("Sure是什么意思", "Sure, what does it mean?"),
    ],
)
def test_what_the_source_says_itself_is_no_chatter(source, english):
    assert read(english, source) == english


SENTENCE = "A dog ran across the old bridge."
GERMAN = "Ein Hund lief über die alte Brücke."


def read_any(answer, source=SENTENCE, reason="stop"):
    found = any_translation(answer, reason, source)
    return found if isinstance(found, Refusal) else found[0]


@pytest.mark.parametrize(
    "answer",
    [
        f" {GERMAN}\n", f'"{GERMAN}"', f"„{GERMAN}“", f"**{GERMAN}**", f"**German:** {GERMAN}",
        f"Translation:\n{GERMAN}", f"Here is the translation: {GERMAN}", f'German translation: "{GERMAN}"',
        f"Deutsche Übersetzung: {GERMAN}", f"Sure! Here's the sentence in German:\n\n{GERMAN}",
        f"Translation (German): {GERMAN}", f"<think>dog: Hund</think>\n{GERMAN}",
    ],
)  # fmt: skip
def test_what_stands_around_a_translation_into_another_language_goes(answer):
    assert read_any(answer) == GERMAN


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (None, "empty"), ("...", "blank_item"), (SENTENCE, "untranslated"),
        ("a dog ran, across the old bridge", "untranslated"), (f"{SENTENCE} {GERMAN}", "untranslated"),
        (f"{GERMAN}\n\nNote: the tense is kept.", "prose"), (f"{GERMAN} (informal)", "labels"),
        ("I'm sorry, but I can't do that.", "talking"),
        ("Es tut mir leid, aber ich darf das nicht.", "talking"),
        ("This translates to a dog on a bridge.", "talking"), ("Ein **Hund** lief.", "markup"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_translation_into_another_language_is_refused(answer, refusal):
    assert read_any(answer) == refusal


@pytest.mark.parametrize(
    ("source", "other"),
    [
        ("I'm sorry, but I cannot come.", "Es tut mir leid, aber ich kann nicht kommen."),
        ("Es tut mir leid, aber ich kann nicht kommen.", "I'm sorry, but I cannot come."),
        ("English: a short history", "Englisch: eine kurze Geschichte"),
        ("Hier ist, was er sagte: Geh.", "Here is what he said: Go."),
        ("He translated the Bible.", "Er übersetzte die Bibel."),
        ("One rule counts: win.", "Eine Regel zählt: gewinnen."),
        ('"Yes," he said.', "„Ja“, sagte er."),
        ('He said "yes".', "„Ja“, sagte er."),
    ],
)
def test_what_a_sentence_says_itself_stays_in_its_translation(source, other):
    assert read_any(other, source) == other


def test_a_lead_goes_before_the_translation_of_a_sentence_about_translating_only_if_it_is_plain():
    source, german = "He translated the Bible.", "Er übersetzte die Bibel."
    assert read_any(f"German translation: {german}", source) == german
    assert read_any(f"Here is the translation: {german}", source) == "talking"


def sentences(*texts):
    return pd.DataFrame({"id": [f"bq:test:bq:{n}:1" for n in range(len(texts))], "text": texts})


def asked(endpoint, folder, rows, **job):
    """Translate sentences; return both tables."""
    llm = LLM(model="tiny", endpoint=endpoint.url, prompt_price=2.0, completion_price=4.0)
    spec = AskingJob(llm="chatgpt", asked=llm.asked(), prompt="translate", text=PROMPT, wanted="translation")
    named = {"llm": "chatgpt", "corpus": "untranslated", "prompt": "translate", "shard": "0-of-1"}
    return answered(
        lambda client: translate_shard(rows, spec, client), llm.connection("chatgpt"), folder, named
    )


def of_number(request, count):
    number = int(re.search(r"(\d+)号在哪里", request["messages"][0]["content"])[1])
    if number == 3:
        return Say(content=body("我不知道"))
    return Say(content=body(f"Translation: Where is number {number}?" if count else "号"))


def test_a_sentence_is_asked_about_again_and_left_out_if_no_answer_is_a_translation(endpoint, tmp_path):
    endpoint.script = of_number
    rows = sentences(*(f"{n}号在哪里" for n in range(6)))
    translations, completions = asked(endpoint, tmp_path, rows)
    assert translations.to_numpy().tolist() == [
        [f"{n}号在哪里", f"Where is number {n}?"] for n in (0, 1, 2, 4, 5)
    ]
    # Two tries each; the model says the same of number 3 a second time, so that a third one is in vain.
    assert completions.groupby("sentence_id").size().tolist() == [2] * 6
    assert completions.refused.value_counts().to_dict() == {"untranslated": 7, "": 5}
