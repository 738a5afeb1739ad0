"""Scored pairs of a person's own: whether anything can be scored on them."""

import logging
from collections.abc import Mapping, Sequence

from contrapose.errors import TableError, shown
from contrapose.retrieve.formats import Pair
from contrapose.tasks import FEWEST_PAIRS

logger = logging.getLogger(__name__)


def check_own(pairs: Mapping[str, Sequence[Pair]], where: object) -> None:
    """Refuse pairs of a person's own, by split, that no encoder can be scored or selected on.

    Raises TableError if a split has fewer than `FEWEST_PAIRS` or equal scores; or if over half of dev or of
    test is in the other: encoders would be selected on test pairs.
    """
    for split, rows in pairs.items():
        scores = {score for *_, score in rows}
        if len(rows) < FEWEST_PAIRS:
            raise TableError(
                f"{where}: {len(rows)} scored pairs for {split}, a correlation needs {FEWEST_PAIRS}, and "
                "hundreds to tell encoders apart. Add pairs."
            )
        if len(scores) == 1:
            raise TableError(
                f"{where}: all {len(rows)} scores for {split} are {scores.pop():g}, so there is no "
                "correlation. Give pairs of more and of less similar sentences."
            )
    dev, test = ([pair[1:3] for pair in pairs.get(split, ())] for split in ("dev", "test"))
    if both := {*dev} & {*test}:
        says = (
            f"{where}: {len(both)} of {len(dev)} dev pairs are test pairs, too, such as {shown(min(both))}."
        )
        if len(both) > min(len(dev), len(test)) / 2:  # some sets, STS-B for one, share a few
            raise TableError(f"{says} Remove them from the dev pairs, or leave dev pairs out.")
        logger.warning("%s", says)
