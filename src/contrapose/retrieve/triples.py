"""NLI triples: a premise, a sentence that follows from it, and one that cannot be true beside it.

Two file formats: SimCSE's CSV, which has such triples, and SentEval's SNLI, which has labelled pairs.
"""

import csv
import logging
from pathlib import Path

import pandas as pd

from contrapose.config.worlds import HubFile, SNLITriples, TripleSource
from contrapose.errors import TableError
from contrapose.retrieve.benchmarks import text_lines
from contrapose.retrieve.hub import check_rows, hub_file
from contrapose.tables import TRIPLES

logger = logging.getLogger(__name__)

SIMCSE_HEADER = ["sent0", "sent1", "hard_neg"]
SNLI_LABELS = ("entailment", "neutral", "contradiction")

Triple = tuple[str, str, str, str]  # id, premise, entailment, contradiction


def read_triples(source: TripleSource, data: Path | None) -> pd.DataFrame:
    """Read NLI triples from their distribution files.

    Parameters
    ----------
    source : SimCSETriples, SNLITriples or HubFile
    data : Path, optional
        The data folder; not needed for a file of the hub.

    Returns
    -------
    TRIPLES table, in the order of the files

    Raises
    ------
    TableError, BackendError
        A file cannot be read or fetched, a row is malformed, or there is no triple.
    """
    if isinstance(source, HubFile):
        files = [hub_file(source.dataset, source.file, source.revision)]
    else:
        assert data is not None
        files = [data / file for file in source.files]
    triples = snli_triples(*files) if isinstance(source, SNLITriples) else simcse_triples(*files)
    if not triples:
        raise TableError(f"{files[0]}: holds no triple. Fetch the file again.")
    if isinstance(source, HubFile):
        check_rows(len(triples), source.rows, source.file)
    return pd.DataFrame(triples, columns=TRIPLES.columns)


def simcse_triples(path: Path) -> list[Triple]:
    """Read a CSV file of triples, header `sent0,sent1,hard_neg`; texts stay as they are.

    Quotation marks are those of RFC 4180: they enclose a text with commas, and are doubled within it.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = next(rows, [])
            if header != SIMCSE_HEADER:
                raise TableError(
                    f"{path}: the header is {header}, expected {SIMCSE_HEADER}. Fetch the file again."
                )
            triples = []
            for number, row in enumerate(rows):
                if len(row) != len(SIMCSE_HEADER):
                    raise TableError(
                        f"{path}, line {rows.line_num}: {len(row)} columns, expected {SIMCSE_HEADER}. "
                        "Correct the line or fetch the file again."
                    )
                triples.append((str(number), row[0], row[1], row[2]))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: is no CSV in UTF-8 ({error}). Fetch the file again.") from error
    logger.info("%s: %d triples", path, len(triples))
    return triples


def snli_triples(*files: Path) -> list[Triple]:
    """Put labelled pairs of SNLI together as triples, one for each premise that has both kinds.

    The files are parallel, line by line: premises, hypotheses, labels.

    A premise with several entailments or contradictions gives one triple, of the first of each: SimCSE, too,
    keeps one contradiction of several, by chance (a footnote of section 4).  Premises that lack one of the
    kinds are left out, as in its file (issue 238 of its repository).  White space is one space between words,
    as SentEval reads it: in the files every sentence ends in one.
    """
    parts = [list(text_lines(file)) for file in files]
    counts = [len(part) for part in parts]
    if len(set(counts)) > 1:
        raise TableError(
            f"{', '.join(map(str, files))}: have {counts} lines, expected the same number. "
            "Fetch all of them again from one source."
        )
    first_line: dict[str, int] = {}  # of each premise
    hypotheses: dict[str, dict[str, str]] = {}  # premise: label: the first of its hypotheses
    for lines in zip(*parts, strict=True):
        premise, hypothesis, label = (" ".join(" ".join(line.fields).split()) for line in lines)
        if label not in SNLI_LABELS:
            raise TableError(
                f"{lines[2].where}: label '{label}', expected {', '.join(SNLI_LABELS)}. Fetch the file again."
            )
        first_line.setdefault(premise, lines[0].number)
        hypotheses.setdefault(premise, {}).setdefault(label, hypothesis)
    triples = [
        (str(first_line[premise]), premise, kinds["entailment"], kinds["contradiction"])
        for premise, kinds in hypotheses.items()
        if {"entailment", "contradiction"} <= kinds.keys()
    ]
    counted = (counts[0], len(hypotheses), len(triples))
    logger.info("%s: %d pairs of %d premises, %d of which have both", files[0], *counted)
    return triples
