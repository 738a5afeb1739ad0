"""Refused answers: how many by code, with an example of each, and when no more are asked for."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Self

import pandas as pd

from contrapose.base.errors import BackendError
from contrapose.jobs.status import read_status, with_status

FIRST = 20  # answers before a job may stop: ours
# Standard deviations above the share that is allowed: one-sided, at 1 %.  A model that refuses 31 %, as that
# answered as persona `close` of the mini world, has more than 10 of 20 answers refused in one job of thirty.
BEYOND_CHANCE = 2.33
SHOWN = 80  # characters of an example


class Tally:
    """How many answers there are, how many of them are refused by code, and an example of each code."""

    def __init__(self, completions: Iterable[Mapping] = ()) -> None:
        self.answers, self.codes, self.examples = 0, Counter[str](), dict[str, str]()
        for one in completions:
            self.count(one)

    @classmethod
    def of(cls, completions: pd.DataFrame) -> Self:
        """Return the tally of a table with the columns `answer` and `refused` of COMPLETIONS."""
        tally, refused = cls(), completions[completions.refused != ""]
        tally.answers, tally.codes = len(completions), Counter(refused.refused.value_counts().to_dict())
        first = refused.drop_duplicates("refused")
        tally.examples = dict(zip(first.refused, first.answer, strict=True))
        return tally

    def count(self, completion: Mapping) -> None:
        self.answers += 1
        if code := completion["refused"]:
            self.codes[code] += 1
            self.examples.setdefault(code, completion["answer"])

    def check(self, at_most: float, title: str, role: str, in_flight: int = 1) -> None:
        """Raise BackendError if more than a share of 20 answers or more are refused, beyond chance.

        Of many requests in flight the short answers come first, as refusals are: twice as many are awaited.
        """
        expected = at_most * self.answers + BEYOND_CHANCE * sqrt(at_most * (1 - at_most) * self.answers)
        if self.answers >= max(FIRST, 2 * in_flight) and self.codes.total() > expected:
            raise BackendError(
                f"{title}: {self}. The job sends no more requests; all answers are kept. Correct the "
                f"prompt, the entry llms.{role} of the catalog, or the server, and run the same "
                "command again. If you only changed the server, first call `contrapose llm-cache "
                f"forget {role}`, so that these requests are sent again. To continue in spite of the "
                "refused answers: --config max_invalid_ratio=1."
            )

    def __str__(self) -> str:
        """Return `30 of 40 answers are refused: talking 28, such as "Sure!"; copy 2, such as ...`."""
        texts = {code: shortened(text) for code, text in self.examples.items()}
        examples = {code: f', such as "{text}"' if text else "" for code, text in texts.items()}
        codes = (f"{code} {count}{examples[code]}" for code, count in self.codes.most_common())
        return f"{self.codes.total()} of {self.answers} answers are refused: {'; '.join(codes)}"


def shortened(answer: str, most: int = SHOWN) -> str:
    """Return the beginning of an answer on one line."""
    text = " ".join(answer.split())
    return text if len(text) <= most else f"{text[:most]}..."


def with_refused(table: pd.DataFrame, completions: pd.DataFrame, about: str) -> pd.DataFrame:
    """Add to the status of what answers give how many are refused, if some question has no accepted one.

    The notes of tables have it.
    """
    last = completions.drop_duplicates(["sentence_id", "prompt"], keep="last")
    if (last.refused == "").all():
        return table
    skipped = read_status(table.attrs).skipped
    return with_status(table, skipped=[*skipped, f"{about}: {Tally.of(completions)}"])
