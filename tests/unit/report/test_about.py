"""What files say about the table or figure that is made of them."""

import pytest

from contrapose.errors import TableError
from contrapose.tables import SCORES, empty
from tests.kinds import about


def test_a_table_says_what_its_models_ran_in_and_compares_no_two_precisions(file):
    def notes(*files):
        told, _ = about().completed_by([file(empty(SCORES), SCORES, settings={}, **made) for made in files])
        return told.notes

    half = {"precision": ["bf16"], "auto_precision": {"cpu": "bf16"}}
    assert notes(half, half, {}) == ["Models ran in bf16."]
    assert notes(half, {"precision": ["fp16"]}) == ["Models ran in bf16 and fp16."]  # a recipe's own
    with pytest.raises(TableError, match=r"was made in bf16, but .* in float32.* Set precision: float32 or"):
        notes(half, {"precision": ["float32"], "auto_precision": {"cuda": "float32"}})
