"""Sentence corpora drawn from articles. Thesis, section 3.1 (methods 1, 2 and 3).

A corpus is a sequence of draws, numbered from 0.  A draw takes an article, and from it no sentence, one,
or with method 3 up to four.  What draw k takes depends on the settings, the articles and k alone, so the
draws can be made in any order and in any number of shards, and a small corpus is the head of a large one.
"""

import logging
import re
from collections.abc import Callable
from itertools import groupby
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.corpus.article_file import ArticleFile, Articles
from contrapose.jobs.step import Rows, Shard, planned
from contrapose.settings.corpora import CorpusKind
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Size, resolved
from contrapose.tables import DRAWS, PUNKT, ROWS_PER_GROUP, empty
from contrapose.text.languages import SentenceSplitter
from contrapose.text.words import word_count

logger = logging.getLogger(__name__)

FEWEST_SENTENCES = 10  # method 1: articles with fewer are not used
MANY_SENTENCES = 20  # method 3: articles need more than this
SENTENCES_PER_ARTICLE = 4  # method 3
# On Wikipedia method 1 accepts two draws in five, or one in four with line breaks deleted: if this many fail,
# nothing fits.
REPLACEMENT_TRIES = 1000

LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")  # what str.splitlines splits at


class SampledCorpus(CorpusKind):
    """The sentences are sampled from articles. Thesis, section 3.1."""

    kind: Literal["sampled"] = "sampled"
    method: Literal[1, 2, 3] = Field(
        description="This is the sampling method of the thesis. Method 1 takes a sentence from the "
        "first 60 % of an article with at least ten sentences. Method 2 takes any sentence "
        "without a line break. Method 3 takes the first four suitable sentences of each "
        "article with more than twenty."
    )
    seed: int = Field(
        1, ge=0, description="This seed makes the sample. The sample x-y of the thesis has the seed y."
    )
    size: Size = Field(
        "small",
        description="The corpus has this many sentences: a number, or the name of a size of the catalog.",
    )
    min_words: int = Field(10, ge=1, description="A sentence has at least this many NLTK tokens.")
    max_words: int = Field(50, ge=1, description="A sentence has at most this many NLTK tokens.")
    line_breaks: Literal["delete", "space"] = Field(
        "delete",
        description="Method 1 deletes line breaks or replaces them by a space. Deleting them gives the "
        "sentence lengths that the thesis prints.",
    )

    replaced: ClassVar[bool] = True

    def check(self, project: Plan) -> None:
        project.source("articles")

    def check_documents(self, project: Plan, name: str) -> None:
        if self.method != 3:
            raise self._without_documents(project, name)


class CorpusDraws(SampledCorpus):
    """What a sampled corpus is drawn with."""

    draws: int = Field(ge=1, description="Draws made; those that give no sentence count too")


@planned
def plan(project: Plan, corpus: str, **shard: str) -> CorpusDraws:
    """Return how a corpus is drawn, with this catalog's size and number of draws; all shards draw alike."""
    spec = resolved(project.corpus(corpus), project)
    return CorpusDraws(**dict(spec), draws=spec.size * project.catalog.draws_per_sentence)


def build(
    spec: CorpusDraws, articles: list[str], punkt: Annotated[pd.DataFrame, Rows(PUNKT)], shard: Shard
) -> Annotated[pd.DataFrame, Rows(DRAWS)]:
    """Make the draws that fall into one shard of the articles: see `drawn_sentences`."""
    from contrapose.corpus.punkt_parameters import splitter  # NLTK is too slow to import while planning

    return drawn_sentences(ArticleFile(articles[0]), splitter(punkt), spec, *shard)


class Sentence(NamedTuple):
    """A row of a SENTENCES table."""

    id: str
    text: str
    article_id: str
    position: int
    words: int


class _Drawn(NamedTuple):
    """What a draw took from its article: the last columns of a DRAWS row."""

    position: int
    text: str
    words: int
    rejected: str


def random_picks(n_articles: int, spec: CorpusDraws) -> tuple[np.ndarray, np.ndarray]:
    """Return the random numbers of all draws of a corpus: articles and shares, both of shape (draws,).

    Draw k uses element k of both arrays.  More draws only extend the arrays.

    The article is an index (int64), uniform over all articles: with replacement for methods 1 and 2; for
    method 3 without, so that there are at most `n_articles` draws.  The share in [0, 1) says which of the
    eligible sentences to draw, as a share of their number; method 3 does not use it.
    """
    random = generator("corpus", spec.method, spec.seed, "article")
    if spec.method == 3:
        articles = random.permutation(n_articles)[: spec.draws]
    else:
        articles = random.integers(n_articles, size=spec.draws)
    return articles, generator("corpus", spec.method, spec.seed, "sentence").random(len(articles))


