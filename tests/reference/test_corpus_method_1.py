"""Method 1 once more, as the thesis tells it: one loop, NLTK itself, nothing cached, no shards."""

import math

import nltk
import pandas as pd
import pytest
from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

from contrapose.corpus.draw import CorpusDraws, drawn_sentences, random_picks
from contrapose.corpus.punkt_parameters import parameter_table, splitter
from contrapose.corpus.sample import corpus_sentences

SUBJECTS = ["The old mill", "Dr. Ada Lund", "A band from St. Olaf", "Its second church", "Mr. Okafor's river"]
ENDINGS = [
    "was built near the harbour in 1904 by two brothers from the north of the country.",
    "burned down.",
    "has approx. 40 members (est. 1999), who play in the town hall on every second Sunday of the month!",
    "is, as many writers of the time have said, " + "very " * 45 + "old.",
    "won the prize of the district again, ahead of Prof. Olsen and the others, didn't it?",
]
TEXTS = [
    "\n\n".join(
        f"Section {i}\n{SUBJECTS[(i + n) % 5]} {ENDINGS[(i * n + i) % 5]} "
        f"{SUBJECTS[i % 5]} {i + n} {ENDINGS[i % 5]}"
        for i in range(n)
    )
    for n in (3, 6, 9, 14, 25)
]


def as_the_thesis_says(tokenizer, articles, shares, size, glue):
    corpus = []
    for number, share in zip(articles, shares, strict=True):
        if len(corpus) == size:
            break
        text = TEXTS[number]
        while "\n\n" in text:
            text = text.replace("\n\n", "\n")
        sentences = tokenizer.tokenize(text.replace("\n", glue))
        if len(sentences) < 10:
            continue
        first_part = sentences[: math.floor(0.6 * len(sentences) + 1e-9)]
        sentence = first_part[int(share * len(first_part))]
        if 10 <= len(nltk.word_tokenize(sentence, preserve_line=True)) <= 50 and sentence not in corpus:
            corpus.append(sentence)
    return corpus


@pytest.mark.parametrize(("line_breaks", "glue"), [("space", " "), ("delete", "")])
@pytest.mark.parametrize("shards", [1, 3])
def test_method_1_gives_the_sentences_of_the_plain_loop(line_breaks, glue, shards):
    trainer = PunktTrainer("\n\n".join(TEXTS))
    tokenizer = PunktSentenceTokenizer(trainer.get_params())
    spec = CorpusDraws(method=1, seed=3, line_breaks=line_breaks, draws=400, size=20)
    picks = random_picks(len(TEXTS), spec)
    expected = as_the_thesis_says(tokenizer, *picks, 20, glue)
    assert len(expected) == 20

    numbered = [(str(number), text) for number, text in enumerate(TEXTS)]
    split = splitter(parameter_table(trainer.get_params()))
    parts = [drawn_sentences(numbered, split, spec, shard, shards) for shard in range(shards)]
    sentences, rejected = corpus_sentences(pd.concat(parts), spec)
    assert list(sentences.text) == expected
    assert set(rejected) >= {"fewer than 10 sentences", "fewer words than 10", "duplicate"}
