"""Draw what methods gain on similarity and lose on word order, from the tables of the examples.

`python examples/gain_and_word_order.py` writes docs/figures/gain-and-word-order.svg, the picture of the
findings.
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

HERE = Path(__file__).parent
PICTURE = HERE.parent / "docs/figures/gain-and-word-order.svg"
UNTRAINED = "No training"
SIMILARITY, WORD_ORDER = "change on similarity", "change on PAWS-X (word order)"
# Older tables have other names: what is drawn, by the names that are read.
NAMES = {
    "Dropout": "Dropout",
    "Word order": "Word shuffling",
    "Word shuffling": "Word shuffling",
    "Prefix": "Prefix",
    "Feature cutoff + token shuffling (ConSERT)": "ConSERT",
    "Columns cut off and pieces shuffled (ConSERT)": "ConSERT",
    "LLM paraphrases and LLM negatives": "Claude's paraphrases\n+ hard negatives",
    "Paraphrases and negatives by a large LLM": "Claude's paraphrases\n+ hard negatives",
    "NLI triplets from a file": "NLI triplets",
    "Queries (GPL)": "Small model's queries",
}
# Hues of Okabe and Ito (2008), which people with colour vision deficiency can tell apart.
BLUE, VERMILION, GREEN, BLACK = ("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"), ("#000000", "D")


class Series(NamedTuple):
    """One experiment: its name, and the file and column of each quantity."""

    name: str
    style: tuple[str, str]  # colour and marker
    similarity: tuple[str, str]
    word_order: tuple[str, str]
    labelled: dict[str, tuple[int, int]]  # where names are drawn, points from the dot; more would overlap


RUN_B, WIKI, LAPTOP = (
    "evidence/reference/cpu/evidence_",
    "wiki/reference/with_word_order",
    "laptop/reference/",
)
PAWS_X = "PAWS-X English dev"
PANELS = {
    "Encoder trained for similarity (released)": [
        Series(
            "914 sentences, 60 steps (five sets)",
            BLUE,
            (f"{RUN_B}released_914", "Avg."),
            (f"{RUN_B}released_914_word_order", PAWS_X),
            {"Prefix": (-5, -3), "Claude's paraphrases\n+ hard negatives": (6, -6), "ConSERT": (5, -3)},
        ),
        Series(
            "914 sentences, 16 steps (STS-B)",
            VERMILION,
            (WIKI, "Test pairs"),
            (WIKI, "PAWS-X"),
            {"Dropout": (6, -1)},
        ),
        Series(
            "100 sentences, 16 steps (STS-B)",
            GREEN,
            (f"{LAPTOP}released_methods", "STS-B"),
            (f"{LAPTOP}released_word_order", PAWS_X),
            {"Dropout": (6, -1), "Small model's queries": (6, -2)},
        ),
        Series(
            "larger encoder: 100 sentences, 16 steps (STS-B)",
            BLACK,
            (f"{LAPTOP}base_methods", "STS-B"),
            (f"{LAPTOP}base_word_order", PAWS_X),
            {"NLI triplets": (-6, -3)},
        ),
    ],
    "Encoder whose similarity was erased": [
        Series(
            "erased-2000: 914 sentences, 60 steps (five sets)",
            BLUE,
            (f"{RUN_B}unlearned_914", "Avg."),
            (f"{RUN_B}unlearned_914_word_order", PAWS_X),
            {
                "Dropout": (3, 6),
                "Word shuffling": (3, 7),
                "Claude's paraphrases\n+ hard negatives": (6, -6),
                "ConSERT": (-4, 4),
            },
        ),
        Series(
            "erased-500: 100 sentences, 16 steps (STS-B)",
            GREEN,
            (f"{LAPTOP}erased_methods", "STS-B"),
            (f"{LAPTOP}erased_word_order", PAWS_X),
            {"NLI triplets": (6, -3)},
        ),
        Series(
            "larger encoder: 100 sentences, 16 steps (STS-B)",
            BLACK,
            (f"{LAPTOP}base_erased", "STS-B"),
            (f"{LAPTOP}base_erased_word_order", PAWS_X),
            {"Dropout": (-5, -3), "Small model's queries": (-6, -3)},
        ),
    ],
}


def changes(series: Series) -> pd.DataFrame:
    """Return the differences of the methods of both tables to the encoder without training, in points."""
    columns = (_scores(*series.similarity), _scores(*series.word_order))
    both = pd.concat(dict(zip((SIMILARITY, WORD_ORDER), columns, strict=True)), axis=1, join="inner")
    return (both - both.loc[UNTRAINED]).drop(index=UNTRAINED)


def _scores(file: str, column: str) -> pd.Series:
    printed = pd.read_csv(HERE / f"{file}.csv", index_col="model")[column].dropna().astype(str)
    return printed.str.partition(" ")[0].astype(float)


def draw(to: Path) -> None:
    """Write the picture."""
    style = {"svg.fonttype": "none", "svg.hashsalt": "contrapose", "font.size": 9}
    with mpl.rc_context(style):
        figure, panels = plt.subplots(1, 2, figsize=(10, 5.4), layout="constrained")
        for axes, (title, of_panel) in zip(panels, PANELS.items(), strict=True):
            _panel(axes, title, of_panel)
        figure.savefig(to, metadata={"Date": None})
        plt.close(figure)


def _panel(axes: Axes, title: str, of_panel: list[Series]) -> None:
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.axvline(0, color="0.6", linewidth=0.8)
    for series in of_panel:
        points, (colour, mark) = changes(series), series.style
        axes.scatter(
            points[SIMILARITY], points[WORD_ORDER], s=26, color=colour, marker=mark, label=series.name
        )
        for name, (x, y) in points.iterrows():
            if (label := NAMES.get(str(name), "")) in series.labelled:
                place = series.labelled[label]
                side = "left" if place[0] > 0 else "right"
                axes.annotate(
                    label, (x, y), place, textcoords="offset points", ha=side, color=colour, fontsize=8
                )
    axes.set(title=title, xlabel=f"{SIMILARITY}, points", ylabel=f"{WORD_ORDER}, points")
    axes.margins(x=0.6, y=0.08)  # room for names
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False)


if __name__ == "__main__":
    draw(PICTURE)
