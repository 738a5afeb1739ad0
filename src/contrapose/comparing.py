"""A whole comparison as one call from Python, by a project of `contrapose init` and `contrapose run`."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from contrapose.base.errors import ConfigError, ContraposeError, TableError, are_missing
from contrapose.retrieve.user_pairs import USER_HEADER

STUDY = "compare"  # of a folder that `contrapose init` writes
RECORD = ".compare.json"  # of a project: what it was written for
TABLE = "results/tables/compare_pairs"
# Of a method and a test set: their names in CELLS, and here.
COLUMNS = {
    **{"model": "method", "column": "test_set", "value": "score", "std": "std", "baseline": "baseline"},
    **{"difference": "difference", "difference_low": "ci_low", "difference_high": "ci_high", "p": "p"},
    **{"in_best_set": "in_best_set", "flops": "flops", "cpu_seconds": "cpu_seconds", "usd": "usd"},
}


class Comparison(NamedTuple):
    """The results of a comparison."""

    table: pd.DataFrame  # a line for each method, test set and baseline; see `compare`
    recommendation: str
    encoder: (
        Path | None
    )  # folder that `SentenceTransformer` loads; None: keep the encoder, or no method is named
    report: Path  # one HTML file
    folder: Path  # the project, for the command line


def compare(
    encoder: str | Path | Sequence[str | Path],
    sentences: Any,
    test: Any = None,
    *,
    methods: Sequence[str] = (),
    budget: str | None = None,
    folder: str | Path = "comparison",
    dev: Any = None,
    general: Any = None,
    **config: object,
) -> Comparison:
    """Compare sources of training pairs on an encoder and sentences, by the workflow, in a folder of its own.

    The same call again continues where the last one ended, and builds nothing that is there.  With a budget
    it spends a further one, and adds seeds.

    Parameters
    ----------
    encoder : folder of an encoder, or its name on the hub; several are compared side by side
    sentences : list of str
        Or a `datasets.Dataset` or DataFrame with a column `text`, a file, or a data set of the hub.
    test : pairs to score, optional
        DataFrame, `datasets.Dataset`, or list of (sentence1, sentence2, score); or a file or data set of the
        hub, as `contrapose init --test` takes it.  None: pairs of held-out sentences, to be graded by hand.
    methods : names of methods, as the table prints them; all that need nothing more by default
    budget : time or money, such as "20min" or "5USD"
    folder : of the project; is written if it does not exist
    dev, general : as `test`: pairs that choose checkpoints, and pairs that show what the encoder forgets
    config : settings of config.yaml for this call, such as `seeds=3`

    Returns
    -------
    Comparison
        The columns of `table`: method, test_set, baseline, score (Spearman x100, mean over seeds), std (over
        seeds), difference to the baseline with ci_low and ci_high (95 %) and p (corrected), in_best_set,
        flops, cpu_seconds and usd.

    Raises
    ------
    ConfigError, TableError
        An argument is wrong, or `folder` is the project of other sentences or test pairs.
    ContraposeError
        The run ended with an error, which it printed.
    """
    from contrapose.tools.command_line import methods_setting

    project = Path(folder)
    encoders = [encoder] if isinstance(encoder, str | Path) else [*encoder]
    _prepare(project, encoders, sentences, {"test": test, "dev": dev, "general": general})
    settings = [methods_setting(methods)] if methods else []
    settings += [f"{key}={json.dumps(value)}" for key, value in config.items()]
    options = ["--directory", str(project), *(["--config", *settings] if settings else [])]
    _called("run", *(["--budget", budget] if budget else []), *options, "--", STUDY)
    _called("report", *options)
    return _found(project)


def _prepare(project: Path, encoders: Sequence[str | Path], sentences: Any, pairs: Mapping[str, Any]) -> None:
    """Write a project that does not exist; refuse one of other encoders, sentences or pairs."""
    with TemporaryDirectory() as temporary:
        texts, column = _sentence_file(sentences, Path(temporary))
        files = {"sentences": texts} | {
            name: _pair_file(value, Path(temporary, f"{name}.csv"), name)
            for name, value in pairs.items()
            if value is not None
        }
        given = _given(encoders, files)
        if project.exists():
            _check_same(project, given)
        else:
            _write(project, encoders, files, column)
            (project / RECORD).write_text(json.dumps(given), encoding="utf-8")


def _found(project: Path) -> Comparison:
    """Read the results of a finished project."""
    from contrapose.jobs.status import read_status
    from contrapose.report.recommendation import RUN, VERDICT

    file = project / f"{TABLE}.parquet"
    facts = read_status(file).facts
    cells = pd.read_parquet(file)
    means = cells[cells.seed.isna() & (cells.variant == "")]
    trained = project / f"results/train/{facts.get(RUN)}/encoder"
    return Comparison(
        means[[*COLUMNS]].rename(columns=COLUMNS).reset_index(drop=True),
        facts.get(VERDICT, ""),
        trained if trained.is_dir() else None,
        project / "results/report.html",
        project,
    )


def _write(
    project: Path, encoders: Sequence[str | Path], files: Mapping[str, str], column: str | None
) -> None:
    options = [option for name, file in files.items() for option in (f"--{name}", file)]
    options += [option for each in encoders for option in ("--encoder", str(each))]
    _called("init", *options, *(["--column", column] if column else []), str(project))


def _called(verb: str, *arguments: str) -> None:
    from contrapose.tools.child import followed

    if code := followed([sys.executable, "-m", "contrapose", verb, *arguments]):
        raise ContraposeError(
            f"contrapose {verb} ended with exit code {code}. The last lines of its output say why."
        )


def _sentence_file(sentences: Any, folder: Path) -> tuple[str, str | None]:
    """Return a file or data set of the hub with sentences, and the column of their text; None: one a line."""
    if isinstance(sentences, str | Path):
        return str(sentences), None
    if not isinstance(sentences, pd.DataFrame):
        texts = sentences["text"] if hasattr(sentences, "column_names") else sentences
        sentences = pd.DataFrame({"text": _texts(texts)})
    if "text" not in sentences:
        raise TableError(
            "sentences: the table has no column 'text'. Its columns are "
            f"{', '.join(map(str, sentences.columns))}. Rename the column of the sentences."
        )
    file = folder / "sentences.csv"
    sentences[["text"]].to_csv(file, index=False)
    return str(file), "text"


def _texts(texts: Iterable[object]) -> list[str]:
    items = list(texts)
    for number, text in enumerate(items, 1):
        if not isinstance(text, str):
            raise TableError(f"sentences: item {number} is {text!r}, but a text is expected.")
    return items  # type: ignore[return-value]


def _pair_file(pairs: Any, file: Path, name: str) -> str:
    """Return a file of scored pairs, or a data set of the hub."""
    if isinstance(pairs, str | Path):
        return str(pairs)
    if hasattr(pairs, "to_pandas"):
        pairs = pairs.to_pandas()
    if not isinstance(pairs, pd.DataFrame):
        rows = [tuple(each) for each in pairs]
        if any(len(row) != len(USER_HEADER) for row in rows):
            raise TableError(
                f"{name}: the value has another form than expected. Give a list of tuples "
                f"({', '.join(USER_HEADER)}), or a table with these columns."
            )
        pairs = pd.DataFrame(rows, columns=[*USER_HEADER])
    if lacking := [column for column in USER_HEADER if column not in pairs]:
        raise TableError(
            f"{name}: {are_missing('column', lacking)}. The table needs the columns {', '.join(USER_HEADER)}."
        )
    pairs[[*USER_HEADER]].to_csv(file, index=False)
    return str(file)


def _given(encoders: Sequence[str | Path], files: Mapping[str, str]) -> dict[str, object]:
    """Return what a project is about: names, and digests of files."""
    digests = {
        name: hashlib.sha256(Path(file).read_bytes()).hexdigest() if Path(file).is_file() else file
        for name, file in files.items()
    }
    return {"encoders": [str(each) for each in encoders], **digests}


def _check_same(project: Path, given: Mapping[str, object]) -> None:
    """Raise a ConfigError if a folder is the project of another call."""
    record = project / RECORD
    if not record.is_file():
        raise ConfigError(
            f"{project}: the folder exists, but `compare` did not create it. Name another folder."
        )
    before = json.loads(record.read_text(encoding="utf-8"))
    if differ := [name for name in {**before, **given} if before.get(name) != given.get(name)]:
        raise ConfigError(
            f"{project}: this project was created with other {', '.join(differ)}. Name another "
            "folder, or remove this one."
        )
