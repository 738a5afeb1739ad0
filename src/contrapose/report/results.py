"""The built results of a study, as the report reads them."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import pandas as pd

from contrapose.report.pair_cosines import CosinePicture
from contrapose.settings.deviations import Deviation

ResultKind = Literal["tables", "figures", "claims"]  # folders of results that people read


class Result(NamedTuple):
    """A table, a figure or the verdicts on the claims of a study."""

    kind: ResultKind
    name: str
    caption: str
    command: str  # builds it again
    tidy: pd.DataFrame
    made: Mapping  # provenance of its Parquet file
    text: str  # Markdown
    images: Mapping[str, str]  # `data:` addresses or SVG, by the names of the PNG files
    files: Mapping[str, str] = {}  # `data:` addresses of its CSV and LaTeX files, by their names
    claims: int = 0  # number of claims about it
    compared: str = ""  # encoder, sentences, test pairs, seeds and budget, in words
    encoders: Mapping[str, str] = {}  # names of the encoders of its rows, by their roles
    cosines: CosinePicture | None = None  # of its test pairs
    load: str = ""  # folder, or name on the hub, of the encoder that it recommends

    @property
    def anchor(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def general(self) -> list[str]:
        """The columns of what encoders could do before; settings keep a map as pairs, in its order."""
        return list(dict(self.made["settings"].get("spec", {}).get("general") or {}))

    @property
    def title(self) -> str:
        """Its number in the paper, and the beginning of its caption."""
        numbered = re.search(r"(table|fig)(\d+)(?:_(\d+))?", self.name)
        names = {"table": "Table", "fig": "Figure"}
        number = f"{names[numbered[1]]} {'.'.join(filter(None, numbered.groups()[1:]))}" if numbered else ""
        start = re.split(r"[.:;]\s|[.:;]$", self.caption)[0] if self.caption else self.name.replace("_", " ")
        return ": ".join(filter(None, [number, start]))


class StudyResults(NamedTuple):
    """A study with its built results."""

    name: str
    title: str
    source: str
    command: str  # builds all of it
    deviations: Sequence[Deviation]
    results: Sequence[Result]
    missing: Mapping[str, str]  # names of results not built: another catalog that has them, or nothing
    prefix: str = ""  # of the names of its tables and figures

    def of(self, result: Result) -> list[Result]:
        """Return the other results that are made of a table, such as the pairs behind its rows."""
        name = result.name.removeprefix(self.prefix)
        specs = [each.made["settings"].get("spec", {}).get("of", []) for each in self.results]
        return [
            each
            for each, of in zip(self.results, specs, strict=True)
            if result.kind == "tables" and name in ([of] if isinstance(of, str) else of)
        ]


class CatalogFacts(NamedTuple):
    """The catalog that the results are of."""

    name: str
    description: str
    generated: bool  # it makes its own text: no number of a paper stands beside a number of it
