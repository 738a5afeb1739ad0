"""The parts of speech of the words of English sentences, and synonyms of these words."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
from tqdm import tqdm

from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import DataFolder, Outputs, planned
from contrapose.retrieve.data_files import below
from contrapose.retrieve.grammar_files import GrammarFiles, perceptron_tagger, verb_bases, wordnet_synonyms
from contrapose.settings.plan import Plan
from contrapose.tables import ROWS_PER_GROUP, SYNONYMS, TAGS

if TYPE_CHECKING:
    from nltk.tag import PerceptronTagger

logger = logging.getLogger(__name__)

# Tags of the Penn Treebank whose words may stand in WordNet as they are, without names: WordNet's class.
WORD_CLASS = {"NN": "n", "NNS": "n", "VB": "v", "VBP": "v", "JJ": "a", "RB": "r"}
INFLECTED = ("VBZ", "VBD")  # verbs in the third person or the past tense
Seen = set[tuple[str, str]]  # word and tag


@planned
def plan(project: Plan, corpus: str, grammar: str) -> GrammarFiles:
    """Return the files of a tagger and of WordNet."""
    return project.source("grammars", grammar)


def build(
    spec: GrammarFiles, sentences: Sentences, data: DataFolder
) -> Annotated[tuple, Outputs(tags=TAGS, synonyms=SYNONYMS)]:
    """Tag the words of each sentence, and look up the synonyms of all of them afterwards."""
    folder, seen = below(spec.path, data), Seen()
    return tagged(sentences, folder, seen), synonyms_of(seen, folder)


def tagged(sentences: pd.DataFrame, folder: Path, seen: Seen) -> Iterator[pd.DataFrame]:
    """Yield TAGS of some sentences at a time, and put the words and their tags into `seen`."""
    tagger, base = perceptron_tagger(folder), verb_bases(folder)
    with tqdm(total=len(sentences), desc="tagging", unit=" sentences", mininterval=5, delay=5) as progress:
        for start in range(0, len(sentences), ROWS_PER_GROUP):
            some, rows = sentences.iloc[start : start + ROWS_PER_GROUP], []
            for sentence, text in zip(some.id, some.text, strict=True):
                words, tags = tagged_words(tagger, text)
                seen.update(zip(words, tags, strict=True))
                lower = [word.lower() for word in words]
                bases = [
                    base(word) if tag in INFLECTED else word for word, tag in zip(lower, tags, strict=True)
                ]
                rows.append((sentence, *map(" ".join, (words, tags, bases))))
            progress.update(len(some))
            yield pd.DataFrame(rows, columns=TAGS.columns, dtype="str")


def tagged_words(tagger: "PerceptronTagger", text: str) -> tuple[list[str], list[str]]:
    """Return the words of a sentence as they are written, split as in the Penn Treebank, and their tags."""
    from nltk.tokenize import NLTKWordTokenizer

    plain = text.replace("\u2019", "'")  # `isn't` is split at a typewriter's apostrophe only
    tokens, spans = NLTKWordTokenizer().tokenize(plain), NLTKWordTokenizer().span_tokenize(plain)
    return [text[start:end] for start, end in spans], [tag for _, tag in tagger.tag(tokens)]


def synonyms_of(seen: Seen, folder: Path) -> Iterator[pd.DataFrame]:
    """Yield SYNONYMS of the words that are in WordNet as they are, with a capital letter where they have one.

    A word with a capital is looked up with it, then without.  Inflected forms are not in WordNet.
    """
    known = wordnet_synonyms(folder)
    rows = []
    for word, tag in sorted(seen):
        word_class = WORD_CLASS.get(tag, "")
        others = known.get((word, word_class)) or known.get((word.lower(), word_class)) or []
        if word[0].isupper():
            others = [each[0].upper() + each[1:] for each in others]
        if others:
            rows.append((word, tag, others))
    logger.info("%d of %d words with their tags have synonyms", len(rows), len(seen))
    yield pd.DataFrame(rows, columns=SYNONYMS.columns)
