"""The claims of RISE (synthetic pairs reweighted by p(human)), `config/studies/rise/claims.csv`.

Differences are positive where they are as claimed.  Thresholds are those of `how_to_check` there; `MARGIN`
defines a wide margin.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from contrapose.report.claims.cell_arrays import Cells, MissingCell, Tables
from contrapose.report.claims.verdict import Deciding, Verdict, mean_deciding, mean_of, one_of, verdict

SOURCES = ("STSb", "QQP", "MRPC")
DINO, RISE, FILTERING, RANDOM = "DINO", "RISE", "Filtering", "Random"
ZIPF = "Zipf coefficient"
AVERAGED = ("BLEU-N", "Jaccard", "Distinct-N")  # with the Zipf coefficient the rows of table 1
SINGLE = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "Distinct-1", "Distinct-2", "Distinct-3")  # more in table 5
UNLABELLED = ("GloVe", "BERT-CLS", "BERT", "RoBERTa")  # baselines of table 6 without labelled training data
LABELLED = ("BERT*", "RoBERTa*", "USE*", "InferSent*")  # trained on labelled NLI pairs
CHANCE, MARGIN = 50, 10  # points of accuracy; the margin is ours
OVERLAP, GAIN = 20, 11  # points


def _above(table: Cells, better: str, worse: str, sources: Sequence[str] = SOURCES) -> dict[str, np.ndarray]:
    """Return how far one system is above another, for each source and each common column."""
    gains_by_cell: dict[str, np.ndarray] = {}
    for source in sources:
        gains = table.gains(f"{source}: {better}", f"{source}: {worse}")
        if not gains:
            raise MissingCell(
                f"{table.table} has no column with numbers of both {better} and {worse} of {source}"
            )
        gains_by_cell |= {f"{source} on {column}": gain for column, gain in gains.items()}
    return gains_by_cell


def _counted(parts: Mapping[str, np.ndarray]) -> str:
    return f"{sum(mean_of(part) > 0 for part in parts.values())} of {len(parts)} are as claimed"


def _every(parts: Mapping[str, np.ndarray]) -> Verdict:
    """Judge that all parts are positive, and count the positive ones."""
    return verdict(parts, note=_counted(parts))


def _nearer(table: Cells, measure: str, source: str) -> np.ndarray:
    """Return how much nearer the top tenth is to human sentences than the bottom tenth."""
    human, top, bottom = (table(measure, f"{source}_{group}") for group in ("human", "top10", "bottom10"))
    return np.abs(bottom - human) - np.abs(top - human)


def rise_01_important_texts_are_nearer_to_human_ones(tables: Tables) -> Verdict:
    """Every measure and source; the main difference is the mean of those in points, without Zipf's."""
    one, five = tables["table1"], tables["table5"]
    rows = [*((one, name) for name in AVERAGED), *((five, name) for name in SINGLE)]
    points = {f"{name}, {source}": _nearer(table, name, source) for table, name in rows for source in SOURCES}
    parts = points | {f"{ZIPF}, {source}": _nearer(one, ZIPF, source) for source in SOURCES}
    return verdict(parts, np.mean(list(points.values()), axis=0), note=_counted(parts))


def _top_above_bottom(table: Cells, measures: Sequence[str]) -> dict[str, np.ndarray]:
    return {
        f"{name}, {source}": table(name, f"{source}_top10") - table(name, f"{source}_bottom10")
        for name in measures
        for source in SOURCES
    }


def rise_02_important_texts_overlap_more(tables: Tables) -> Verdict:
    """By 20 points or more, in BLEU-N and Jaccard of every source."""
    parts = _top_above_bottom(tables["table5"], ("BLEU-N", "Jaccard"))
    return verdict(parts, holds=all(mean_of(part) >= OVERLAP for part in parts.values()))


def rise_03_important_texts_are_more_diverse(tables: Tables) -> Verdict:
    """Distinct-1 to Distinct-3 of every source."""
    return verdict(_top_above_bottom(tables["table5"], ("Distinct-1", "Distinct-2", "Distinct-3")))


def rise_04_machine_texts_are_told_from_human_ones(tables: Tables) -> Verdict:
    """Accuracy on held-out texts above chance, by `MARGIN` or more for every source."""
    parts = {source: tables["sdi"](source, "accuracy") - CHANCE for source in SOURCES}
    return verdict(parts, holds=all(mean_of(part) >= MARGIN for part in parts.values()))


def rise_05_rise_beats_dino(tables: Tables) -> Verdict:
    """Every source and column."""
    return _every(_above(tables["table2"], RISE, DINO))


