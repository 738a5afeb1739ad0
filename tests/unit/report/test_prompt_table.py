import math

import pandas as pd
import pytest

from contrapose.tables import PARASCORES, SENTENCE_SCORES, SLOT_SCORES
from tests.kinds import about, drawn, file, report

PUBLISHED = pd.DataFrame(
    [("Prompt 1", "ChatGPT", 100, 0.947, 0.403, 0.772)],
    columns=["prompt", "llm", "sentences", "Sim", "BLEU", "Total"],
)
FIRST = {"label": "Prompt 1", "prompt": "1", "corpus": "wiki", "published": "ChatGPT: Prompt 1"}
ROWS = [FIRST, {"label": "Prompt 4", "prompt": "4", "corpus": "head"}]


def scores(similarities: list[float], gradient=(0.9, 0.9)) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of a sentence for each similarity, without a common n-gram; `gradient` is that of two slots."""
    ids = [f"s{at}" for at in range(len(similarities))]
    sentences = pd.DataFrame({"sentence_id": ids, "similarity": similarities, "bleu": 0.0})
    sentences = sentences.assign(total=(sentences.similarity + 1) / 2, cosine=2 * sentences.similarity - 1)
    sentences = sentences.assign(bleu_single=0.0, bleu_characters=0.5, common_4gram=False)
    slots = [
        {"sentence_id": id, "slot": slot, "cosine": 0.0, "similarity": value, "bleu": 0.25 * slot}
        for id in ids
        for slot, value in enumerate(gradient)
    ]
    return sentences[SENTENCE_SCORES.columns], pd.DataFrame(slots)


FOUND = [scores([0.8, 0.9, 1.0]), scores([0.7], gradient=(0.95, 0.6))]


def table(found=FOUND, rows=ROWS, parascores=()):
    sentences = [file(each, SENTENCE_SCORES) for each, _ in found]
    slots = [file(each, SLOT_SCORES) for _, each in found]
    third = [file(each, PARASCORES) for each in parascores]
    return report(
        "prompts",
        {"rows": rows},
        about(notes=["q stands in"]),
        sentences,
        slots,
        third,
        published=PUBLISHED,
    )


def cell(made, row: int, column: str, slot: int | None = None) -> dict:
    tidy = made.tidy
    at_slot = tidy.slot.isna() if slot is None else tidy.slot == slot
    (found,) = tidy[(tidy["row"] == row) & (tidy.column == column) & at_slot].to_dict("records")
    return found


def test_a_cell_is_a_mean_over_sentences_with_its_standard_error(tmp_path):
    made = table()
    assert len(made.tidy) == 2 * (7 + 2 * 2)
    found = cell(made, 0, "Sim")
    assert (found["value"], found["n"], found["std"]) == (pytest.approx(0.9), 3, pytest.approx(0.1))
    assert found["error"] == pytest.approx(0.1 / math.sqrt(3))
    assert pd.isna(cell(made, 1, "Sim")["error"])  # one sentence has none
    assert [cell(made, 0, name)["published"] for name in ("Sim", "BLEU", "Total")] == [0.947, 0.403, 0.772]
    assert pd.isna(cell(made, 0, "Sim", 0)["published"])
    assert made.csv.iloc[0, 1:5].tolist() == ["Prompt 1", "chatgpt", "3", "0.900"]
    assert "| Prompt 1 | chatgpt | 3 | 0.900 ± 0.058 |" in made.markdown
    assert "| ChatGPT: Prompt 1 | 0.947 | 0.403 | 0.772 |" in made.markdown
    assert set(made.csv.note) == {"q stands in"}
    drawn(made, tmp_path)


def test_the_gradient_is_the_mean_of_each_place_and_its_rank_correlation():
    assert "| Prompt 4 | chatgpt | 0.950 | 0.600 | -1.00 |" in table().markdown
    uneven = [scores([0.8], gradient=(0.9, 0.9, 0.9)), scores([0.7], gradient=(0.95, 0.6, 0.55))]
    assert "| Prompt 4 | chatgpt | 0.950 | 0.600 | 0.550 | -1.00 |" in table(uneven).markdown


def test_parascore_is_a_column_only_where_it_was_scored():
    assert "ParaScore" not in table().csv
    slots = [each[["sentence_id", "slot"]].assign(f1=0.0, distance=0.0) for _, each in FOUND]
    parascores = [of.assign(parascore=each.similarity) for of, (_, each) in zip(slots, FOUND, strict=True)]
    made = table(parascores=parascores)
    assert made.csv.ParaScore.tolist() == ["0.900", "0.775"]  # the mean over 0.95 and 0.6
    assert len(made.tidy[(made.tidy.column == "ParaScore") & made.tidy.slot.notna()]) == 2 * 2
