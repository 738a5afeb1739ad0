"""How tables print the cells of CELLS."""

from collections.abc import Mapping
from typing import ClassVar

import pandas as pd

from contrapose.report.cells import column_names, printed_budgets
from contrapose.report.headers import COUNT, ROW, SCORE, TRAINING, headed

DECIMALS = 2  # of most numbers
Decimals = int | Mapping[str, int] | None  # of all columns, or by column; None: as many as needed


class PrintedCells:
    """Mixin that prints cells; the settings of a kind say how."""

    decimals: ClassVar[Decimals] = DECIMALS
    intervals: ClassVar[bool] = False  # shown in brackets
    spread: ClassVar[str] = "std"  # column of the number that is printed after ±; empty: none
    missing: ClassVar[str] = ""  # a value, in the CSV file; on the page a dash
    # Printed names of the columns of CELLS that name a row.
    labels: ClassVar[Mapping[str, str]] = {"group": "group", "model": "model"}

    @property
    def counted(self) -> str:
        """Printed name of the number behind the first value of a row; empty: not printed."""
        return ""

    def number_format(self, column: str) -> str:
        """Return the format of the numbers of a column."""
        digits = self.decimals.get(column, DECIMALS) if isinstance(self.decimals, Mapping) else self.decimals
        return "g" if digits is None else f".{digits}f"

    def printed(self, tidy: pd.DataFrame, spread: str | None = None) -> pd.DataFrame:
        """Return `printed_parts` with one header for each column."""
        return headed(self.printed_parts(tidy, spread))

    def printed_parts(self, tidy: pd.DataFrame, spread: str | None = None) -> pd.DataFrame:
        """Return cells of CELLS as printed, a text per column: means over seeds, of no single place.

        A value has `± spread`, or another number than that of the settings, if there is one, or else its
        interval, if intervals are shown.  The last columns are training budgets, see `printed_budgets`.
        Columns are by part, see `headers`; the index is the row.
        """
        means = tidy[tidy.seed.isna() & tidy.slot.isna()]
        means = means.assign(name=column_names(means))
        first = means.drop_duplicates("row").set_index("row").sort_index()
        labels = {name: first[column] for name, column in self.labels.items()}
        counts = {self.counted: first.n.astype(str)} if self.counted else {}
        texts = means.assign(text=[self._text(cell, spread) for cell in means.to_dict("records")])
        scores = texts.pivot(index="row", columns="name", values="text").fillna(self.missing)
        parts = {
            ROW: pd.DataFrame(labels, first.index),
            COUNT: pd.DataFrame(counts, first.index),
            SCORE: scores[list(dict.fromkeys(means.name))],
            TRAINING: printed_budgets(tidy),
        }
        return pd.concat(parts, axis=1)

    def _text(self, cell: Mapping, spread: str | None) -> str:
        if pd.isna(cell["value"]):
            return self.missing
        form, spread = self.number_format(cell["column"]), self.spread if spread is None else spread
        names = [name for name in ("value", spread, "ci_low", "ci_high") if name and pd.notna(cell[name])]
        text = {name: format(cell[name], form) for name in names}
        if self.intervals and "ci_low" in text:
            return f"{text['value']} [{text['ci_low']}, {text['ci_high']}]"
        return " ± ".join(text[name] for name in ("value", spread) if name in text)
