import math

import pandas as pd
import pytest
from contrapose.jobs import PromptTableJob, PromptTableRow
from contrapose.report.prompt_table import (
    RowScores,
    gradient_table,
    printed_table,
    prompt_csv,
    prompt_markdown,
    prompt_table,
)

from contrapose.errors import ConfigError
from contrapose.report.plots import gradient_plot
from contrapose.tables import PROMPT_TABLE, SENTENCE_SCORES, read_table, write_table

PUBLISHED = pd.DataFrame(
    {
        "prompt": ["Prompt 1"],
        "llm": ["ChatGPT"],
        "sentences": [100],
        "Sim": [0.947],
        "BLEU": [0.403],
        "Total": [0.772],
    }
)
ROWS = [
    PromptTableRow(label="Prompt 1", prompt="1", llm="chatgpt", corpus="wiki", published="ChatGPT: Prompt 1"),
    PromptTableRow(label="Prompt 4", prompt="4", llm="chatgpt", corpus="head"),
]


def job(**changed) -> PromptTableJob:
    settings = {
        **{"table": "table9", "caption": "A caption.", "source": "A paper, 2023", "world": "tiny"},
        **{"world_description": "two prompts", "generated": False, "rows": ROWS, "notes": ["q stands in"]},
    }
    return PromptTableJob(**{**settings, **changed})


def scores(similarities: list[float], gradient=(0.9, 0.9)) -> RowScores:
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
    return RowScores(sentences[SENTENCE_SCORES.columns], pd.DataFrame(slots).astype({"slot": "int16"}))


FOUND = [scores([0.8, 0.9, 1.0]), scores([0.7], gradient=(0.95, 0.6))]
TIDY = prompt_table(FOUND, PUBLISHED, job())


def cell(row: int, column: str, slot: int | None = None) -> dict:
    at_slot = TIDY.slot.isna() if slot is None else TIDY.slot == slot
    (found,) = TIDY[(TIDY["row"] == row) & (TIDY.column == column) & at_slot].to_dict("records")
    return found


def test_a_cell_is_a_mean_over_sentences_with_its_standard_error(tmp_path):
    write_table(TIDY, tmp_path / "t.parquet", PROMPT_TABLE)
    assert len(read_table(tmp_path / "t.parquet", PROMPT_TABLE)) == 2 * (7 + 2 * 2)
    found = cell(0, "Sim")
    assert (found["value"], found["n"]) == (pytest.approx(0.9), 3)
    assert found["spread"] == pytest.approx(0.1)
    assert found["error"] == pytest.approx(0.1 / math.sqrt(3))
    assert pd.isna(cell(1, "Sim")["error"])  # one sentence has none


def test_the_papers_numbers_are_beside_its_three_columns_of_its_own_row_alone():
    assert [cell(0, name)["published"] for name in ("Sim", "BLEU", "Total")] == [0.947, 0.403, 0.772]
    assert pd.isna(cell(0, "cosine")["published"])
    assert pd.isna(cell(0, "Sim", 0)["published"])
    assert TIDY[TIDY["row"] == 1].published.isna().all()


def test_the_printed_table_has_three_decimals_and_no_number_of_the_paper():
    assert prompt_csv(TIDY, job()).iloc[0].to_dict() == {
        **{"world": "tiny", "label": "Prompt 1", "llm": "chatgpt", "sentences": "3"},
        **{"Sim": "0.900", "BLEU": "0.000", "Total": "0.950", "cosine": "0.800", "BLEU single": "0.000"},
        **{"BLEU characters": "0.500", "4-gram": "0.000", "note": "q stands in"},
    }
    assert printed_table(TIDY, errors=True).Sim.tolist() == ["0.900 ± 0.058", "0.700"]


def test_the_gradient_is_the_mean_of_each_place_and_its_rank_correlation():
    assert gradient_table(TIDY).iloc[1].to_dict() == {
        **{"label": "Prompt 4", "llm": "chatgpt", "1": "0.950", "2": "0.600", "rank correlation": "-1.00"}
    }


def test_the_correlation_with_the_place_is_that_of_ranks():
    uneven = prompt_table([FOUND[0], scores([0.7], gradient=(0.95, 0.6, 0.55))], PUBLISHED, job())
    assert gradient_table(uneven).iloc[1]["rank correlation"] == "-1.00"


def test_parascore_is_a_column_only_where_it_was_scored():
    assert "ParaScore" not in printed_table(TIDY)
    slots = FOUND[1].slots[["sentence_id", "slot"]]
    with_it = [row._replace(parascores=row.slots.assign(parascore=row.slots.similarity)) for row in FOUND]
    tidy = prompt_table(with_it, PUBLISHED, job())
    assert printed_table(tidy).ParaScore.tolist() == ["0.900", "0.775"]  # the mean over 0.95 and 0.6
    assert len(tidy[(tidy.column == "ParaScore") & tidy.slot.notna()]) == 2 * len(slots)


def test_published_numbers_stand_apart_and_never_beside_those_of_a_generated_world():
    said = job(deviations=[{"where": "section 1", "paper": "Open.", "ours": "Closed."}])
    ours, theirs = prompt_markdown(TIDY, PUBLISHED, said).split("## The paper's numbers")
    assert "0.403" not in ours
    assert "| ChatGPT: Prompt 1 | 0.947 | 0.403 | 0.772 |" in theirs
    assert "- section 1. Open. **Here:** Closed." in theirs
    made = prompt_markdown(TIDY, PUBLISHED, job(generated=True))
    assert "0.403" not in made
    assert "do not compare with any paper's" in made


def test_a_row_that_the_paper_does_not_have_is_refused_with_the_nearest():
    wrong = job(rows=[ROWS[0].model_copy(update={"published": "ChatGPT: Promt 1"}), ROWS[1]])
    with pytest.raises(ConfigError, match=r"no entry 'ChatGPT: Promt 1'\. Did you mean 'ChatGPT: Prompt 1'"):
        prompt_table(FOUND, PUBLISHED, wrong)


def test_equal_tables_give_equal_pictures(tmp_path):
    for name in ("a.png", "b.png"):
        gradient_plot(TIDY, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
