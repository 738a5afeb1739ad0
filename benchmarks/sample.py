"""Sampling method 1: ours against the loop that the thesis describes, written plainly with NLTK."""

import re
from pathlib import Path

import nltk
from nltk.tokenize.punkt import PunktParameters, save_punkt_params

from benchmarks.compare import Item, UnequalError, Way
from benchmarks.texts import trained_punkt, wikipedia_articles
from contrapose.corpus.draw import CorpusDraws, drawn_sentences, random_picks
from contrapose.corpus.punkt_parameters import Splitter, parameter_table, splitter

ARTICLES = 1000
DRAWS = 400  # of a corpus, as 2.5 of 6.5 million: the thesis's, as Wikipedia accepts two draws in five
CORPORA = [CorpusDraws(method=1, seed=seed, line_breaks="space", draws=DRAWS) for seed in range(5)]


def item(folder: Path) -> Item:
    """Return the item; both split with Punkt and the same parameters, trained outside the time."""
    articles, source = wikipedia_articles(folder, ARTICLES)
    parameters = trained_punkt(articles)
    table = parameter_table(parameters)
    _install(parameters, folder / "nltk_data")

    def ours(splits: list[Splitter]) -> list[str]:
        found: list[str] = []
        for spec, split in zip(CORPORA, splits, strict=True):
            draws = drawn_sentences(articles, split, spec)
            found.extend(draws.text[draws.rejected == ""])
        return found

    def theirs(_: None) -> list[str]:
        found = []
        for spec in CORPORA:
            for number, share in zip(*random_picks(len(articles), spec), strict=True):
                text = re.sub("\n+", " ", articles[number][1])
                sentences = nltk.sent_tokenize(text)
                if len(sentences) < 10:
                    continue
                first_part = sentences[: int(0.6 * len(sentences) + 1e-9)]
                sentence = first_part[int(share * len(first_part))]
                if spec.min_words <= len(nltk.word_tokenize(sentence)) <= spec.max_words:
                    found.append(sentence)
        return found

    def fresh() -> list[Splitter]:
        return [splitter(table) for _ in CORPORA]

    def check() -> str:
        our, their = ours(fresh()), theirs(None)
        if our != their:
            raise UnequalError(f"{len(our)} and {len(their)} sentences, which are not the same")
        return f"the same {len(our)} accepted sentences in the same order"

    repeated = sum(DRAWS - len(set(random_picks(len(articles), spec)[0].tolist())) for spec in CORPORA)
    return Item(
        work=f"method 1, {len(CORPORA)} times {DRAWS} draws from {len(articles)} articles of {source}",
        ours=Way(ours, prepare=fresh),
        peers={"NLTK loop": Way(theirs)},
        check=check,
        differs=f"{repeated} draws are of an article drawn before, which we do not split again; we make a "
        "table with ids, positions and reasons, the loop a list. Each corpus has a new splitter of ours, "
        "that has kept no word; NLTK's English parameters are those trained here.",
    )


def _install(parameters: PunktParameters, folder: Path) -> None:
    """Let NLTK find the parameters where it looks for its own English ones."""
    nltk.data.path.insert(0, str(folder))
    english = folder / "tokenizers" / "punkt_tab" / "english"
    english.parent.mkdir(parents=True)
    save_punkt_params(parameters, str(english))
