"""Sampling method 1: ours and the thesis's procedure written plainly with NLTK."""

import re
from pathlib import Path

from nltk.tokenize import word_tokenize
from nltk.tokenize.punkt import PunktSentenceTokenizer

from benchmarks.compare import Item, UnequalError, Way
from benchmarks.texts import mini_articles, trained_punkt
from contrapose.corpus.punkt import parameter_table, splitter
from contrapose.corpus.sampling import drawn_sentences, random_picks
from contrapose.jobs import CorpusDraws

ARTICLES = 800
DRAWS = 400  # fewer than articles, as most draws from Wikipedia are of an article not drawn before
SPEC = CorpusDraws(method=1, seed=0, line_breaks="space", draws=DRAWS)


def item(folder: Path) -> Item:
    """Return the item; both split with Punkt and the same parameters, trained outside the time."""
    articles = mini_articles(folder, ARTICLES)
    parameters = trained_punkt(articles[:100])
    split = splitter(parameter_table(parameters))
    tokenizer = PunktSentenceTokenizer(parameters)

    def ours(_: None) -> list[str]:
        draws = drawn_sentences(articles, split, SPEC)
        return list(draws.text[draws.rejected == ""])

    def theirs(_: None) -> list[str]:
        found = []
        for number, share in zip(*random_picks(ARTICLES, SPEC), strict=True):
            text = re.sub("\n+", " ", articles[number][1])
            sentences = tokenizer.tokenize(text)
            if len(sentences) < 10:
                continue
            first_part = sentences[: int(0.6 * len(sentences) + 1e-9)]
            sentence = first_part[int(share * len(first_part))]
            if SPEC.min_words <= len(word_tokenize(sentence, preserve_line=True)) <= SPEC.max_words:
                found.append(sentence)
        return found

    def check() -> str:
        our, their = ours(None), theirs(None)
        if our != their:
            raise UnequalError(f"{len(our)} and {len(their)} sentences, which are not the same")
        return f"the same {len(our)} accepted sentences in the same order"

    repeated = DRAWS - len(set(random_picks(ARTICLES, SPEC)[0].tolist()))
    return Item(
        work=f"method 1, {DRAWS} draws from {ARTICLES} articles of the mini world",
        ours=Way(ours),
        peers={"NLTK loop": Way(theirs)},
        check=check,
        differs=f"{repeated} draws are of an article drawn before, which we do not split again; we make a "
        "table with ids, positions and reasons, the loop a list.",
    )
