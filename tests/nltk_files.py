"""A tagger and a WordNet of a few words in NLTK's folder, in the original formats."""

import json
import random
from collections import defaultdict
from pathlib import Path

from nltk.tag import PerceptronTagger

from contrapose.retrieve.grammar_files import TAGGER, TAGGER_PARTS, WORDNET

TAGGED = """
The/DT dog/NN sleeps/VBZ ./.
The/DT cats/NNS sleep/VBP all/DT day/NN ./.
A/DT big/JJ dog/NN is/VBZ not/RB fast/JJ ./.
She/PRP has/VBZ left/VBN the/DT house/NN ./.
He/PRP lost/VBD his/PRP$ big/JJ cats/NNS ./.
He/PRP is/VBZ n't/RB here/RB ,/, is/VBZ he/PRP ?/.
They/PRP said/VBD ``/`` we/PRP can/MD run/VB ''/'' ./.
The/DT cat/NN runs/VBZ quickly/RB and/CC the/DT dog/NN is/VBZ big/JJ ./.
"""
# Each synset: class, words.
SYNSETS = [
    *[("n", "dog domestic_dog Canis_familiaris"), ("n", "cat true_cat"), ("n", "cat guy bozo"), ("n", "day")],
    *[("v", "sleep kip slumber"), ("v", "lose"), ("v", "run"), ("v", "hope"), ("v", "hop"), ("v", "try")],
    *[("v", "watch"), ("v", "be"), ("v", "go"), ("v", "have"), ("v", "leave")],
    *[("a", "big(p) large(a) bigger"), ("s", "fast quick"), ("r", "quickly rapidly"), ("r", "not non")],
]
IRREGULAR = {"lost": "lose", "went": "go", "hopped": "hop", "has": "have", "left": "leave"}
LICENCE = "  1 A WordNet of a few words for tests.  \n"
# Pointers and verb frames: a satellite is similar to the first adjective.
POINTERS = {"s": f"001 & {len(LICENCE):08} a 0000", "v": "000 00"}
ENDINGS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def nltk_files(data: Path) -> Path:
    """Write the files below a folder as NLTK's downloader does, and return it."""
    trained = [[tuple(each.rsplit("/", 1)) for each in line.split()] for line in TAGGED.split("\n") if line]
    tagger = PerceptronTagger(load=False)
    random.seed(1)
    tagger.train(trained, nr_iter=8)
    for part, content in zip(TAGGER_PARTS, tagger.encode_json_obj(), strict=True):
        _written(data / TAGGER.format(part), json.dumps(content))
    for letter, ending in ENDINGS.items():
        lines, index = [LICENCE], defaultdict[str, list[int]](list)
        for kind, words in SYNSETS:
            if letter == kind or (letter, kind) == ("a", "s"):
                offset = sum(map(len, lines))
                names = words.split()
                listed = " ".join(f"{name} 0" for name in names)
                words = f"{kind} {len(names):02x} {listed}"
                lines.append(f"{offset:08} 00 {words} {POINTERS.get(kind, '000')} | see it  \n")
                for name in names:
                    index[name.partition("(")[0].lower()].append(offset)
        _written(data / WORDNET / f"data.{ending}", "".join(lines))
        found = [
            f"{name} {letter} {len(at)} 0 {len(at)} 0 {' '.join(f'{each:08}' for each in at)}  \n"
            for name, at in sorted(index.items())
        ]
        _written(data / WORDNET / f"index.{ending}", "".join([LICENCE, *found]))
        irregular = IRREGULAR if letter == "v" else {}
        _written(data / WORDNET / f"{ending}.exc", "".join(f"{a} {b}\n" for a, b in irregular.items()))
    _written(data / WORDNET / "lexnames", "00\tall\t0\n")
    _written(data / WORDNET / "index.sense", "")
    return data


def _written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
