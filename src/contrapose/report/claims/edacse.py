"""The claims of EdaCSE (punctuation marks inserted, Chinese, 2023), `config/studies/edacse/claims.csv`.

Differences are positive where they are as claimed.  Thresholds are those of `how_to_check` there.  Each
printed number is the best of ten trials on the test sets; on our tables the claims are judged by the mean
over trials.  So verdicts on our tables and on the printed numbers are about different statistics.
"""

from itertools import product

import numpy as np

from contrapose.report.claims.cell_arrays import Tables
from contrapose.report.claims.verdict import Verdict, mean_deciding, mean_of, verdict, within
from contrapose.report.scores import AVERAGE

MEAN = "Mean"  # the average in tables 8 to 15
BERT, ROBERTA, LARGE = ENCODERS = ("bert-base", "roberta-base", "roberta-large")
SAMPLES = {BERT: "table5", ROBERTA: "table6", LARGE: "table7"}  # numbers of training sentences
OPERATIONS = {BERT: "table12", ROBERTA: "table13", LARGE: "table14"}  # kinds of marks
CHOSEN, EVERYTHING = "10000", "438650"  # training sentences
ENGLISH, CHINESE = "EdaCSE (6 English marks)", "Chinese marks"
# Columns of table length_bias: what equal length adds to a cosine, beyond the effect of the added text.
ADDED = ("filler, bias", "marks, bias")


def _simcse(tables: Tables, encoder: str) -> np.ndarray:
    return tables["table8"](f"{encoder}: SimCSE", MEAN)


def _above_operation(tables: Tables, other: str) -> Verdict:
    """Judge that the six English marks are better than another set of marks, for every encoder."""
    return verdict({e: tables[name].above(ENGLISH, other, MEAN) for e, name in OPERATIONS.items()})


def _lambda_gains(tables: Tables, encoder: str) -> dict[str, np.ndarray]:
    means = tables["table15"].column(MEAN, among=f"{encoder}: ")
    return {row: value - _simcse(tables, encoder) for row, value in means.items()}


def edacse_01_equal_length_raises_the_cosine(tables: Tables) -> Verdict:
    """Every pair or kind of pairs of the table, with the shorter sentence lengthened and unchanged."""
    table = tables["table1"]
    before = table.column("original")
    return verdict({row: table(row, "lengthened") - value for row, value in before.items()})


def edacse_02_ten_thousand_sentences_are_best(tables: Tables) -> Verdict:
    """For every encoder, against the best other size."""
    margins = {encoder: tables[name].margin(CHOSEN, AVERAGE) for encoder, name in SAMPLES.items()}
    parts = {f"{encoder}: {margin.name}": margin.deciding.difference for encoder, margin in margins.items()}
    return verdict(parts, mean_deciding(*(margin.deciding for margin in margins.values())))


def edacse_03_all_sentences_are_worse_than_ten_thousand(tables: Tables) -> Verdict:
    """For every encoder."""
    return verdict({e: tables[name].above(CHOSEN, EVERYTHING, AVERAGE) for e, name in SAMPLES.items()})


def edacse_04_bert_falls_with_fewer_sentences(tables: Tables) -> Verdict:
    """10,000 sentences against 8,000, 5,000 and 3,000."""
    above, fewer = tables[SAMPLES[BERT]].above, ("8000", "5000", "3000")
    return verdict({f"above {size}": above(CHOSEN, size, AVERAGE) for size in fewer})


def edacse_05_large_fails_with_few_sentences(tables: Tables) -> Verdict:
    """5,000 and 3,000 sentences are below all sentences."""
    above, few = tables[SAMPLES[LARGE]].above, ("5000", "3000")
    return verdict({f"{size} lower": above(EVERYTHING, size, AVERAGE) for size in few})


def edacse_06_edacse_beats_simcse(tables: Tables) -> Verdict:
    """Mean of the five sets, every encoder."""
    means = {encoder: tables["table8"](f"{encoder}: EdaCSE", MEAN) for encoder in ENCODERS}
    return verdict({encoder: value - _simcse(tables, encoder) for encoder, value in means.items()})


def edacse_07_three_marks_are_best_for_bert(tables: Tables) -> Verdict:
    """1 to 3 marks, against the best other number."""
    margin = tables["table9"].margin("1-3", MEAN)
    return verdict(margin.part, margin.deciding)


def edacse_08_any_number_of_marks_helps_bert(tables: Tables) -> Verdict:
    """Every row of table 9, against SimCSE."""
    means = tables["table9"].column(MEAN)
    return verdict({row: value - _simcse(tables, BERT) for row, value in means.items()})


