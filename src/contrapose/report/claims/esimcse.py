"""The claims of ESimCSE (repeated sub-words, momentum queue, 2022), `config/studies/esimcse/claims.csv`."""

from contrapose.report.claims.cell_arrays import Tables
from contrapose.report.claims.verdict import Verdict, verdict
from contrapose.report.scores import AVERAGE


def _gain(tables: Tables, encoder: str) -> Verdict:
    return verdict({encoder: tables["sts"].above(f"ESimCSE-{encoder}", f"SimCSE-{encoder}", AVERAGE)})


def esimcse_01_beats_simcse_with_bert(tables: Tables) -> Verdict:
    """Averages of the seven STS sets."""
    return _gain(tables, "BERT-base")


def esimcse_02_beats_simcse_with_roberta(tables: Tables) -> Verdict:
    """Averages of the seven STS sets."""
    return _gain(tables, "RoBERTa-base")


def esimcse_03_repetition_shrinks_the_length_bias(tables: Tables) -> Verdict:
    """How much equal length raises the cosine beyond the effect of added text, with SimCSE and repetition."""
    table = tables["length_bias"]
    pairs = ("positive", "negative")
    return verdict({each: table.above(f"SimCSE, {each}", f"repetition, {each}", "bias") for each in pairs})
