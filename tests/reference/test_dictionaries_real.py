"""Paraphrase dictionaries as they are distributed: the lines and lists that there are."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from contrapose.retrieve.dictionary import convert_dictionary
from contrapose.retrieve.dictionary_lines import dictionary_files, ppdb_rule
from contrapose.settings.worlds import DictionaryFiles
from contrapose.tables import PHRASES, RULES, TableWriter, read_table

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")


def converted(folder, kind, pattern, probability=None):
    """Return the rules as {(phrase, target): probability}, and the counts."""
    source = DictionaryFiles(kind=kind, files=[pattern], probability=probability)
    files = dictionary_files(source, Path(DATA))[pattern]
    out = folder / "phrases.parquet", folder / "rules.parquet"
    with TableWriter(out[0], PHRASES) as phrases, TableWriter(out[1], RULES) as rules:
        lines = convert_dictionary(files, source, phrases, rules)
    names = read_table(out[0], PHRASES).phrase
    rows = read_table(out[1], RULES).itertuples(index=False, name=None)
    found = {(names[row], target): probability for row, target, probability, _ in rows}
    return found, lines.set_index("what").number


def test_the_line_of_ppdb_1_is_a_rule_and_the_syntactic_one_of_ppdb_2_is_none(tmp_path):
    rules, counts = converted(tmp_path, "ppdb", "ppdb_format_lines/*.txt")
    assert rules == {("67.20", "67,20"): pytest.approx(math.exp(-0.64436))}
    assert (counts["lines"], counts["with non-terminals"], counts["not in the format"]) == (2, 1, 0)


def test_the_line_of_ppdb_2_without_its_non_terminals_has_its_direction_and_its_class():
    line = (Path(DATA) / "ppdb_format_lines" / "ppdb2_line.txt").read_bytes()
    for symbol in (b"[NP/NP,1] ", b" [VP/PP,2]"):
        line = line.replace(symbol, b"")
    rule = ppdb_rule(line)
    assert rule == ("such activities", "those activities", math.exp(-1.44238), "Equivalence")
    # The other direction is likelier by as much as the paraphrase is more frequent than the phrase.
    assert math.exp(-1.44238 + 2.39790) == pytest.approx(math.exp(-15.62083 + 16.57635), rel=1e-4)


def test_the_lines_of_ehimerppdb_are_what_stands_there(tmp_path):
    rules, counts = converted(tmp_path, "ehimerppdb", "ehimerppdb_excerpt/*.txt")
    text = (Path(DATA) / "ehimerppdb_excerpt" / "ehimerppdb_v1_lines.txt").read_text()
    fields = [line.split(" ||| ") for line in text.splitlines()]
    assert rules == {(each[0], each[1]): np.float32(each[2]) for each in fields}
    assert counts["rules"] == 8


def test_the_pairs_of_words_are_a_dictionary_without_their_repetitions(tmp_path):
    rules, counts = converted(tmp_path, "word_pairs", "ppdb2_word_pairs/*.txt", probability=1.0)
    text = (Path(DATA) / "ppdb2_word_pairs" / "ppdb_synonyms.txt").read_text()
    pairs = [tuple(line.split()) for line in text.splitlines()]
    different = {pair for pair in pairs if len(set(pair)) == 2}
    assert rules == dict.fromkeys(different, 1.0)
    assert len(different) == 32_189
    assert counts["lines"] == 53_809  # as data/README of the source says
    assert counts["phrase and paraphrase the same"] == sum(len(set(pair)) == 1 for pair in pairs) == 22