def edacse_09_two_marks_are_best_for_roberta(tables: Tables) -> Verdict:
    """1 to 2 marks are best, which is the main difference; one mark changes the mean by less than 0.2."""
    table = tables["table10"]
    margin = table.margin("1-2", MEAN)
    one = within(table("1-1", MEAN) - table("0", MEAN), 0.2)
    return verdict(margin.part, margin.deciding, alike={"1-1, of 0.2": one})


def edacse_10_many_marks_do_not_help_roberta(tables: Tables) -> Verdict:
    """1 to 4 marks are below none, which is the main difference; up to 6 and 7 are within 0.2 of none."""
    table = tables["table10"]
    none = table("0", MEAN)
    four = none - table("1-4", MEAN)
    alike = {f"{row}, of 0.2": within(table(row, MEAN) - none, 0.2) for row in ("1-6", "1-7")}
    return verdict({"1-4 lower": four}, alike=alike)


def edacse_11_large_gains_up_to_five_marks(tables: Tables) -> Verdict:
    """Each number up to 5 is above the previous one, 5 is best, none is below the baseline.

    The main difference is between 5 marks and one.
    """
    table = tables["table11"]
    rises = table.steps([f"1-{most}" for most in range(1, 6)], MEAN) | table.margin("1-5", MEAN).part
    marked = table.column(MEAN, among="1-")
    above = {f"{row} above 0": value - table("0", MEAN) for row, value in marked.items()}
    holds = all(mean_of(part) > 0 for part in rises.values())
    holds = holds and all(mean_of(part) >= 0 for part in above.values())
    return verdict(rises | above, table("1-5", MEAN) - table("1-1", MEAN), holds)


def edacse_12_english_marks_beat_chinese_marks(tables: Tables) -> Verdict:
    """Every encoder."""
    return _above_operation(tables, CHINESE)


def edacse_13_chinese_marks_help_bert_alone(tables: Tables) -> Verdict:
    """Chinese marks against SimCSE: above it for bert-base, not above it for the two others."""
    gains = {e: tables[name](CHINESE, MEAN) - _simcse(tables, e) for e, name in OPERATIONS.items()}
    holds = mean_of(gains[BERT]) > 0 and all(mean_of(gains[e]) <= 0 for e in (ROBERTA, LARGE))
    others = {f"{encoder}, not above": -gains[encoder] for encoder in (ROBERTA, LARGE)}
    return verdict({BERT: gains[BERT], **others}, holds=holds)


def edacse_14_emphatic_marks_do_no_harm(tables: Tables) -> Verdict:
    """Every encoder is worse without the English `!` and `?`."""
    return _above_operation(tables, "English marks without ! ?")


def edacse_15_more_symbols_bring_nothing(tables: Tables) -> Verdict:
    """Every encoder is worse with further English symbols."""
    return _above_operation(tables, "English marks plus extra")


def edacse_16_best_lambda_of_each_encoder(tables: Tables) -> Verdict:
    """0.6 for bert-base and roberta-large, 0.3 for roberta-base, against the best other value."""
    best = {BERT: "0.6", ROBERTA: "0.3", LARGE: "0.6"}
    table = tables["table15"]
    margins = [table.margin(f"{e}: lambda_{value}", MEAN, f"{e}: ") for e, value in best.items()]
    parts = {margin.name: margin.deciding.difference for margin in margins}
    return verdict(parts, mean_deciding(*(margin.deciding for margin in margins)))


def edacse_17_any_lambda_helps_roberta(tables: Tables) -> Verdict:
    """Every value in the table for the two encoders, against SimCSE."""
    return verdict(_lambda_gains(tables, ROBERTA) | _lambda_gains(tables, LARGE))


def edacse_18_small_lambda_does_not_help_bert(tables: Tables) -> Verdict:
    """0.1 to 0.3 are not above SimCSE."""
    small = [f"{BERT}: lambda_{value}" for value in ("0.1", "0.2", "0.3")]
    parts = {row: _simcse(tables, BERT) - tables["table15"](row, MEAN) for row in small}
    return verdict(parts, holds=all(mean_of(part) >= 0 for part in parts.values()))


def edacse_19_edacse_shrinks_the_bias(tables: Tables) -> Verdict:
    """How much equal length raises the cosine, with SimCSE and with EdaCSE, for every encoder.

    Added text itself moves a cosine, mostly down, and less so for an encoder that has learned to ignore it:
    its effect where it moves lengths further apart is subtracted.
    """
    table = tables["length_bias"]

    def shrinks(encoder: str, pairs: str, added: str) -> np.ndarray:
        return table.above(f"{encoder}: SimCSE, {pairs}", f"{encoder}: EdaCSE, {pairs}", added)

    every = product(ENCODERS, ("positive", "negative"), ADDED)
    return verdict({", ".join(each): shrinks(*each) for each in every})
