"""Our Punkt beside NLTK's, on texts that nobody would write."""

from random import Random

import pytest
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from contrapose.corpus.splitting import FastPunkt

WORDS = [
    *("word", "Word", "lund", "Lund", "Dr", "dr", "e.g", "U.S", "J", "J", "J", "j", "ß", "ΟΔΟΣ", "İz"),
    *("e\u0301", "日本", "1990", "3,5", "-7", "2020s", "a-dr", "It", "it", "no", "", "_", "²", "٣"),
]
MARKS = [*".......??!,;:", "..", "...", ". . .", ".\xa0. .", "?!", ".--", "…", "%", ""]
AROUND = [*"\"')]}([{`«»’‘“”*@", *[""] * 20]
BLANKS = [*[" "] * 20, "", "\n", "\n\n", "\r\n", "\t", "\xa0", "\u2028", "\x85", "\x1c", "\x1f", "  "]
TYPES = [*sorted({word.lower() for word in WORDS} - {""}), "##number##", ".", "..", ",", "u.s.", '"', "?"]


def ugly_text(random: Random) -> str:
    pieces = [random.choice(BLANKS)]
    for _ in range(random.randrange(10)):
        pieces += map(random.choice, (AROUND, WORDS, MARKS, AROUND, BLANKS))
    return "".join(pieces)


def any_parameters(random: Random) -> PunktParameters:
    """Draw parameters that no training gives, of what the texts have."""
    share = random.random()
    made = PunktParameters()
    made.abbrev_types = {type for type in TYPES if random.random() < share}
    made.collocations = {(one, two) for one in TYPES for two in TYPES if random.random() < share / 4}
    made.sent_starters = {type for type in TYPES if random.random() < share}
    # Six flags, from bit 1 on; were half of them set, few types would never have been seen in lower case.
    made.ortho_context.update({type: (random.getrandbits(6) & random.getrandbits(6)) << 1 for type in TYPES})
    return made


@pytest.mark.parametrize("seed", range(10))
def test_any_parameters_give_the_sentences_of_nltk(seed):
    random = Random(seed)
    parameters = any_parameters(random)
    ours, nltk = FastPunkt(parameters), PunktSentenceTokenizer(parameters)
    for _ in range(60):
        text = ugly_text(random)
        assert ours.tokenize(text) == nltk.tokenize(text), text
