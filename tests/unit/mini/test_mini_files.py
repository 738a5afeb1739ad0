import ast
import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose.retrieve.transfer import read_transfer
from contrapose.retrieve.triples import read_triples
from contrapose.seeds import generator
from contrapose.settings.worlds import SimCSETriples, TransferFiles
from contrapose_mini.benchmarks import Pair, PairMaker, entailment, normalised, vote
from contrapose_mini.concepts import relations
from contrapose_mini.facts import World
from contrapose_mini.paraphrase import SCRAMBLED_SAME, duplicate_questions, scrambled_pairs
from contrapose_mini.transfer import TextMaker
from contrapose_mini.triples import made_triples
from tests.unit.mini.conftest import PAIRS

TASKS = {task: task.upper() for task in ("mr", "cr", "subj", "mpqa", "trec", "mrpc")} | {"sst2": "SST/binary"}
TRIPLE_SIDES = ["premise", "entailment", "contradiction"]


def lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8", "replace").removesuffix("\n").split("\n")


@pytest.fixture(scope="module")
def pairs():
    maker = PairMaker(World(7, 600), 7, set())
    return [maker.pair("test", number, "caption", 0.0) for number in range(600)]


@pytest.fixture(scope="module")
def articles(world):
    return pd.read_parquet(world / "wikipedia" / "train-00000-of-00001.parquet")


@pytest.fixture(scope="module")
def known(world):
    """The sentences of the articles."""
    return set(map(normalised, pd.read_parquet(world / "llm" / "knowledge.parquet").text))


def test_articles_have_the_columns_of_the_hub_data_set_and_are_as_untidy_as_real_ones(articles):
    assert list(articles.columns) == ["id", "url", "title", "text"]
    assert articles.id.is_unique
    assert articles.title.is_unique
    assert len(articles) == 40
    text = "\n\n".join(articles.text)
    traits = ("\n\nReferences", "\n\nExternal links\n", "\nHistory\n", " births\nPeople from ", "Dr. ")
    assert all(trait in text for trait in (*traits, "St. Alwin"))


def test_sts_inputs_have_a_score_line_for_each_pair_and_no_sentence_of_an_article(world, known):
    folder = world / "senteval" / "STS"
    inputs = sorted(folder.glob("STS1*/STS.input.*.txt"))
    assert len(inputs) == 24
    for path in inputs:
        scores = lines(path.with_name(path.name.replace("input", "gs")))
        assert len(lines(path)) == len(scores)
        assert sum(score != "" for score in scores) == PAIRS
        assert all(len(line.split("\t")) == 2 and line == line.lower() for line in lines(path))
        assert all(0 <= float(score) <= 5 for score in scores if score)
    assert not known & {
        normalised(text) for path in inputs for line in lines(path) for text in line.split("\t")
    }
    assert (folder / "STS13-en-test/STS.gs.SMT.txt").exists()  # of the set that is not free
    assert not (folder / "STS13-en-test/STS.input.SMT.txt").exists()


def test_the_sts_benchmark_traps_readers_that_honour_quotes(world):
    path = world / "senteval" / "STS" / "STSBenchmark" / "sts-train.csv"
    rows = [line.split("\t") for line in lines(path)]
    assert {len(row) for row in rows} == {7}
    with path.open(newline="") as file:
        assert len(list(csv.reader(file, delimiter="\t"))) < len(rows)


def test_sick_has_its_header_and_its_labels(world):
    head, *rows = lines(world / "senteval" / "SICK" / "SICK_train.txt")
    assert head.split("\t")[3:] == ["relatedness_score", "entailment_judgment"]
    assert {row.split("\t")[4] for row in rows} <= {"ENTAILMENT", "NEUTRAL", "CONTRADICTION"}
    assert all(1 <= float(row.split("\t")[3]) <= 5 for row in rows)


def test_the_corpus_of_lines_is_all_that_the_articles_say_with_titles_and_fragments(world, articles):
    found = lines(world / "wiki1m_for_simcse.txt")
    written = " ".join(f"{row.title} {row.text}" for row in articles.itertuples())
    assert " ".join(found).split() == written.split()
    assert set(articles.title) | {"References", "History", "External links"} <= set(found)
    # One sentence a line: a full stop within is one of an abbreviation.
    inside = {word for line in found for word in line.split()[:-1] if word.endswith(".")}
    assert inside == {"Dr.", "Mr.", "Mrs.", "St.", "U.S."}


@pytest.mark.parametrize(("file", "count"), [("nli", 10 * PAIRS), ("snli_mnli", 37 * PAIRS)])
def test_nli_triples_are_files_of_simcse_whose_sentences_stand_nowhere_else(world, known, file, count):
    triples = read_triples(SimCSETriples(kind="simcse", path=f"{file}_for_simcse.csv"), world)
    assert len(triples) == count
    texts = [normalised(text) for column in TRIPLE_SIDES for text in triples[column]]
    assert len(set(texts)) == len(texts) == 3 * count
    for path in (world / "senteval").rglob("*.*"):
        known = known | {normalised(text) for line in lines(path) for text in line.split("\t")}
    assert not known & set(texts)


