"""Write a mini world as files in the formats of the real distributions."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Protocol

from contrapose.base.seeds import generator
from contrapose_mini.articles import Article, ArticleWriter
from contrapose_mini.benchmarks import (
    ANNOTATORS,
    QUOTE_RATE,
    SICK,
    STSB_SOURCES,
    YEARS,
    Pair,
    PairMaker,
    Subset,
    entailment,
    normalised,
    vote,
)
from contrapose_mini.chinese.pairs import PAIR_SETS, in_english, labelled_pairs
from contrapose_mini.dictionary import ehimerppdb_lines, ppdb_lines
from contrapose_mini.draws import chance
from contrapose_mini.facts import MadeWorld
from contrapose_mini.japanese import wording as japanese
from contrapose_mini.output import write_gzip, write_parquet, write_text
from contrapose_mini.pair_tasks import (
    write_english_pair_tasks,
    write_japanese_pair_tasks,
    write_product_search,
)
from contrapose_mini.paraphrase import SCRAMBLED_SAME, duplicate_questions, scrambled_pairs
from contrapose_mini.transfer import TextMaker
from contrapose_mini.triplets import MadeTriplet, made_triplets
from contrapose_mini.wiki40b import write_wiki40b
from contrapose_mini.wording import untokenised

FACTS_PER_ARTICLE = 6  # with some 24 sentences an article, each fact is told about five times
STSB_SPLITS = {"train": 16, "dev": 8, "test": 8}  # rows, in units of `pairs`
SICK_SPLITS = {"train": 10, "trial": 2, "test_annotated": 12}  # rows, in units of `pairs`
TRIPLETS, MORE_TRIPLETS = (
    10,
    37,
)  # rows of NLI triplets in the smaller and the larger file, in units of `pairs`
# Transfer tasks: rows in units of `pairs`.  Not half and half where the real ones are not.
CLASS_FILES = {  # file: kind of text, label, units
    "MR/rt-polarity.neg": ("film", 0, 3),
    "MR/rt-polarity.pos": ("film", 1, 3),
    "CR/custrev.neg": ("product", 0, 2),
    "CR/custrev.pos": ("product", 1, 4),
    "SUBJ/subj.subjective": ("opinion or plot", 0, 3),
    "SUBJ/subj.objective": ("opinion or plot", 1, 3),
    "MPQA/mpqa.neg": ("phrase", 0, 5),
    "MPQA/mpqa.pos": ("phrase", 1, 3),
}
SST_SPLITS = {"train": 10, "dev": 2, "test": 3}
TREC_FILES = {"train_5500": 10, "TREC_10": 3}
MRPC_SPLITS = {"train": 6, "test": 3}
# Pairs of questions: rows in the same units.
QQP_FILES = {"train": 20, "dev": 5}
PAWS_QQP = 4
QQP_CUT = 0.01  # rows that end too early: GLUE's files have some, fewer
# Not after the titles and names of places that the articles abbreviate.
SENTENCE_END = re.compile(r"(?<=[.?!])(?<!Dr\.)(?<!Mr\.)(?<!Mrs\.)(?<!St\.) +(?=[A-Z])")
TRANSLATED = ("BQ", "LCQMC")  # the Chinese sets whose test parts PrdSimCSE has translated, table 6
SMT_SCORES = 12  # scores of the STS13 set whose sentences are not free, so that it has no input file


class MiniSize(Protocol):
    """What the generator needs of the settings: a seed, how many articles, how many scored pairs a subset."""

    @property
    def seed(self) -> int:
        """Another seed is another world."""

    @property
    def articles(self) -> int:
        """Wikipedia articles."""

    @property
    def pairs(self) -> int:
        """Scored pairs per STS subset."""


def write_mini_world(folder: Path, spec: MiniSize) -> None:
    """Write the mini world below `folder`, which is made where it does not exist.

    Parameters
    ----------
    folder : Path
        Gets `wikipedia/`, `senteval/` with STS, SICK and the transfer tasks, `senteval_cn/`, `sts_raw/`,
        `sick_raw/`, `mrpc_raw/`, `qqp/`, `paws_qqp/`, `snli/`, `paws/`, `esci/`, `jglue/`, `jsick/`,
        `pawsx/`, `jsnli/`, `wiki40b/`, `ppdb/`, `ehimerppdb/`, `wiki1m_for_simcse.txt`,
        `nli_for_simcse.csv` and `snli_mnli_for_simcse.csv`; files of the same names are replaced.
    spec : MiniWorld
        The files are a function of it alone, byte for byte (for one version of pyarrow).

    Notes
    -----
    Everything is in memory once, about 10 kB per article.
    """
    world = MadeWorld(spec.seed, FACTS_PER_ARTICLE * spec.articles)
    writer = ArticleWriter(world, spec.seed)
    articles = list(writer.articles(spec.articles))
    _write_articles(folder / "wikipedia" / "train-00000-of-00001.parquet", articles)
    write_text(folder / "wiki1m_for_simcse.txt", _sentence_lines(articles))
    maker = PairMaker(world, spec.seed, {normalised(statement.text) for statement in writer.statements})
    for year, subsets in YEARS.items():
        for subset in subsets:
            _write_sts_subset(folder / "senteval" / "STS" / year, year, subset, maker, spec)
    _write_lone_scores(folder / "senteval" / "STS" / "STS13-en-test" / "STS.gs.SMT.txt", spec.seed)
    for split, units in STSB_SPLITS.items():
        prepared, raw = zip(*_stsb_rows(maker, split, units * spec.pairs), strict=True)
        write_text(folder / "senteval" / "STS" / "STSBenchmark" / f"sts-{split}.csv", prepared)
        write_text(folder / "sts_raw" / "stsbenchmark" / f"sts-{split}.csv", raw)
    for split, units in SICK_SPLITS.items():
        prepared, raw = zip(*_sick_rows(maker, split, units * spec.pairs), strict=True)
        write_text(folder / "senteval" / "SICK" / f"SICK_{split}.txt", prepared)
        write_text(folder / "sick_raw" / f"SICK_{split}.txt", raw)
    triplets = made_triplets(world, spec.seed, TRIPLETS * spec.pairs, maker.taken)
    write_text(folder / "nli_for_simcse.csv", _triplet_rows(triplets))
    _write_chinese_pairs(folder, world, spec)
    _write_transfer(folder, TextMaker(maker), spec)
    _write_questions(folder, maker, spec)
    write_english_pair_tasks(folder, maker, spec.pairs)
    write_japanese_pair_tasks(folder, PairMaker(world, spec.seed, set(), japanese.styled), spec.pairs)
    write_product_search(folder, spec.seed, spec.pairs)
    write_wiki40b(folder, world, spec.seed, spec.articles * 5 // 8)  # enough for 4,000 sentences
    more = made_triplets(world, spec.seed, MORE_TRIPLETS * spec.pairs, maker.taken)
    write_text(folder / "snli_mnli_for_simcse.csv", _triplet_rows(more))
    write_gzip(folder / "ppdb" / "ppdb-2.0-mini-all.gz", ppdb_lines())
    write_gzip(folder / "ehimerppdb" / "ehimerppdb-mini.gz", ehimerppdb_lines())


def _write_articles(path: Path, articles: Sequence[Article]) -> None:
    fields = ("id", "url", "title", "text")
    write_parquet(path, {field: [getattr(article, field) for article in articles] for field in fields})


def _sentence_lines(articles: Iterable[Article]) -> Iterable[str]:
    """Yield titles and all that stands in the articles, headings and list lines too, sentence by sentence."""
    for article in articles:
        yield article.title
        for line in article.text.split("\n"):
            yield from filter(None, SENTENCE_END.split(line.strip()))


def _triplet_rows(triplets: Iterable[MadeTriplet]) -> Iterable[str]:
    yield "sent0,sent1,hard_neg"
    for triplet in triplets:
        row = StringIO()
        csv.writer(row, lineterminator="").writerow(
            (triplet.premise, triplet.entailment, triplet.contradiction)
        )
        yield row.getvalue()


def _write_chinese_pairs(folder: Path, world: MadeWorld, spec: MiniSize) -> None:
    """Write the five sets in bojone's layout, and test parts of two of them in English."""
    for pair_set in PAIR_SETS:
        for split, units in pair_set.units.items():
            pairs = list(labelled_pairs(pair_set, world, spec.seed, split, units * spec.pairs))
            path = folder / "senteval_cn" / pair_set.name / f"{pair_set.name}.{split}.data"
            write_text(path, (f"{pair.first.text}\t{pair.second.text}\t{pair.label}" for pair in pairs))
            if split == "test" and pair_set.name in TRANSLATED:
                name = f"{pair_set.name}_en"
                rows = (
                    f"{in_english(pair.first)}\t{in_english(pair.second)}\t{pair.label}" for pair in pairs
                )
                write_text(folder / "senteval_cn" / name / f"{name}.test.data", rows)


