import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoTokenizer

from contrapose.base.errors import TableError, UnavailableError
from contrapose.models.epochs import batches, rows_used, steps_per_epoch
from contrapose.pairs.pair_rows import as_pairs, in_lists
from contrapose.settings.catalogs import Prompts
from contrapose.train.batches import check_negatives, part_of, tokenised_pairs
from contrapose.train.losses.loss_settings import labels_of
from contrapose.train.recipe import Recipe
from contrapose.train.rows import NO_TEXT
from tests.unit.train.trainings import LABELLED, LABELS, WEIGHTED, tokenising


def pairs(*rows, negative=None):
    frame = pd.DataFrame(rows, columns=["id", "slot", "anchor", "positive"])
    hard = None if negative is None else in_lists(negative)
    return as_pairs(frame.id, frame.anchor, frame.positive, slot=frame.slot, negatives=hard)


TWO_SLOTS = pairs(
    ("1", 0, "the cat", "a cat"),
    ("2", 0, "the dog", "a dog"),
    ("1", 1, "the cat", "the red cat"),
    ("2", 1, "the dog", "the cat"),
)
PLAIN = pairs(("1", 0, "the cat", "the cat"), ("2", 0, "the dog", "the dog"))
HARD = pairs(("2", 0, "the dog", "a dog"), ("1", 0, "the cat", "a cat"), negative=["red", "big"])
TWO_VIEWS = pd.concat([PLAIN, HARD.assign(view=1)], ignore_index=True)


@pytest.fixture(scope="module")
def tokenizer(tiny_encoder):
    return AutoTokenizer.from_pretrained(tiny_encoder("bert"))


def texts_of(data, numbers, tokenizer):
    start = data.tokens.start
    return [tokenizer.decode(data.tokens.ids[start[at] : start[at + 1]][1:-1]) for at in numbers]


