"""The sentence splitter: NLTK's Punkt, its parameters kept as a table.

The thesis splits with `nltk.sent_tokenize`, which is Punkt with English parameters that NLTK downloads.
These are used if installed; otherwise Punkt learns its parameters from the articles, as it was designed
to (Kiss and Strunk 2006).
"""

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import nltk.data
import pandas as pd
from nltk.tokenize.punkt import PunktParameters, PunktTrainer, load_punkt_params

from contrapose.base.errors import TableError
from contrapose.corpus.article_file import Articles
from contrapose.corpus.splitting import FastPunkt
from contrapose.tables import PUNKT

logger = logging.getLogger(__name__)

Splitter = Callable[[str], list[str]]  # text -> its sentences, in order


class _OrderedTrainer(PunktTrainer):
    """Punkt's training with its word types in a fixed order, not in the order of a set.

    Whether a type counts as an abbreviation may depend on those seen before it.
    """

    def _unique_types(self, tokens: list) -> list[str]:
        return sorted(super()._unique_types(tokens))


def punkt_parameters(articles: Articles | None, n: int) -> tuple[pd.DataFrame, str]:
    """Return a PUNKT table, sorted, and its origin: `punkt_tab`, `trained on N articles` or `untrained`.

    Without NLTK's `punkt_tab`, Punkt is trained on the first `n` articles; in a catalog without articles
    (None) it knows no abbreviations.  Training needs about 270 bytes of memory per word of these articles.
    Raises TableError if the articles are empty.
    """
    try:
        return installed_parameters(nltk.data.find("tokenizers/punkt_tab/english/")), "punkt_tab"
    except LookupError:
        if articles is None:
            return parameter_table(PunktParameters()), "untrained"
        used = min(n, len(articles))
        if not used:
            raise TableError(
                "articles: the files contain no articles, so the sentence splitter cannot be "
                "trained. Check `articles` in the catalog file."
            ) from None
        trainer = _OrderedTrainer()
        # An empty line between articles is a paragraph break to Punkt.
        trainer.train("\n\n".join(articles[number][1] for number in range(used)))
    return parameter_table(trainer.get_params()), f"trained on {used} articles"


def installed_parameters(folder: str | Path) -> pd.DataFrame:
    """Return the parameters in a language's folder of NLTK's `punkt_tab` as a PUNKT table."""
    return parameter_table(load_punkt_params(nltk.data.FileSystemPathPointer(str(folder))))


def parameter_table(parameters: PunktParameters) -> pd.DataFrame:
    """Arrange Punkt's parameters as a PUNKT table, sorted by kind, token and second token."""
    rows = [("abbreviation", token, "", 0) for token in parameters.abbrev_types]
    rows += [("collocation", first, second, 0) for first, second in parameters.collocations]
    rows += [("starter", token, "", 0) for token in parameters.sent_starters]
    # Punkt treats a missing context like an unseen type.
    rows += [("orthography", token, "", flags) for token, flags in parameters.ortho_context.items() if flags]
    table = pd.DataFrame(sorted(rows), columns=PUNKT.columns).astype({"flags": "int32"})
    logger.info("sentence splitter: %s", table.groupby("kind").size().to_dict())
    return table


def splitter(table: pd.DataFrame) -> Splitter:
    """Return what splits a text into its sentences, as a PUNKT table describes.

    The sentences are substrings in order; white space between them is lost, white space within them is kept.
    """
    tokens = dict(iter(table.groupby("kind")))
    none = table.iloc[:0]
    parameters = PunktParameters()
    parameters.abbrev_types = set(tokens.get("abbreviation", none).token)
    collocations = tokens.get("collocation", none)
    parameters.collocations = set(zip(collocations.token, collocations.second, strict=True))
    parameters.sent_starters = set(tokens.get("starter", none).token)
    orthography = tokens.get("orthography", none)
    # A Counter, as Punkt's own default dictionary grows with every word looked up.
    parameters.ortho_context = Counter(
        dict(zip(orthography.token, map(int, orthography["flags"]), strict=True))
    )
    return FastPunkt(parameters).tokenize
