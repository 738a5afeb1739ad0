"""The verdict of a table as a card: what to use, what is gained and lost, what it costs, how sure that is."""

from typing import NamedTuple

import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.report.about import About, label_of
from contrapose.report.cells import COMPUTE, UNKNOWN
from contrapose.report.chart import by_encoder, decimals_of, short_label
from contrapose.report.comparison_text import difference_text, p_text
from contrapose.report.inference import LEVEL
from contrapose.report.recommendation import MEASURE, ORIGINS, RUN, VERDICT, grounds, many_are, significant
from contrapose.report.results import Result
from contrapose.report.row_costs import printed_costs

NO_TEST = "Not tested. Train each method with several seeds: --config seeds=5."
LOW = (
    "Low: its own gain is not significant. Each method with a significant gain is significantly worse than "
    "another method."
)
NO_GENERAL = (
    "Not measured, but training can make an encoder worse at word order. To check, add a retention test set: "
    "contrapose init --retention-test, or by hand (docs/how-to/further-questions.md)."
)
NO_COSTS = "Not measured: the table shows no costs (costs: true)."
TRAINING = "for one training and its pairs"
# Columns of costs in words: the unit, and what the amount is for.
UNITS = {
    "cpu_seconds": ("CPU seconds", TRAINING),
    "gpu_seconds": ("GPU seconds", TRAINING),
    "requests": ("requests", "to language models"),
    "tokens": ("tokens", "of language models"),
    "usd": ("USD", "for language models"),
}


class Card(NamedTuple):
    """What a reader who reads nothing else should know."""

    title: str
    choice: str  # which method to take, and why; empty if the title says it
    facts: dict[str, str]  # by name, in their order
    load: str  # a line of Python; empty if there is no encoder to load
    text: str  # the verdict in whole sentences
    of: str = ""  # what the encoder to load is; empty for a name on the hub


def card(result: Result, column: str) -> Card | None:
    """Return the verdict of a table of scores, by the column that decides; None for a table without one."""
    facts, settings = read_status(result.made).facts, result.made["settings"]
    if VERDICT not in facts:
        return None
    tidy, about = result.tidy, About.model_validate(settings["about"])
    means = tidy[tidy.seed.isna() & tidy.value.notna()]
    of_run = tidy["row"][(tidy.run == facts.get(RUN)) & (tidy.run != "")]
    tests = facts.get(ORIGINS, "").removeprefix("Test pairs: ") or _tests(means, column, result.general)
    if of_run.empty:
        return Card("No method is recommended", "", {"Test pairs": tests}, "", facts[VERDICT])
    number = int(of_run.iloc[0])
    # A label need not say which encoder it is of, as the card does.
    encoders = by_encoder(result, means)
    encoder, means = next(each for each in encoders if number in set(each[1]["row"]))
    means = means.assign(baseline=[short_label(means, each) for each in means.baseline])
    cells = means[means["row"] == number]
    compared = cells[(cells.column == column) & (cells.baseline != "")].to_dict("records")
    scores = means[(means.column == column) & (means.variant == "")]
    label = short_label(means, label_of(cells.iloc[0])) if len(encoders) > 1 else label_of(cells.iloc[0])
    trained = about.rows[number].trained or bool(about.rows[number].averaged)
    choice, others = grounds(tidy, column, number, about.rows, result.general)
    as_good = _labels(means, scores[scores["row"].isin(others)])
    found = {
        "Gain": "; ".join(map(_change, compared)) or "None: it is the baseline.",
        "Forgetting": _lost(cells, result.general),
        "Unit": f"Points of {facts[MEASURE]}. Brackets are 95 % intervals." if MEASURE in facts else "",
        "Encoder": encoder,
        "Note": about.rows[number].note,
        "Cost": _cost(tidy, about, number) if settings["spec"].get("costs") else NO_COSTS,
        "Confidence": _confidence(scores, number),
        "May be as good": "; ".join(as_good) if trained else "",
        "Harmful": _harmful(means, scores, about),
        "Test pairs": tests,
    }
    load = f'SentenceTransformer("{result.load}")' if result.load else ""
    title = _title(label, cells, scores, about, result.general) if trained else f"Keep {label}"
    shown = {name: text for name, text in found.items() if text}
    of = _loaded(tidy, number, facts[RUN]) if trained else ""
    return Card(title, choice, shown, load, facts[VERDICT], of)


def _loaded(tidy: pd.DataFrame, number: int, run: str) -> str:
    """Say which training a line loads, and where its path begins."""
    trainings = tidy[(tidy["row"] == number) & tidy.seed.notna()].drop_duplicates("seed")
    loaded = trainings.seed[trainings.run == run]
    path = "The path begins in the folder of the project."
    if loaded.empty or len(trainings) == 1:
        return path
    return f"This is one of {len(trainings)} trainings (seed {int(loaded.iloc[0])}). {path}"


