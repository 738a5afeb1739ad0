"""NLI triples: a premise, a sentence that follows from it, and one that contradicts it.

File formats: SimCSE's CSV, which has such triples, or pairs alone; SentEval's SNLI and JSNLI, of labelled
pairs; those of two libraries, see `contrapose.retrieve.libraries`.
"""

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import RootModel

from contrapose.errors import TableError, shown
from contrapose.retrieve.hub import check_rows, hub_file
from contrapose.retrieve.libraries import Triple, column_triples, query_triples
from contrapose.retrieve.lines import (
    PROJECT,
    Fields,
    need_columns,
    parallel_lines,
    spaced,
    table_rows,
    text_lines,
)
from contrapose.settings.worlds import HubFile, JSNLITriples, SNLITriples, TripleSource
from contrapose.steps import DataFolder, Project, Rows, planned
from contrapose.tables import TRIPLES
from contrapose.tasks import NLI_CLASSES

logger = logging.getLogger(__name__)

SIMCSE_HEADERS = (["sent0", "sent1", "hard_neg"], ["sent0", "sent1"])  # as SimCSE's train.py takes them


Triples = RootModel[TripleSource]


@planned
def plan(project: Project, source: str) -> Triples:
    return Triples(project.entry("triple_files", source).model_copy(update={"note": ""}))


def build(spec: Triples, data: DataFolder) -> Annotated[pd.DataFrame, Rows(TRIPLES)]:
    """Read NLI triples."""
    return read_triples(spec.root, data)


def read_triples(source: TripleSource, data: Path | None) -> pd.DataFrame:
    """Read NLI triples in the order of their distribution files.

    A file of the hub, or below the project, needs no data folder.  Raises TableError or BackendError if a
    file cannot be read or fetched, a row is malformed, or there is no triple.
    """
    if isinstance(source, HubFile):
        files = [hub_file(source.dataset, source.file, source.revision)]
    else:
        files = [Path(file) if file.startswith(PROJECT) else (data or Path()) / file for file in source.files]
    if isinstance(source, SNLITriples):
        triples = paired_triples(snli_pairs(*files))
    elif isinstance(source, JSNLITriples):
        triples = paired_triples(jsnli_pairs(*files))
    else:
        triples = READERS[source.kind](*files)
    if not triples:
        raise TableError(f"{files[0]}: contains no triple. Fetch the file again.")
    if isinstance(source, HubFile):
        check_rows(len(triples), source.rows, source.file)
    return pd.DataFrame(triples, columns=TRIPLES.columns)


def simcse_triples(path: Path) -> list[Triple]:
    """Read a CSV file of triples, header `sent0,sent1,hard_neg`, or of pairs, `sent0,sent1`.

    Texts are not changed; pairs have no negative.
    """
    triples = [
        Triple(str(line.number), 0, line.fields[0], line.fields[1], line.fields[2:])
        for line in table_rows(path, SIMCSE_HEADERS)
    ]
    logger.info("%s: %d triples", path, len(triples))
    if blank := sum(not (first.strip() and second.strip()) for _, _, first, second, *_ in triples):
        logger.warning("%s: %d of them with an empty sent0 or sent1, which stay", path, blank)
    return triples


def snli_pairs(*files: Path) -> Iterator[Fields]:
    """Read SNLI as SentEval has it: parallel files, line by line, of premises, hypotheses and labels.

    White space becomes one space between words, as in SentEval: in the files every sentence ends in a space.
    """
    for lines in parallel_lines(files):
        premise, hypothesis, label = (spaced(" ".join(line.fields)) for line in lines)
        yield lines[-1], premise, hypothesis, label


def jsnli_pairs(file: Path) -> Iterator[Fields]:
    """Read JSNLI: tab-separated lines of label, premise and hypothesis, with blanks between Japanese words.

    The blanks are removed, also between words of another script, as they cannot be told apart.
    """
    for line in text_lines(file):
        need_columns(line, (3,), "label, premise, hypothesis")
        label, premise, hypothesis = ("".join(field.split()) for field in line.fields)
        yield line, premise, hypothesis, label


def paired_triples(pairs: Iterable[Fields]) -> list[Triple]:
    """Put labelled pairs together as triples, one for each premise that has both kinds.

    A premise with several entailments or contradictions gives one triple, with the first of each: SimCSE also
    keeps one of several contradictions, at random (a footnote in section 4).  Premises that lack one of the
    kinds are left out, as in its file (issue 238 of its repository).
    """
    first_line: dict[str, int] = {}  # of each premise
    hypotheses: dict[str, dict[str, str]] = {}  # premise: label: the first of its hypotheses
    count = 0
    for line, premise, hypothesis, label in pairs:
        count += 1
        if label not in NLI_CLASSES:
            raise TableError(
                f"{line.where}: label {shown(label)}, expected {', '.join(NLI_CLASSES)}. "
                "Fetch the file again."
            )
        first_line.setdefault(premise, line.number)
        hypotheses.setdefault(premise, {}).setdefault(label, hypothesis)
    triples = [
        Triple(str(first_line[premise]), 0, premise, kinds["entailment"], [kinds["contradiction"]])
        for premise, kinds in hypotheses.items()
        if {"entailment", "contradiction"} <= kinds.keys()
    ]
    logger.info("%d pairs of %d premises, %d of which have both", count, len(hypotheses), len(triples))
    return triples


READERS = {
    "simcse": simcse_triples,
    "hub": simcse_triples,
    "sentence-transformers": column_triples,
    "flag-embedding": query_triples,
}
