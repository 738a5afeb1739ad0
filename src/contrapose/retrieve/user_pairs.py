"""Scored pairs of sentences of a person's own, and what is refused of them."""

import logging
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from contrapose.base.errors import TableError, counted, shown
from contrapose.base.tasks import FEWEST_PAIRS
from contrapose.retrieve.lines import Line, Pair, number_in
from contrapose.retrieve.overlaps import pair_words
from contrapose.retrieve.user_tables import user_rows, with_points
from contrapose.text.equal_text import equal_text

logger = logging.getLogger(__name__)

USER_HEADER = ["sentence1", "sentence2", "score"]
USER_ADVICE = f"Correct the first line, which must name the columns {', '.join(USER_HEADER)}."
CONTRADICTED = 0.01  # share of pairs that may have two scores: ours; STS-B's test pairs have 1 of 1,379
ROUNDED = 0.02  # of a range: ours, two rounding errors of scores with one decimal from 0 to 5


def user_pairs(path: Path, separator: str | None = ",") -> list[Line]:
    """Return the rows of scored pairs of a person's own: USER_HEADER, with decimal points; see `user_rows`.

    Raises TableError also if many pairs have two scores, see `_check_contradictions`.
    """
    rows = with_points(user_rows(path, USER_HEADER, USER_ADVICE, separator), USER_HEADER.index("score"))
    _check_contradictions(rows)
    return rows


def _check_contradictions(rows: Sequence[Line]) -> None:
    """Refuse many pairs of equal texts, in either order, whose scores differ by more than rounding does.

    That is by more than `ROUNDED` of the range of the scores.  Up to a share of `CONTRADICTED`, it is a
    warning: people who grade do not always agree with themselves.
    """
    scores = [number_in(line.fields[2]) for line in rows]
    known = [score for score in scores if math.isfinite(score)]
    most = ROUNDED * (max(known, default=0) - min(known, default=0))
    first: dict[tuple[str, ...], int] = {}
    found = []
    for number, line in enumerate(rows):
        other = first.setdefault(tuple(sorted(map(equal_text, line.fields[:2]))), number)
        if abs(scores[number] - scores[other]) > most:
            place = rows[other].where.rpartition(", ")[2]
            found.append(
                f"{line.where}: the pair {shown(' / '.join(line.fields[:2]))} has the score "
                f"{scores[number]:g}, but in {place}, it has the score {scores[other]:g}."
            )
    more = f" The same is true of {counted(len(found) - 1, 'more pair')}." if len(found) > 1 else ""
    if len(found) > CONTRADICTED * len(rows):
        raise TableError(
            f"{found[0]}{more} Keep one line for each pair, for example with the mean of its scores."
        )
    if found:
        _warn_once(f"{found[0]}{more} Both are used.")


@cache
def _warn_once(text: str) -> None:
    """Warn, but not again where one call reads a file several times."""
    logger.warning("%s", text)


def check_user_pairs(pairs: Mapping[str, Sequence[Pair]], where: object) -> None:
    """Refuse pairs of a person's own, by split, that no encoder can be scored or selected on.

    Raises TableError if a split has fewer than `FEWEST_PAIRS` or equal scores; or if over half of dev or of
    test is in the other: encoders would be selected on test pairs.
    """
    for split, rows in pairs.items():
        scores = {score for *_, score in rows}
        if len(rows) < FEWEST_PAIRS:
            raise TableError(
                f"{where}: the file has {counted(len(rows), 'scored pair')} for {split}. A correlation needs "
                f"at least {FEWEST_PAIRS} pairs, and hundreds are needed to find differences between "
                "encoders. Add pairs."
            )
        if len(scores) == 1:
            raise TableError(
                f"{where}: all {len(rows)} scores for {split} are {scores.pop():g}, so there is no "
                "correlation. Give pairs of more and of less similar sentences."
            )
    dev, test = ([pair[1:3] for pair in pairs.get(split, ())] for split in ("dev", "test"))
    tested = {pair_words(*pair) for pair in test}
    if both := [pair for pair in dev if pair_words(*pair) in tested]:
        says = f"{where}: {len(both)} of {len(dev)} dev pairs are also test pairs, such as {shown(both[0])}."
        if len(both) > min(len(dev), len(test)) / 2:  # some sets, STS-B for one, share a few
            raise TableError(f"{says} Remove them from the dev pairs, or give no dev pairs.")
        _warn_once(says)