def _lowered(sentence: str) -> str:
    return sentence.lower()


def _quoted(name: str, seed: int, number: int, sentence: str) -> str:
    """Put a lone quotation mark before a few sentences."""
    return f'" {sentence}' if chance(generator("mini", seed, "quote", name, number), QUOTE_RATE) else sentence


def _raw(tokens: str) -> str:
    """Return a sentence as it was before it was tokenised; a quotation mark stands at its word."""
    return f'"{untokenised(tokens[2:])}' if tokens.startswith('" ') else untokenised(tokens)


def _write_sts_subset(folder: Path, year: str, subset: Subset, maker: PairMaker, spec: MiniSize) -> None:
    count = round(spec.pairs * subset.size)
    total = round(count * (1 + subset.unscored))
    rng = generator("mini", spec.seed, year, subset.name, "scored lines")
    scored = set(rng.permutation(total)[:count].tolist())
    inputs, scores = [], []
    for number in range(total):
        name = f"{year} {subset.name}"
        pair = maker.pair(name, number, subset.look)
        first = _quoted(name, spec.seed, number, pair.first)
        inputs.append(f"{_lowered(first)}\t{_lowered(pair.second)}")
        scores.append(_sts_score(pair, name, number, spec.seed) if number in scored else "")
    write_text(folder / f"STS.input.{subset.name}.txt", inputs)
    write_text(folder / f"STS.gs.{subset.name}.txt", scores)


