"""What the kinds of tables and figures return, and how it is written."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from contrapose.jobs.stage import Named
from contrapose.report.about import About
from contrapose.report.files import write_csv, write_text
from contrapose.report.latex import latex
from contrapose.report.plots import Files, Layout, draw
from contrapose.tables import POINTS, Table, write_table


class Report(NamedTuple):
    """A table, and the texts that show it."""

    tidy: pd.DataFrame
    schema: Table
    csv: pd.DataFrame
    markdown: str
    plot: Callable[[Files], None] | None = None  # draws PNG and SVG files; of kinds that are `plotted`

    def write(self, output: Named, made_by: Mapping[str, object]) -> None:
        if self.plot:
            self.plot([output.plot, output.svg])
        write_text(self.markdown, output.markdown)
        write_text(latex(self.markdown), output.latex)
        write_table(self.tidy, output.parquet, self.schema, {**made_by, **self.tidy.attrs})
        write_csv(self.csv, output.csv)


class Drawing(NamedTuple):
    """A figure: its points, as POINTS, and how they are drawn."""

    tidy: pd.DataFrame
    layout: Layout
    about: About

    def draw(self, files: Files) -> None:
        draw(self.tidy, self.layout, self.about, files)

    def write(self, output: Named, made_by: Mapping[str, object]) -> None:
        self.draw([output.pdf, output.png, output.svg])
        write_table(self.tidy, output.parquet, POINTS, made_by)
