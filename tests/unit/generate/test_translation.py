import re
from pathlib import Path

import pandas as pd

from contrapose.generate.chat_texts import translate_shard
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob
from contrapose.settings.worlds import LLM
from tests.unit.generate.scripted_endpoint import Say, body

PROMPT = (Path(__file__).parents[3] / "config/prompts/translate.txt").read_text(encoding="utf-8")


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