def test_transfer_tasks_are_read_with_their_quirks_and_no_class_is_small(world):
    found, missing = read_transfer(world, {task: TransferFiles(path=path) for task, path in TASKS.items()})
    assert not missing
    sizes = found.groupby(["task", "split", "label"]).size()
    assert sizes.loc["trec"].loc["train"].tolist() == [10] * 6
    assert sizes.min() >= 2
    assert (world / "senteval" / "MRPC" / "msr_paraphrase_train.txt").read_bytes().startswith(b"\xef\xbb\xbf")
    assert all(line.endswith(" ") for line in lines(world / "senteval" / "MR" / "rt-polarity.pos"))
    assert " \t1" in (world / "senteval" / "SST" / "binary" / "sentiment-dev").read_text()
    questions = (world / "senteval" / "TREC" / "train_5500.label").read_bytes()
    assert b"``" in questions
    assert b"caf\xe9 ?" in questions
    assert not found.sentence1.str.contains("`").any()
    texts = [*map(normalised, found.sentence1), *map(normalised, found.sentence2.dropna())]
    assert len(set(texts)) == len(texts)


def test_a_verdict_or_an_event_decides_the_sentiment_and_never_turns_it():
    maker = TextMaker(PairMaker(World(7, 600), 7, set()))
    good, bad = (relations()[name].verbs for name in ("praise", "criticise"))
    for label, (own, other) in enumerate([(bad, good), (good, bad)]):
        for text in maker.texts(f"test {label}", "product", label, 100):
            verdict = text.split(", even when")[0].split(", and the")[-1]
            assert any(f" {verb.participle} by" in verdict for verb in (other if "never" in verdict else own))


def test_what_a_triple_says_follows_from_its_premise_or_contradicts_it():
    labels = {"entailment": set(), "denial": set(), "other": set()}
    shared = {"entailment": [], "contradiction": []}
    for triple in made_triples(World(7, 600), 7, 600, set()):
        premise, entailed, contradicted = triple.meanings
        followed = Pair(triple.premise, triple.entailment, (premise, entailed), "")
        labels["entailment"].add(entailment(followed))
        denied = Pair(triple.premise, triple.contradiction, (premise, contradicted), "")
        labels["other" if contradicted[0].happened else "denial"].add(entailment(denied))
        words = set(triple.premise.lower().split())
        for side in shared:
            other = set(getattr(triple, side).lower().split())
            shared[side].append(len(words & other) / len(words | other))
    assert labels["entailment"] == {"ENTAILMENT"}
    assert labels["denial"] == {"CONTRADICTION"}
    assert "ENTAILMENT" not in labels["other"]
    means = [sum(values) / len(values) for values in shared.values()]
    assert means[0] == pytest.approx(means[1], abs=0.08)  # words alone do not tell them apart


def test_words_alone_do_not_give_the_gold_score(pairs):
    gold = [vote(generator("test votes", i), pair.similarity, 5, 0) for i, pair in enumerate(pairs)]
    overlap = [
        len(a & b) / len(a | b) for a, b in ((set(p.first.split()), set(p.second.split())) for p in pairs)
    ]
    length = [-abs(len(pair.first.split()) - len(pair.second.split())) for pair in pairs]
    assert spearmanr(overlap, gold)[0] < 0.50
    assert spearmanr(length, gold)[0] < 0.30
    assert spearmanr([pair.similarity for pair in pairs], gold)[0] > 0.90
    same_words = [p for p in pairs if set(p.first.split()) == set(p.second.split())]
    assert any(pair.similarity < 0.5 for pair in same_words)


def test_a_paraphrase_is_entailed_and_a_denial_contradicts(pairs):
    labels = {kind: {entailment(p) for p in pairs if p.kind == kind} for kind in ("same", "negation")}
    assert labels == {"same": {"ENTAILMENT"}, "negation": {"CONTRADICTION"}}


def test_writing_a_world_does_not_load_torch():
    code = "import sys, contrapose_mini.files; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_raw_texts_are_those_that_were_tokenised(world):
    for prepared, raw, texts in (
        ("senteval/STS/STSBenchmark/sts-train.csv", "sts_raw/stsbenchmark/sts-train.csv", slice(5, 7)),
        ("senteval/MRPC/msr_paraphrase_train.txt", "mrpc_raw/msr_paraphrase_train.txt", slice(3, 5)),
    ):
        for one, other in zip(lines(world / prepared), lines(world / raw), strict=True):
            sides = [line.split("\t") for line in (one, other)]
            said = [[normalised(text) for text in side[texts]] for side in sides]
            assert said[0] == said[1]
            assert sides[0][: texts.start] == sides[1][: texts.start]
        written = (world / raw).read_text(encoding="utf-8-sig")
        assert " ," not in written
        assert " .\t" not in written


def test_labels_have_about_the_shares_of_the_real_sets():
    maker = PairMaker(World(7, 600), 7, set())
    duplicates = duplicate_questions(maker, "test", 300)
    scrambled = scrambled_pairs(maker, "test", "question", SCRAMBLED_SAME, 300, balanced=False)
    for share, pairs in ((0.37, duplicates), (SCRAMBLED_SAME, scrambled)):
        labels = [label for _, _, label in pairs]
        assert sum(labels) / 300 == pytest.approx(share, abs=0.06)


def test_scrambled_questions_have_the_same_words_whatever_their_label(world):
    _, *rows = lines(world / "paws_qqp" / "dev_and_test.tsv")
    assert len(rows) == 4 * PAIRS
    for _, first, second, label in (row.split("\t") for row in rows):
        ends = [Counter(ast.literal_eval(text).decode().lower().split()) for text in (first, second)]
        assert {word for word, _ in (ends[0] - ends[1] + (ends[1] - ends[0])).items()} <= {","}
        assert label in "01"
    assert {row[-1] for row in rows} == {"0", "1"}
