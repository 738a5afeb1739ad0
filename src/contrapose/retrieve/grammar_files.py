"""A part-of-speech tagger and WordNet in the files that NLTK distributes."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from contrapose.base.errors import AGAIN, TableError
from contrapose.retrieve.data_files import BELOW, missing_file
from contrapose.settings.plan import Plan
from contrapose.settings.spec import PathText, Spec

if TYPE_CHECKING:
    from nltk.tag import PerceptronTagger

TAGGER = "taggers/averaged_perceptron_tagger_eng/averaged_perceptron_tagger_eng.{}.json"
TAGGER_PARTS = ("weights", "tagdict", "classes")
WORDNET = "corpora/wordnet"
WORD_CLASSES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}  # ends of WordNet's file names, its letters
# Ends of a verb and of its base form, in the order of WordNet's manual (morphy, 7WN).
VERB_ENDINGS = [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", "")]


class GrammarFiles(Spec):
    """These are an English part-of-speech tagger and WordNet, as NLTK distributes them."""

    kind: Literal["nltk"] = Field("nltk", description="The folder has the layout of NLTK's data.")
    path: PathText = Field(
        "./nltk_data",
        description=f"This is a folder {BELOW}. It has `taggers/averaged_perceptron_tagger_eng` and "
        "`corpora/wordnet`, unpacked. While a file is missing, methods that need it are "
        "skipped.",
    )

    @property
    def files(self) -> list[str]:
        data = [f"{WORDNET}/data.{each}" for each in WORD_CLASSES]
        wordnet = [*data, f"{WORDNET}/index.verb", f"{WORDNET}/verb.exc"]
        return [f"{self.path}/{each}" for each in (*map(TAGGER.format, TAGGER_PARTS), *wordnet)]

    def lacking(self, project: Plan, name: str) -> str:
        return missing_file(project, self.files)


def perceptron_tagger(folder: Path) -> "PerceptronTagger":
    """Read NLTK's tagger, which its own reader opens only below the folders that NLTK searches."""
    from nltk.tag import PerceptronTagger

    files = [folder / TAGGER.format(part) for part in TAGGER_PARTS]
    return PerceptronTagger.decode_json_obj([_json(file) for file in files])


def _json(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TableError(f"{file}: the file is not JSON ({error}). {AGAIN}") from error


def wordnet_synonyms(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return {(word, class): the other words of its synsets}, sorted; the class is n, v, a or r.

    Words are written as in WordNet, with blanks for `_`.  About 200 MB for WordNet 3.0.
    """
    synonyms = defaultdict[tuple[str, str], set[str]](set)
    for ending, word_class in WORD_CLASSES.items():
        for fields in _rows(folder / WORDNET / f"data.{ending}"):
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            # An adjective may end in a mark of its place, such as `(p)`.
            names = [word.partition("(")[0].replace("_", " ") for word in words]
            for name in names:
                synonyms[name, word_class].update(each for each in names if each.lower() != name.lower())
    return {key: sorted(others) for key, others in synonyms.items() if others}


def verb_bases(folder: Path) -> Callable[[str], str]:
    """Return a function that gives the base form of a verb in the present or past tense, in lower case.

    By WordNet's list of irregular forms, else the first of its endings that leads to one of its verbs; a verb
    that it does not know is its own base.
    """
    verbs = {fields[0] for fields in _rows(folder / WORDNET / "index.verb")}
    irregular = {fields[0]: fields[1] for fields in _rows(folder / WORDNET / "verb.exc")}

    def base(form: str) -> str:
        ends = (form.removesuffix(old) + new for old, new in VERB_ENDINGS if form.endswith(old))
        return irregular.get(form) or next((each for each in ends if each in verbs), form)

    return base


def _rows(file: Path) -> Iterator[list[str]]:
    """Yield the fields of each line of one of WordNet's files, without its licence, which is indented."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.startswith(" "):
                if len(fields := line.split()) < 2:
                    raise TableError(
                        f"{file}, line {number}: the line does not have the format of WordNet. {AGAIN}"
                    )
                yield fields