def _may_be_best(scores: pd.DataFrame) -> pd.DataFrame:
    return scores[scores.in_best_set.eq(True).fillna(False).astype(bool)]


def _labels(means: pd.DataFrame, cells: pd.DataFrame) -> list[str]:
    return [short_label(means, label_of(cell)) for _, cell in cells.iterrows()]


def _harmful(means: pd.DataFrame, scores: pd.DataFrame, about: About) -> str:
    """Name the methods that are significantly worse than the encoder without training."""
    untrained = _labels(means, scores[[not about.rows[row].trained for row in scores["row"]]])
    worse = significant(scores[scores.baseline.isin(untrained)], -1)
    names = "; ".join(_labels(means, worse))
    return f"{names} (significantly worse than no training)" if names else ""


def _title(label: str, cells: pd.DataFrame, scores: pd.DataFrame, about: About, general: list[str]) -> str:
    """Say which method to use, whether training helps, and whether it harms.

    It helps if a method gains significantly on the encoder without training, and it harms if the method of
    `cells` loses significantly on a retention test set.
    """
    untrained = [not about.rows[row].trained for row in scores["row"][scores.baseline == ""]]
    if not any(untrained) or significant(scores, 1).empty:
        return f"Use {label}"
    losses = dict.fromkeys(significant(_on_general(cells, general), -1).column)
    if losses:
        column = scores.column.iloc[0]
        return f"If you train, use {label}: it helps on {column}, but harms {', '.join(losses)}"
    return f"Training helps: use {label}"


def _on_general(cells: pd.DataFrame, general: list[str]) -> pd.DataFrame:
    return cells[cells.column.isin(general) & (cells.variant == "") & (cells.baseline != "")]


def _change(cell: dict) -> str:
    p = "not tested" if pd.isna(cell["p"]) else p_text(cell["p"]) if cell["p"] <= LEVEL else "not significant"
    decimals = decimals_of(pd.DataFrame([cell]))
    return f"{difference_text(cell, decimals)} vs. {cell['baseline']} ({p})"


def _lost(cells: pd.DataFrame, general: list[str]) -> str:
    if not general:
        return NO_GENERAL
    parts = [f"{cell['column']}: {_change(cell)}" for cell in _on_general(cells, general).to_dict("records")]
    return "; ".join(parts) or "Nothing: it is the baseline."


def _cost(tidy: pd.DataFrame, about: About, number: int) -> str:
    shown = printed_costs(tidy, about.rows).loc[number]
    known = {name: amount for name, amount in shown.items() if amount not in (UNKNOWN, "0")}
    parts = [_cost_in_words(str(name), amount) for name, amount in known.items()]
    unknown = [UNITS.get(str(name), (str(name), ""))[0] for name in shown.index[shown == UNKNOWN]]
    return "; ".join([*parts, *([f"not known: {', '.join(unknown)}"] if unknown else [])]) or "nothing"


def _cost_in_words(name: str, amount: str) -> str:
    if name in UNITS:
        unit, what = UNITS[name]
        return f"{amount} {unit} {what}"
    of = name.removeprefix(f"{COMPUTE} (").removesuffix(" = 1)")
    return f"{amount} times the compute of {of}"


def _confidence(scores: pd.DataFrame, number: int) -> str:
    """Say whether the gain is more than chance, and how many methods may be the best."""
    if scores.p.isna().all():
        return NO_TEST
    gaining, tested = significant(scores, 1), int(scores.p.notna().sum())
    best, some = _may_be_best(scores), ""
    if number in set(gaining["row"]):
        baseline = gaining.set_index("row").baseline[number]
        gain = f"High that it helps. {many_are(len(gaining), tested)} significantly better than {baseline}."
        both = sum(best["row"].isin(gaining["row"]))
        some = f" ({both} of them with a significant gain)" * (both < len(best))
    elif scores.set_index("row").baseline[number]:
        gain = LOW
    else:
        gain = "" if len(gaining) else "No method gains significantly."
    if set(best["row"]) <= {number}:
        return f"{gain} No other method may be the best.".strip()
    none = "none of these is significantly better than another"
    return f"{gain} Which method is best is not certain: {len(best)} may be{some}, and {none}.".strip()


def _tests(means: pd.DataFrame, column: str, general: list[str]) -> str:
    sets = means[~means.column.isin([column, *general]) & (means.variant == "") & (means.n > 0)]
    sizes = sets.groupby("column", sort=False).n.max()
    if sizes.empty:
        sizes = means[means.column == column].groupby("column").n.max()
    return "; ".join(f"{size:,} pairs of {name}" for name, size in sizes.items())
