import re
from pathlib import Path

from contrapose.generate.translate import build
from tests.unit.generate.opened import model, opened, requests_to, sentences
from tests.unit.generate.scripted_endpoint import Say, body

PROMPT = (Path(__file__).parents[3] / "config/prompts/translate.txt").read_text(encoding="utf-8")


def of_number(request, count):
    number = int(re.search(r"(\d+)号在哪里", request["messages"][0]["content"])[1])
    if number == 3:
        return Say(content=body("我不知道"))
    return Say(content=body(f"Translation: Where is number {number}?" if count else "号"))


def test_a_sentence_is_asked_about_again_and_left_out_if_no_answer_is_a_translation(endpoint, tmp_path):
    endpoint.script = of_number
    llm, rows = model(endpoint.url), sentences(*(f"{n}号在哪里" for n in range(6)))
    spec = requests_to(llm, "translate", PROMPT, parsed_as="translation")
    translations, completions = build(spec, rows, opened(llm, tmp_path))
    assert translations.to_numpy().tolist() == [
        [f"{n}号在哪里", f"Where is number {n}?"] for n in (0, 1, 2, 4, 5)
    ]
    # Two tries each; the model says the same of number 3 a second time, so that a third one is in vain.
    assert completions.groupby("sentence_id").size().tolist() == [2] * 6
    assert completions.refused.value_counts().to_dict() == {"untranslated": 7, "": 5}
