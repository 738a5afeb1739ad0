from functools import partial

import pandas as pd
import pytest

from contrapose.generate.llm_requests import LLMRequests
from contrapose.generate.parsing.written import TRIPLET_KEYS
from contrapose.generate.requests import request
from contrapose.jobs.status import read_status
from contrapose.project import Project
from contrapose.settings.catalogs import SamplingParams
from tests.checkout import HOME
from tests.kinds import pairs
from tests.tables import sentences

TASKS = sentences("Find mills.", "Find hills.", "Find rills.", ids=["1:0", "0:0", "2:0"])
TEXTS = ((2, "bad"), (0, "query"), (1, "good"))
WRITTEN = pd.DataFrame(
    [(id, slot, f"{text} {id}") for id in ("0:0", "1:0") for slot, text in TEXTS],
    columns=["sentence_id", "slot", "text"],
)
task_triplets = partial(pairs, "task_triplets", corpus="any")


def test_the_three_texts_of_a_task_are_anchor_positive_and_hard_negative():
    found = task_triplets(TASKS, WRITTEN)
    assert found[["id", "anchor", "positive", "negatives"]].to_numpy().tolist() == [
        ["1:0", "query 1:0", "good 1:0", ["bad 1:0"]],
        ["0:0", "query 0:0", "good 0:0", ["bad 0:0"]],
    ]
    assert found.label.isna().all()
    assert read_status(found.attrs).skipped == ["1 of 3 tasks without a triplet are dropped"]


def test_fewer_than_two_triplets_are_no_pairs():
    found = task_triplets(TASKS, WRITTEN[WRITTEN.sentence_id == "1:0"])
    assert found.empty
    why = (
        "pairs of kind task_triplets: 2 of 3 tasks without a "
        "triplet are dropped, and 1 remain, but 2 are needed. Add sentences or texts"
    )
    assert read_status(found.attrs).unavailable == why


def test_a_single_task_with_its_triplet_is_no_pairs_and_nothing_is_said_to_be_dropped():
    found = task_triplets(TASKS[:1], WRITTEN[WRITTEN.sentence_id == "1:0"])
    assert read_status(found.attrs).unavailable == (
        "pairs of kind task_triplets: there are 1, but 2 are needed. Add sentences or texts"
    )


@pytest.mark.parametrize("name", ["task_triplets", "similar_triplets"])
def test_our_prompts_ask_for_three_keys_with_everything_filled_in(name):
    prompt = Project({}, HOME).entry("prompts", name)
    requests = LLMRequests(
        llm="a", sampling=SamplingParams(model="m"), prompt=name, template=prompt.texts[0],
        choices=prompt.choices, parsed_as=prompt.asked_for,
    )  # fmt: skip
    asked = [request("", f"Task {number}.", requests).body["messages"][-1]["content"] for number in range(40)]
    assert len({text.replace(f"Task {number}.", "") for number, text in enumerate(asked)}) > 20
    assert all(f'"{key}"' in asked[0] for key in TRIPLET_KEYS[name == "similar_triplets"])
    assert not any(brace in text for text in asked for brace in "{}")
