"""The claims of PrdSimCSE (prefixes as positives and negatives, 2024), `config/studies/prdsimcse/claims.csv`.

Differences are positive where they are as claimed.  Thresholds are those of `how_to_check` there; what is
"about" some number lies within a quarter of it.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from contrapose.report.claims.cell_arrays import Cells, MissingCell, Tables
from contrapose.report.claims.verdict import (
    Deciding,
    Verdict,
    at_least,
    mean_deciding,
    mean_of,
    trend,
    verdict,
    within,
)
from contrapose.report.scores import AVERAGE, DEV

BERT, ROBERTA = "BERT-base", "RoBERTa-base"
SIMCSE, OURS = "SimCSE", "PrdSimCSE"
EARLIER = (  # unsupervised systems before SimCSE, rows of table 4
    "GloVe embedding (avg.)",
    "BERT-base (first-last avg.)",
    "BERT-base-flow",
    "BERT-base-whitening",
    "IS-BERT-base",
    "CT-BERT-base",
)
STS = ("STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")  # of table 4, but for STS12
TRANSFER = ("MR", "CR", "SUBJ", "MPQA", "SST-2", "TREC", "MRPC")
SHORTER, LONGER, ALL = "<=8", ">8", "Original"  # columns of table 11
SHARES = (SIMCSE, "+20%", "+40%", "+60%", "+80%", OURS)  # of positive prefixes, table 13
REPLACED = ("100%", "80%", "60%", "40%", "20%", OURS)  # of negative prefixes, table 14


def _gain(table: Cells, encoder: str, column: str) -> np.ndarray:
    return table.above(f"{OURS}-{encoder}", f"{SIMCSE}-{encoder}", column)


def _largest_gain(table: Cells, encoder: str, name: str, low: float, high: float) -> Verdict:
    """Judge that the gain on one test set lies between two numbers, and is the largest of all sets."""
    gain, gains = _gain(table, encoder, name), table.gains(f"{OURS}-{encoder}", f"{SIMCSE}-{encoder}")
    largest = mean_of(gain) == max(mean_of(each) for each in gains.values())
    return verdict(gains, gain, holds=largest and low < mean_of(gain) < high)


def _above(table: Cells, row: str, other: str) -> np.ndarray:
    return table.above(row, other, DEV)


def _rise(table: Cells, rows: Sequence[str]) -> Verdict:
    """Judge that each row is above the previous one; the main difference is their rank correlation."""
    return verdict(table.steps(rows, DEV), trend([table(row, DEV) for row in rows]))


def prdsimcse_01_bert_beats_simcse(tables: Tables) -> Verdict:
    """Averages of the seven STS sets."""
    return verdict({BERT: _gain(tables["table4"], BERT, AVERAGE)})


def prdsimcse_02_bert_beats_simcse_on_six_of_seven_sets(tables: Tables) -> Verdict:
    """STS12 differs by less than 0.5; the main difference is the mean gain on the others."""
    gains = {name: _gain(tables["table4"], BERT, name) for name in STS}
    alike = {"STS12, of 0.5": within(_gain(tables["table4"], BERT, "STS12"), 0.5)}
    return verdict(gains, alike=alike)


def prdsimcse_03_largest_gain_of_bert_is_on_stsb(tables: Tables) -> Verdict:
    """About 2 points."""
    return _largest_gain(tables["table4"], BERT, "STS-B", low=1.5, high=2.5)


def prdsimcse_04_roberta_beats_simcse(tables: Tables) -> Verdict:
    """Averages of the seven STS sets."""
    return verdict({ROBERTA: _gain(tables["table4"], ROBERTA, AVERAGE)})


def prdsimcse_05_largest_gain_of_roberta_is_on_sickr(tables: Tables) -> Verdict:
    """More than 4 points."""
    return _largest_gain(tables["table4"], ROBERTA, "SICK-R", low=4, high=np.inf)


def prdsimcse_06_bert_beats_earlier_systems(tables: Tables) -> Verdict:
    """Averages, against the earlier systems that have one; a note names those that have none."""
    averages = tables["table4"].column(AVERAGE)
    ours = tables["table4"](f"{OURS}-{BERT}", AVERAGE)
    parts = {f"above {name}": ours - averages[name] for name in EARLIER if name in averages}
    if not parts:
        raise MissingCell(f"table4 has none of the rows {', '.join(EARLIER)}")
    lacking = [name for name in EARLIER if name not in averages]
    return verdict(parts, note=f"Without {', '.join(lacking)}" if lacking else "")


def prdsimcse_07_transfer_is_better_on_five_of_seven_sets(tables: Tables) -> Verdict:
    """At least five: the main difference is the fifth largest gain."""
    gains = {name: _gain(tables["table5"], BERT, name) for name in TRANSFER}
    fifth = at_least(5, *gains.values())
    return verdict(gains, fifth, holds=mean_of(fifth.difference) > 0)


def prdsimcse_08_trec_drops(tables: Tables) -> Verdict:
    """By more than 5 points; a note gives the change of the average."""
    drop = -_gain(tables["table5"], BERT, "TREC")
    average = mean_of(_gain(tables["table5"], BERT, AVERAGE))
    return verdict({"TREC": drop}, holds=mean_of(drop) > 5, note=f"Average of all sets {average:+.2f}")


def prdsimcse_09_translated_sets_gain(tables: Tables) -> Verdict:
    """BQ and LCQMC, both encoders."""
    cells = product((BERT, ROBERTA), ("BQ", "LCQMC"))
    return verdict({f"{name}, {e}": _gain(tables["table6"], e, name) for e, name in cells})


def prdsimcse_10_each_prefix_helps(tables: Tables) -> Verdict:
    """Positive and negative prefixes, each alone against none."""
    return verdict({row: _above(tables["table7"], row, SIMCSE) for row in ("+PosPrd", "+NegPrd")})


def prdsimcse_11_both_prefixes_help_most(tables: Tables) -> Verdict:
    """Both together against each alone."""
    return verdict({f"above {row}": _above(tables["table7"], OURS, row) for row in ("+PosPrd", "+NegPrd")})


def prdsimcse_12_growing_prefixes_help(tables: Tables) -> Verdict:
    """Level-um is the best of all; level-um and level-[CLS] are above SimCSE."""
    table = tables["table9"]
    parts = {f"{row} above {SIMCSE}": _above(table, row, SIMCSE) for row in ("level-um", "level-[CLS]")}
    margin = table.margin("level-um", DEV)
    every = [*map(Deciding, parts.values()), margin.deciding]
    return verdict(parts | margin.part, mean_deciding(*every))


def prdsimcse_13_single_prefixes_hurt(tables: Tables) -> Verdict:
    """One token or word before every sentence, against none."""
    single = ("one-[CLS]", "one-[MASK]", "one-um")
    return verdict({row: _above(tables["table9"], SIMCSE, row) for row in single})


def prdsimcse_14_only_the_longest_negative_prefix_helps(tables: Tables) -> Verdict:
    """Prefix3 is above SimCSE, the three others below it, and a shorter one is below a longer one."""
    table = tables["table10"]
    single, *rest = shorter = ("one-reversal", "prefix1", "prefix2")  # by length: 1, 10 and 13 words
    parts = {"prefix3 higher": _above(table, "prefix3", SIMCSE)}
    parts |= {f"{row} lower": _above(table, SIMCSE, row) for row in shorter}
    parts |= {f"{single} below {row}": _above(table, row, single) for row in rest}
    parts["prefix1 below prefix2"] = _above(table, "prefix2", "prefix1")
    return verdict(parts)


def prdsimcse_15_longer_pairs_are_harder(tables: Tables) -> Verdict:
    """SICK-R by the length of the shorter sentence, both models."""
    table = tables["table11"]
    return verdict({model: table(model, SHORTER) - table(model, LONGER) for model in (SIMCSE, OURS)})


def prdsimcse_16_prefixes_swing_more_with_length(tables: Tables) -> Verdict:
    """Distance of each group of lengths from all pairs together, for PrdSimCSE and for SimCSE."""
    table = tables["table11"]

    def swing(model: str, group: str) -> np.ndarray:
        return np.abs(table(model, group) - table(model, ALL))

    return verdict({group: swing(OURS, group) - swing(SIMCSE, group) for group in (SHORTER, LONGER)})


def prdsimcse_17_short_questions_are_harder(tables: Tables) -> Verdict:
    """TREC without the shortest questions: two rises, together about 6 points."""
    columns = (ALL, "Remove length < 6", "Remove length < 8")
    every, without_6, without_8 = (tables["table12"](OURS, column) for column in columns)
    parts = {"without < 6": without_6 - every, "without < 8 as well": without_8 - without_6}
    total = without_8 - every
    rises = all(mean_of(part) > 0 for part in parts.values())
    return verdict(parts, total, holds=rises and 4.5 < mean_of(total) < 7.5)


def prdsimcse_18_score_rises_with_positive_prefixes(tables: Tables) -> Verdict:
    """From no sentence to all of them, each share above the previous one."""
    return _rise(tables["table13"], SHARES)


def prdsimcse_19_score_rises_with_negative_prefixes(tables: Tables) -> Verdict:
    """From all replaced to none, each share above the previous one."""
    return _rise(tables["table14"], REPLACED)