def _sts_score(pair: Pair, name: str, number: int, seed: int) -> str:
    rng = generator("mini", seed, "votes", name, number)
    score = vote(rng, pair.similarity, ANNOTATORS["STS"], low=0)
    return (
        f"{score:.3f}"
        if name.startswith("STS12")
        else f"{score:.2f}"
        if name.startswith("STS15")
        else f"{score:g}"
    )


def _write_lone_scores(path: Path, seed: int) -> None:
    rng = generator("mini", seed, "SMT scores")
    write_text(path, [f"{score:.1f}" for score in rng.integers(0, 26, SMT_SCORES) / 5])


def _stsb_rows(maker: PairMaker, split: str, count: int) -> Iterable[tuple[str, str]]:
    """Yield each row as SentEval prepares it, and as it was."""
    for number in range(count):
        turn, place = divmod(number, len(STSB_SOURCES))
        genre, file, year, look = STSB_SOURCES[place]
        name = f"STSBenchmark {split}"
        pair = maker.pair(f"{name} {year} {file}", turn, look)
        rng = generator("mini", maker.seed, "votes", name, number)
        score = f"{vote(rng, pair.similarity, ANNOTATORS['STS'], low=0):.3f}"
        about = (genre, file, year, f"{number:04d}", score)
        ends = _quoted(name, maker.seed, number, pair.first), pair.second
        yield "\t".join((*about, *map(_lowered, ends))), "\t".join((*about, *map(_raw, ends)))