def drawn_sentences(
    articles: Articles, split: SentenceSplitter, spec: CorpusDraws, shard: int = 0, shards: int = 1
) -> pd.DataFrame:
    """Make those draws of a corpus whose articles are in one shard, a contiguous share of the articles.

    Each article is read and split once, in order, however often it is drawn.  Memory: 16 bytes per draw
    of the corpus and about 500 bytes per draw of the shard (measured on Wikipedia, method 1).

    Returns a DRAWS table, sorted by draw and rank: one row for each sentence taken, and one with the reason
    for each draw that took none.  Raises TableError if there are no articles.
    """
    if not len(articles):
        raise TableError(
            "articles: the files contain no articles, so no sentence can be drawn. Check `articles` in "
            "the catalog file."
        )
    numbers, shares = random_picks(len(articles), spec)
    first, end = len(articles) * shard // shards, len(articles) * (shard + 1) // shards
    mine = np.flatnonzero((numbers >= first) & (numbers < end))
    mine = mine[np.argsort(numbers[mine], kind="stable")]
    draw = METHODS[spec.method]
    rows: list[tuple] = []
    parts = [empty(DRAWS)]
    with tqdm(total=len(mine), desc="draws", unit=" draws", mininterval=5) as progress:
        for number, draws in groupby(mine.tolist(), key=numbers.__getitem__):
            article_id, text = articles[int(number)]
            sentences = _sentences(text, split, spec)
            for k in draws:
                progress.update()
                drawn = draw(sentences, shares[k], spec)
                rows += [(k, rank, article_id, *part) for rank, part in enumerate(drawn)]
            if len(rows) >= ROWS_PER_GROUP:  # a table is smaller than its tuples
                parts.append(_as_draws(rows))
                rows = []
    table = pd.concat([*parts, _as_draws(rows)]).sort_values(["draw", "rank"], ignore_index=True)
    logger.info("%d draws, %d sentences accepted", len(mine), (table.rejected == "").sum())
    return table


def replacement_sentence(
    articles: Articles, split: SentenceSplitter, spec: SampledCorpus, sentence_id: str, number: int
) -> Sentence:
    """Draw the replacement for a sentence that could not be paraphrased. Thesis, section 3.3.

    As in the thesis, it is drawn by method 1, whatever the method of the corpus.  It depends on the articles,
    the settings and the arguments alone, and may already be in the corpus.  `number` is 1 for the first
    replacement of the sentence, 2 for the one drawn if that fails too, and so on.  Raises TableError if
    `REPLACEMENT_TRIES` draws gave no acceptable sentence.
    """
    method_1 = spec.model_copy(update={"method": 1})
    random = generator("replacement", spec.seed, sentence_id, number)
    for _ in range(REPLACEMENT_TRIES):
        article_id, text = articles[int(random.integers(len(articles)))]
        share = random.random()
        drawn = _from_long_article(_sentences(text, split, method_1), share, method_1)[0]
        if not drawn.rejected:
            identifier = f"{article_id}:{drawn.position}"
            return Sentence(identifier, drawn.text, article_id, drawn.position, drawn.words)
    raise TableError(
        f"corpora: sentence '{sentence_id}' has no replacement. {REPLACEMENT_TRIES} draws with method "
        f"1 gave no sentence of {spec.min_words} to {spec.max_words} words. Use more articles, or a "
        "wider range of words (min_words, max_words)."
    )


def replacements(
    articles: Articles, split: SentenceSplitter, spec: SampledCorpus
) -> Callable[[str, int], dict[str, object]]:
    """Return `replacement_sentence` as a function from an id and a number to a row of SENTENCES."""
    return lambda sentence_id, number: replacement_sentence(
        articles, split, spec, sentence_id, number
    )._asdict()


def _as_draws(rows: list[tuple]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=DRAWS.columns)
    return table.astype(empty(DRAWS).dtypes)


def _sentences(text: str, split: SentenceSplitter, spec: SampledCorpus) -> list[str]:
    if spec.method == 1:
        first, *others = text.splitlines() or [""]  # in less time than with LINE_BREAK
        text = (" " if spec.line_breaks == "space" else "").join([first, *filter(None, others)])
    return [sentence.strip() for sentence in split(text)]


def _from_long_article(sentences: list[str], share: float, spec: SampledCorpus) -> list[_Drawn]:
    """Method 1: one of the first 60 % of the sentences, as the end often consists of references and links."""
    if len(sentences) < FEWEST_SENTENCES:
        return [_Drawn(-1, "", 0, f"fewer than {FEWEST_SENTENCES} sentences")]
    eligible = len(sentences) * 3 // 5  # floor(0.6 n), without the rounding of 0.6
    position = int(share * eligible)
    return [_if_words_fit(position, sentences[position], spec)]


def _from_any_article(sentences: list[str], share: float, spec: SampledCorpus) -> list[_Drawn]:
    """Method 2: any sentence without a line break."""
    if not sentences:
        return [_Drawn(-1, "", 0, "no sentence")]
    position = int(share * len(sentences))
    if LINE_BREAK.search(sentences[position]):
        return [_Drawn(position, "", 0, "line break")]
    return [_if_words_fit(position, sentences[position], spec)]


def _first_fitting(sentences: list[str], share: float, spec: SampledCorpus) -> list[_Drawn]:
    """Method 3, which resembles SimCSE's corpus: the first four sentences that fit."""
    if len(sentences) <= MANY_SENTENCES:
        return [_Drawn(-1, "", 0, f"article of {MANY_SENTENCES} sentences or fewer")]
    fitting = []
    for position, sentence in enumerate(sentences):
        if not LINE_BREAK.search(sentence):
            drawn = _if_words_fit(position, sentence, spec)
            if not drawn.rejected:
                fitting.append(drawn)
        if len(fitting) == SENTENCES_PER_ARTICLE:
            break
    return fitting or [_Drawn(-1, "", 0, "no fitting sentence")]


def _if_words_fit(position: int, text: str, spec: SampledCorpus) -> _Drawn:
    words = word_count(text)
    if words < spec.min_words:
        return _Drawn(position, "", words, f"fewer words than {spec.min_words}")
    if words > spec.max_words:
        return _Drawn(position, "", words, f"more words than {spec.max_words}")
    return _Drawn(position, text, words, "")


# Sentences of an article, share, settings -> what the draw takes from it.
METHODS: dict[int, Callable[[list[str], float, SampledCorpus], list[_Drawn]]] = {
    1: _from_long_article,
    2: _from_any_article,
    3: _first_fitting,
}
