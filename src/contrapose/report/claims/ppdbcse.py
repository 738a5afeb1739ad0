"""The claims of PPDB-CSE (positives from a paraphrase dictionary), `config/studies/ppdbcse/claims.csv`.

Differences are positive where they are as claimed.  The average of a language is over its six sets; if a
catalog lacks some, it is over those that all rows of the comparison have.
"""

from collections.abc import Sequence

import numpy as np

from contrapose.report.claims.cell_arrays import Cells, MissingCell, Tables
from contrapose.report.claims.verdict import Verdict, all_of, mean_deciding, mean_of, verdict
from contrapose.report.scores import AVERAGE

LANGUAGES = ("English", "Japanese")
NONE, TRANSFER, UNSUPERVISED = "w/o Additional Training", "Transfer Fine-Tuning", "Unsupervised SimCSE"
RANKED, SUPERVISED, OURS = "RankCSE", "Supervised SimCSE", "Ours"
METHODS = (TRANSFER, UNSUPERVISED, RANKED, SUPERVISED, OURS)
PARAPHRASE = "paraphrase_PAWS_or_PAWS-X"  # the one column in which Japanese is to be worse
BEST_THRESHOLD = "0.4"


def _average_gain(table: Cells, language: str, better: str, worse: str) -> np.ndarray:
    return table.above(f"{language}: {better}", f"{language}: {worse}", AVERAGE)


def _average_gains(table: Cells, rivals: Sequence[str], languages: Sequence[str]) -> dict[str, np.ndarray]:
    gains = {
        f"{language}, above {rival}": _average_gain(table, language, OURS, rival)
        for language in LANGUAGES
        for rival in rivals
        if (f"{language}: {rival}", AVERAGE) in table.values
    }
    for language in languages:
        if not any(name.startswith(language) for name in gains):
            raise MissingCell(f"{table.table} has no average in {language} of any of {', '.join(rivals)}")
    return gains


def _lacking(table: Cells, rivals: Sequence[str]) -> str:
    """Return a note on rivals without an average; Transfer Fine-Tuning is only English, as in the paper."""
    absent = [
        f"{language}: {rival}"
        for language in LANGUAGES
        for rival in rivals
        if (f"{language}: {rival}", AVERAGE) not in table.values
        and (language, rival) != ("Japanese", TRANSFER)
    ]
    return f"Without {', '.join(absent)}" if absent else ""


def ppdbcse_01_dictionary_has_the_best_average(tables: Tables) -> Verdict:
    """Above every other row of its language; the main difference is to the best of them, on average."""
    table, rivals = tables["table3"], (NONE, *METHODS[:-1])
    parts = _average_gains(table, rivals, LANGUAGES)
    nearest = [
        all_of(*(part for name, part in parts.items() if name.startswith(language))) for language in LANGUAGES
    ]
    return verdict(parts, mean_deciding(*nearest), note=_lacking(table, rivals))


def _gains_over_none(table: Cells, language: str) -> dict[str, np.ndarray]:
    gains = table.gains(f"{language}: {OURS}", f"{language}: {NONE}")
    if not gains:
        raise MissingCell(f"{table.table} has no column with numbers of both {OURS} and {NONE} in {language}")
    return gains


def ppdbcse_02_english_is_better_everywhere(tables: Tables) -> Verdict:
    """Than no additional training, on every set."""
    return verdict(_gains_over_none(tables["table3"], "English"))


def ppdbcse_03_japanese_is_better_but_for_paraphrases(tables: Tables) -> Verdict:
    """Than no additional training on five sets, and worse on PAWS-X; its sign is turned here."""
    gains = _gains_over_none(tables["table3"], "Japanese")
    if PARAPHRASE not in gains:
        raise MissingCell(f"{tables['table3'].table} has no column {PARAPHRASE} in Japanese")
    parts = {name: -gain if name == PARAPHRASE else gain for name, gain in gains.items()}
    return verdict(parts)


def ppdbcse_04_all_training_is_at_least_as_good_as_none(tables: Tables) -> Verdict:
    """On average, in both languages; equal averages count as claimed."""
    table = tables["table3"]
    parts = {
        f"{language}, {method}": _average_gain(table, language, method, NONE)
        for language in LANGUAGES
        for method in METHODS
        if (f"{language}: {method}", AVERAGE) in table.values
    }
    if not parts:
        raise MissingCell(f"{table.table} has no average of any kind of additional training")
    holds = all(mean_of(part) >= 0 for part in parts.values())
    return verdict(parts, holds=holds, note=_lacking(table, METHODS))


def ppdbcse_05_contrast_beats_transfer_fine_tuning(tables: Tables) -> Verdict:
    """On average, in English."""
    return verdict(_average_gains(tables["table3"], (TRANSFER,), ("English",)))


def ppdbcse_06_dictionary_beats_supervised_simcse(tables: Tables) -> Verdict:
    """On average, in both languages."""
    return verdict(_average_gains(tables["table3"], (SUPERVISED,), LANGUAGES))


def ppdbcse_07_dictionary_beats_rankcse(tables: Tables) -> Verdict:
    """On average, in both languages."""
    return verdict(_average_gains(tables["table3"], (RANKED,), LANGUAGES))


def ppdbcse_08_the_best_threshold_is_in_the_middle(tables: Tables) -> Verdict:
    """Mean dev score at 0.4 above that at every other threshold, in both languages."""
    table = tables["thresholds"]
    margins = [table.margin(f"{each}: {BEST_THRESHOLD}", AVERAGE, each) for each in LANGUAGES]
    parts = {margin.name: margin.deciding.difference for margin in margins}
    return verdict(parts, mean_deciding(*(margin.deciding for margin in margins)))