def _sick_rows(maker: PairMaker, split: str, count: int) -> Iterable[tuple[str, str]]:
    """Yield each row as SentEval has it, with the tokens apart, and as it was."""
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    yield header, header
    for number in range(count):
        pair = maker.pair(f"SICK {split}", number, SICK)
        rng = generator("mini", maker.seed, "votes", "SICK", split, number)
        score = f"{vote(rng, pair.similarity, ANNOTATORS['SICK'], low=1):g}"
        ends = [_sick_sentence(sentence) for sentence in (pair.first, pair.second)]
        judged = score, entailment(pair)
        yield (
            "\t".join((str(number + 1), *ends, *judged)),
            "\t".join((str(number + 1), *map(untokenised, ends), *judged)),
        )


def _sick_sentence(tokens: str) -> str:
    """SICK's sentences begin with a capital and have no full stop."""
    text = tokens.removesuffix(" .")
    return text[:1].upper() + text[1:]


def _write_transfer(folder: Path, maker: TextMaker, spec: MiniSize) -> None:
    senteval = folder / "senteval"
    for name, (kind, label, units) in CLASS_FILES.items():
        texts = maker.texts(name, kind, label, units * spec.pairs)
        write_text(senteval / name, (f"{text} " for text in texts))
    for split, units in SST_SPLITS.items():
        write_text(
            senteval / "SST" / "binary" / f"sentiment-{split}", _sst_rows(maker, split, units * spec.pairs)
        )
    for name, units in TREC_FILES.items():
        lines = maker.questions(name, units * spec.pairs)
        write_text(senteval / "TREC" / f"{name}.label", lines, "latin-1")
    for split, units in MRPC_SPLITS.items():
        prepared, raw = zip(*_mrpc_rows(maker, split, units * spec.pairs), strict=True)
        file = f"msr_paraphrase_{split}.txt"
        write_text(senteval / "MRPC" / file, prepared, "utf-8-sig")
        write_text(folder / "mrpc_raw" / file, raw, "utf-8-sig")


def _sst_rows(maker: TextMaker, split: str, count: int) -> Iterable[str]:
    """Yield the rows of both labels in turn."""
    texts = [maker.texts(f"SST {split} {label}", "film part", label, count // 2) for label in (0, 1)]
    for pair in zip(*texts, strict=True):
        yield from (f"{text} \t{label}" for label, text in enumerate(pair))


def _mrpc_rows(maker: TextMaker, split: str, count: int) -> Iterable[tuple[str, str]]:
    """Yield each row as SentEval has it, and as it was."""
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    yield header, header
    name = f"MRPC {split}"
    for number, (first, second, label) in enumerate(maker.paraphrases(name, count)):
        ends = _quoted(name, maker.maker.seed, number, first), second
        about = f"{label}\t{2 * number}\t{2 * number + 1}"
        yield "\t".join((about, *ends)), "\t".join((about, *map(_raw, ends)))


def _write_questions(folder: Path, maker: PairMaker, spec: MiniSize) -> None:
    """Write QQP as in GLUE, and PAWS-QQP as its script for Python 2 does."""
    for split, units in QQP_FILES.items():
        write_text(folder / "qqp" / f"{split}.tsv", _qqp_rows(maker, split, units * spec.pairs))
    rows = enumerate(
        scrambled_pairs(maker, "PAWS-QQP", "question", SCRAMBLED_SAME, PAWS_QQP * spec.pairs, balanced=False),
        1,
    )
    lines = [f"{number}\t{_bytes(one)}\t{_bytes(two)}\t{label}" for number, (one, two, label) in rows]
    write_text(folder / "paws_qqp" / "dev_and_test.tsv", ["id\tsentence1\tsentence2\tlabel", *lines])


def _qqp_rows(maker: PairMaker, split: str, count: int) -> Iterable[str]:
    yield "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
    name = f"QQP {split}"
    for number, (first, second, label) in enumerate(duplicate_questions(maker, name, count)):
        row = f"{number}\t{2 * number + 1}\t{2 * number + 2}\t{_raw(first)}\t{_raw(second)}\t{label}"
        cut = chance(generator("mini", maker.seed, "cut", name, number), QQP_CUT)
        yield row.rpartition("\t")[0] if cut else row


def _bytes(tokens: str) -> str:
    return repr((tokens[:1].upper() + tokens[1:]).encode())