RAGGED = TWO_SLOTS.assign(negatives=pd.Series([["red", "big", "a cat"], [], ["mat"], []]))
LONG = pairs(("1", 0, "the cat sat on the mat", "the cat sat on the mat"), ("2", 0, "a dog", "a dog"))
PROMPTS = Prompts(query="the big ", document="a red ")
ROWS = {  # pairs, options, distinct texts, those of each row
    "slots": (TWO_SLOTS, {}, 5, TWO_SLOTS[["anchor", "positive"]].to_numpy().tolist()),
    # The sides of all views stand behind one anchor.
    "views": (
        TWO_VIEWS, {}, 6, [["the cat", "the cat", "a cat", "big"], ["the dog", "the dog", "a dog", "red"]]
    ),
    "any number of hard negatives": (
        RAGGED, {}, 8,
        [
            ["the cat", "a cat", "red", "big", "a cat"], ["the dog", "a dog"],
            ["the cat", "the red cat", "mat"], ["the dog", "the cat"],
        ],
    ),
    "prompts": (
        HARD, {}, 6,
        [["the big the dog", "a red a dog", "a red red"], ["the big the cat", "a red a cat", "a red big"]],
    ),
    "queries of another length": (
        LONG, {"query_length": 5}, 4, [["the cat sat", "the cat sat on the"], ["a dog", "a dog"]]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_the_texts_of_its_sides_each_tokenised_once(name, tokenizer):
    table, options, distinct, expected = ROWS[name]
    prompts = PROMPTS if name == "prompts" else Prompts()
    data = tokenised_pairs(table, tokenising(tokenizer, prompts), **{"max_length": 7, **options})
    rows = [row[row != NO_TEXT] for slot in data.slots for row in slot.texts]
    assert [texts_of(data, row, tokenizer) for row in rows] == expected
    assert len(data.tokens) == len(data.texts) == distinct
    assert data.tokens.cut == ("length" in name) * 2
    # A teacher reads them without prompts, and as long as they are.
    plain = [list(data.texts[row[:2]]) for row in rows]
    assert plain == table[table["view"] == 0][["anchor", "positive"]].to_numpy().tolist()


def test_labels_weights_and_scores_are_those_of_views_and_sides(tokenizer):
    views = [SCORED.assign(weight=np.float32([2, 3])), TWO_SLOTS.head(2).assign(view=1)]
    (rows,) = tokenised_pairs(pd.concat(views), tokenising(tokenizer), 8).slots
    assert rows.labels is None
    assert rows.weights.tolist() == [[2, 1], [3, 1]]
    (plain,) = tokenised_pairs(SCORED, tokenising(tokenizer), 8).slots
    assert (plain.weights, plain.scores) == (None, None)
    labelled = SCORED.assign(label=np.float32([0.5, 1]))
    settings = Recipe(loss="score_distillation")
    (scored,) = tokenised_pairs(labelled, tokenising(tokenizer), 8, recipe=settings).slots
    assert scored.scores.tolist() == [[0, 0, 0.5], [0, 0, 0.25]]  # anchor, positive, negative
    assert scored[np.array([1])].scores.tolist() == [[0, 0, 0.25]]
    settings = Recipe(loss="cosine_similarity")
    (weighted,) = tokenised_pairs(WEIGHTED, tokenising(tokenizer), 8, recipe=settings).slots
    assert weighted.labels[:, 0].tolist() == pytest.approx(LABELS.tolist())
    with pytest.raises(
        TableError,
        match=(
            "no row has a hard negative, but the recipe sets "
            "hard_negative_weight, which is about hard negatives"
        ),
    ):
        check_negatives([weighted], Recipe(hard_negative_weight=1.0))
    check_negatives([plain], Recipe(hard_negative_weight=1.0))


def numbered_slots(n_slots, rows):
    """Row r of slot s is [100 s + r, 100 s + r]."""
    return [np.repeat(100 * slot + np.arange(rows)[:, None], 2, axis=1) for slot in range(n_slots)]


def test_epoch_e_trains_on_slot_e_mod_5_and_on_all_of_it():
    seen = {}
    for epoch, rows in batches(numbered_slots(5, 7), 3, epochs=12, seed=42):
        seen.setdefault(epoch, []).extend(rows[:, 0].tolist())
    expected = {epoch: [100 * (epoch % 5) + row for row in range(7)] for epoch in range(12)}
    assert {epoch: sorted(rows) for epoch, rows in seen.items()} == expected


def test_rows_of_a_slot_count_once_however_many_epochs_take_it():
    slots = [np.arange(10)] * 5
    assert rows_used(slots, 4, {0: 3}) == 10
    assert rows_used(slots, 4, {0: 3, 1: 2}) == 10 + 8  # stopped in the second epoch
    assert rows_used(slots, 4, dict.fromkeys(range(5), 3)) == 50
    assert rows_used(slots, 4, {**dict.fromkeys(range(6), 3), 6: 1}) == 50  # stopped when all were seen


def test_the_order_depends_on_seed_and_epoch_alone():
    def orders(seed, epochs, batch_size=20):
        return [rows[:, 0].tolist() for _, rows in batches(numbered_slots(1, 20), batch_size, epochs, seed)]

    assert len({tuple(order) for seed in (42, 43) for order in orders(seed, 3)}) == 6
    assert orders(42, 3)[:2] == orders(42, 2)
    assert [row for batch in orders(42, 1, batch_size=3) for row in batch] == orders(42, 1)[0]


def test_a_number_of_steps_repeats_epochs_and_cuts_the_last():
    slots = [np.arange(5), np.arange(3)]  # 3 and 2 batches of two
    assert steps_per_epoch(slots, 2, 1, steps=7) == [3, 2, 2]
    assert steps_per_epoch(slots, 2, 1, steps=5) == [3, 2]
    assert steps_per_epoch(slots, 2, 1, steps=2) == [2]
    by_steps, by_epochs = (
        [(epoch, rows.tolist()) for epoch, rows in batches(slots, 2, epochs, 42, steps=steps)]
        for epochs, steps in ((1, 7), (3, None))
    )
    assert by_steps == by_epochs[:7]
    assert next(iter(batches(slots, 2, 1, 42, done=6, steps=7)))[1].tolist() == by_steps[6][1]


SCORED = HARD.assign(negative_scores=[[0.5], [0.25]])
OTHER_ANCHOR = TWO_VIEWS.assign(anchor=["the cat", "a", "the dog", "the cat"])
TWO_LABELLED_VIEWS = pd.concat([LABELLED, LABELLED.assign(view=1)])
LISTED = HARD.assign(
    label=[0.5, 0.75],
    negatives=pd.Series([["red", "big"], ["mat"]]),
    negative_scores=pd.Series([[0.25, 0.125], [-0.5]]),
)
HALF_SCORED = LISTED.assign(negative_scores=pd.Series([[0.25, np.nan], [-0.5]]))
HARD_LABELLED = LABELLED.assign(negatives=in_lists(LABELLED.anchor))


def test_scores_of_hard_negatives_are_labels_behind_that_of_the_positive(tokenizer):
    (slot,) = tokenised_pairs(
        LISTED, tokenising(tokenizer), 8, recipe=Recipe(loss="score_distillation")
    ).slots
    rows = slot[np.array([1, 0])]
    expected = np.array([[0.75, -0.5, 0], [0.5, 0.25, 0.125]], "float32")  # 0: no third text
    np.testing.assert_array_equal(labels_of(rows, torch.zeros(0)), expected)
    assert slot.present.tolist() == [[True] * 4, [True] * 3 + [False]]


@pytest.mark.parametrize(
    ("settings", "table", "message"),
    [
        ({}, TWO_SLOTS.head(0), "empty"),
        ({}, TWO_SLOTS.head(1), "at least 2"),
        ({}, TWO_SLOTS[TWO_SLOTS.slot == 1], r"^pairs: the column slot has \[1\], but 0, 1, 2 \.\.\. are"),
        ({}, TWO_SLOTS.assign(view=1), r"^pairs: the column view has \[1\], but 0, 1, 2 \.\.\. are expected"),
        (
            {},
            TWO_VIEWS.head(3),
            r"^pairs: one of the positives is missing in \d rows?\. '1' has no positive 2\.",
        ),
        (
            {},
            OTHER_ANCHOR,
            "^pairs: positive 2 has another anchor than positive 1 in 1 row. The first has the id '2'.",
        ),
        ({}, TWO_SLOTS.assign(label=0.5), "have labels, but the loss info_nce does not use labels"),
        ({}, PLAIN.assign(anchor=["", " "], positive=""), "every text is empty"),
        (
            {"loss": "tsdae"},
            HARD,
            "but the loss tsdae takes one positive and 0 hard negatives in each row",
        ),
        (
            {"loss": "cosine_similarity"},
            LABELLED.assign(label=LABELS.where(LABELS > 0)),
            r"1 of 6 rows have no label.*'3'",
        ),
        ({"loss": "cosine_similarity"}, HARD_LABELLED, "a row has 1 positive, and 6 rows have 6 hard"),
        ({"loss": "cosine_similarity"}, TWO_LABELLED_VIEWS, "a row has 2 positives, and 6 rows have 0 hard"),
        (
            {"loss": "cosent"},
            LABELLED.assign(label=np.float32("nan")),
            "of 6 rows have no label, but the loss cosent compares similarities with labels",
        ),
        ({"loss": "cosent"}, WEIGHTED, "Use the loss cosine_similarity"),
        (
            {"loss": "margin_mse"},
            LABELLED,
            "6 rows have 0 hard negatives, but the loss margin_mse takes one positive and 1 hard negative in",
        ),
        (
            {"loss": "score_distillation"},
            LABELLED,
            "but the loss score_distillation takes one positive and any number of hard negatives in each row",
        ),
        ({"loss": "score_distillation"}, HARD_LABELLED, "6 hard negatives have no score"),
        ({"loss": "score_distillation"}, HALF_SCORED, "1 hard negatives have no score"),
    ],
)
def test_a_table_that_cannot_be_trained_on_is_refused(settings, table, message, tokenizer):
    with pytest.raises(TableError, match=message):
        tokenised_pairs(table, tokenising(tokenizer), 8, recipe=Recipe(**settings))


def test_shares_of_the_sentences_are_nested_whole_and_drawn_for_each_seed():
    ids = [f"f:{number}" for number in range(30)]
    rows = [(each, slot, each, f"{each} {slot}") for slot in (0, 1) for each in ids]
    several = pd.concat([pairs(*rows), pairs(*rows).assign(view=1)], ignore_index=True)
    parts = {
        (share, seed): part_of(several, Recipe(batch_size=4, epochs=3, train_fraction=share), seed)
        for share in (0.25, 0.5)
        for seed in (1, 2)
    }
    kept = {key: set(part.id) for key, (part, _) in parts.items()}
    assert {key: len(each) for key, each in kept.items()} == {
        **{(0.25, seed): 8 for seed in (1, 2)},
        **{(0.5, seed): 15 for seed in (1, 2)},
    }
    for seed in (1, 2):
        assert kept[0.25, seed] < kept[0.5, seed]
    assert kept[0.5, 1] != kept[0.5, 2]
    assert all(len(part) == 4 * part.id.nunique() for part, _ in parts.values())  # slots and views
    assert {recipe.steps for _, recipe in parts.values()} == {3 * 8}  # of 30 rows
    shuffled = several.sample(frac=1, random_state=1)
    assert set(part_of(shuffled, Recipe(batch_size=4, train_fraction=0.25), 1)[0].id) == kept[0.25, 1]
    scored = several.assign(id=several.id + "+" + several.slot.astype(str))  # rows of kind scored
    of_rows = set(
        part_of(scored, Recipe(batch_size=4, train_fraction=0.25), 1)[0].id.str.replace(
            r"\+.", "", regex=True
        )
    )
    assert of_rows == kept[0.25, 1]


def test_a_share_that_fills_no_batch_is_left_out_with_the_reason():
    rows = pairs(*((str(number), 0, "a", "b") for number in range(10)))
    words = (
        "train_fraction is 0.25, so 25 % of the sentences give only 3 pairs, but batch_size is 4. Raise "
        "train_fraction, lower batch_size, or add sentences"
    )
    with pytest.raises(UnavailableError, match=words):
        part_of(rows, Recipe(batch_size=4, train_fraction=0.25), 42)
