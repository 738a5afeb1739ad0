"""Sentence BLEU of paraphrases: ours against NLTK's."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from nltk.translate.bleu_score import sentence_bleu

from benchmarks.compare import Item, Way, agreed
from benchmarks.texts import wikipedia_sentences
from contrapose.base.seeds import generator
from contrapose.score.bleu import bleu
from contrapose.text.words import words

SENTENCES = 4000  # of which about two in three have the right length
PARAPHRASES = 5
LEAST_WORDS, MOST_WORDS = 10, 50  # as the thesis's corpus has
CHANGED = 0.3  # of the words of a sentence, in each paraphrase

Scored = tuple[list[str], list[list[str]]]  # words of a sentence, and of its paraphrases


def item(folder: Path) -> Item:
    """Return the item: what the thesis and our tables want of each sentence, in words."""
    texts, source = wikipedia_sentences(folder, SENTENCES)
    sentences = [tokens for tokens in map(words, texts) if LEAST_WORDS <= len(tokens) <= MOST_WORDS]
    work = [(sentence, _paraphrases(sentence, number)) for number, sentence in enumerate(sentences)]

    def ours(_: None) -> list[float]:
        return _scores(work, lambda references, hypothesis: bleu(hypothesis, references))

    def theirs(_: None) -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _scores(work, sentence_bleu)

    def check() -> str:
        pairs = zip(ours(None), theirs(None), strict=True)
        worst = max(abs(our - their) / (their or 1) for our, their in pairs)
        return agreed(worst, 1e-12, "scores, relatively,")

    return Item(
        work=f"{len(sentences)} sentences of {source}, {fmean(map(len, sentences)):.1f} words in the mean, "
        f"with each of {PARAPHRASES} paraphrases and with all of them as references",
        ours=Way(ours),
        peers={"NLTK": Way(theirs)},
        check=check,
        differs="ours writes the n-grams of a sentence once for its six scores; NLTK warns of each "
        "order without a match, which is silenced. A paraphrase has 30 % of its words changed.",
    )


def _scores(work: Sequence[Scored], score: Callable[[list[list[str]], list[str]], float]) -> list[float]:
    scores = []
    for sentence, paraphrases in work:
        scores += [score([paraphrase], sentence) for paraphrase in paraphrases]
        scores.append(score(paraphrases, sentence))
    return scores


def _paraphrases(sentence: list[str], number: int) -> list[list[str]]:
    """Return copies with words replaced, left out, doubled or in another place."""
    random = generator("benchmark of bleu", number)
    copies = []
    for _ in range(PARAPHRASES):
        copy = list(sentence)
        for kind in random.integers(4, size=round(CHANGED * len(sentence))):
            at, other = random.integers(len(copy), size=2)
            if kind == 0:
                copy[at] = f"other{other}"
            elif kind == 1:
                del copy[at]
            elif kind == 2:
                copy.insert(at, copy[other])
            else:
                copy[at], copy[other] = copy[other], copy[at]
        copies.append(copy)
    return copies