def rise_06_filtering_is_worse(tables: Tables) -> Verdict:
    """Than RISE, every source and column."""
    return _every(_above(tables["table2"], RISE, FILTERING))


def rise_07_random_weights_are_worse(tables: Tables) -> Verdict:
    """Than RISE, every source and column."""
    return _every(_above(tables["table2"], RISE, RANDOM))


def rise_08_random_weights_usually_hurt(tables: Tables) -> Verdict:
    """Against DINO: the main difference is the share of lower cells minus that of higher ones."""
    parts = _above(tables["table2"], DINO, RANDOM)
    balance = np.mean([np.sign(part) for part in parts.values()], axis=0)
    return verdict(parts, balance, holds=mean_of(balance) > 0, note=_counted(parts))


def rise_09_gains_are_larger_out_of_domain(tables: Tables) -> Verdict:
    """Of each source: mean gain over DINO on other sets against that on its own, `STSb_r` of STSb."""
    parts = {}
    for source in SOURCES:
        gains = tables["table2"].gains(f"{source}: {RISE}", f"{source}: {DINO}")
        in_domain = [gain for name, gain in gains.items() if name.startswith(f"{source}_")]
        others = [gain for name, gain in gains.items() if not name.startswith(f"{source}_")]
        if not in_domain or not others:
            raise MissingCell(f"table2 has no column of {source}'s own set, or none of another set")
        parts[source] = np.mean(others, axis=0) - np.mean(in_domain, axis=0)
    return verdict(parts)


def rise_10_questions_gain_most(tables: Tables) -> Verdict:
    """QQP's mean gain over all columns is the largest; on STSb r and rho it gains more than 11 points."""
    table = tables["table2"]
    gains = {source: list(_above(table, RISE, DINO, (source,)).values()) for source in SOURCES}
    mean = {source: np.mean(of_source, axis=0) for source, of_source in gains.items()}
    rows = f"QQP: {RISE}", f"QQP: {DINO}"
    parts = {column: table.above(*rows, column) for column in ("STSb_r", "STSb_rho")}
    enough = all(mean_of(part) > GAIN for part in parts.values())
    lead = {f"mean gain above that of {name}": mean["QQP"] - mean[name] for name in ("STSb", "MRPC")}
    most = all(mean_of(part) > 0 for part in lead.values())
    return verdict(parts | lead, np.mean(list(parts.values()), axis=0), holds=enough and most)


def _best(table: Cells, column: str, rows: Sequence[str]) -> np.ndarray:
    cells = {row: value for row, value in table.column(column).items() if row in rows}
    if not cells:
        raise MissingCell(f"{table.table} has none of the rows {', '.join(rows)} in column {column}")
    return max(cells.values(), key=mean_of)


def _best_rise_above(table: Cells, rivals: Sequence[str]) -> dict[str, np.ndarray]:
    rows = tuple(f"{source}: {RISE}" for source in SOURCES)
    columns = table.columns(*rows)
    if not columns:
        raise MissingCell(f"{table.table} has no column with numbers of all of {', '.join(rows)}")
    return {column: _best(table, column, rows) - _best(table, column, rivals) for column in columns}


def _lacking(table: Cells, rows: Sequence[str]) -> str:
    absent = [row for row in rows if not table.columns(row)]
    return f"Without {', '.join(absent)}" if absent else ""


def rise_11_rise_beats_unlabelled_baselines(tables: Tables) -> Verdict:
    """The best RISE of each column against all of them; RISE of each source in most cells."""
    table = tables["table6"]
    parts = _best_rise_above(table, UNLABELLED)
    each = [
        mean_of(table(f"{source}: {RISE}", column) - _best(table, column, UNLABELLED)) > 0
        for source in SOURCES
        for column in parts
    ]
    holds = all(mean_of(part) > 0 for part in parts.values()) and sum(each) > len(each) / 2
    chosen = mean_deciding(*(Deciding(part, len(SOURCES), len(UNLABELLED)) for part in parts.values()))
    note = f"RISE of a source is higher in {sum(each)} of {len(each)} cells"
    return verdict(parts, chosen, holds, note=". ".join(filter(None, [note, _lacking(table, UNLABELLED)])))


def rise_12_rise_beats_labelled_baselines_somewhere(tables: Tables) -> Verdict:
    """The main difference is that in the column where the best RISE is furthest above all of them."""
    table = tables["table6"]
    parts = _best_rise_above(table, LABELLED)
    most = one_of(*parts.values())
    chosen = Deciding(most.difference, most.largest_of * len(SOURCES), len(LABELLED))
    return verdict(parts, chosen, holds=mean_of(most.difference) > 0, note=_lacking(table, LABELLED))
