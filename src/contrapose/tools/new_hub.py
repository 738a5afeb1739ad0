"""Data sets of the hub as files for `contrapose init`: one split, at the commit that is found now."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import HfApi, constants

from contrapose.base.errors import ConfigError
from contrapose.settings.hub import unavailable, unreachable
from contrapose.tools.new_arguments import FORM

FILES = (".csv", ".json", ".jsonl", ".parquet", ".tsv", ".txt", ".xlsm", ".xlsx")
HUB_NAME = re.compile(
    r"(?P<name>[\w.-]+/[\w.-]+)(/(?P<part>[\w.-]+))?(@(?P<commit>[0-9a-f]{7,40}))?"
    r"(:(?P<split>[^:]*))?(:(?P<columns>.+))?"
)


class HubSplit(NamedTuple):
    """A split of a data set of the hub, as a file on this machine."""

    file: Path  # Parquet, with the wanted columns by their wanted names
    note: str  # which data set, commit, split and columns


def is_hub_name(text: str) -> bool:
    """Whether an option names a data set of the hub, not a file: there is no such file, and the form fits."""
    found = HUB_NAME.fullmatch(text)
    named_like_file = found is None or Path(found["name"]).suffix.lower() in FILES
    return not (named_like_file or text.startswith((".", "~")) or Path(text).exists())


def hub_split(text: str, option: str, names: Sequence[str], split: str, folder: Path) -> HubSplit:
    """Fetch a split of a data set of the hub into a Parquet file in `folder`.

    `names` are the columns that are wanted, and `split` the one that is read if `text`, in the form FORM,
    names none.  Columns of other names are given by `text`, as many as wanted, with commas.  A data set of
    several configurations is ORG/NAME/CONFIGURATION.

    Raises BackendError if the hub or the data set cannot be reached, and ConfigError for a split or column
    that it lacks.
    """
    from datasets import load_dataset

    found = HUB_NAME.fullmatch(text)
    assert found is not None
    name, part, split = found["name"], found["part"], found["split"] or split
    where = f"{option} {text}"
    try:
        commit = str(HfApi(constants.ENDPOINT).dataset_info(name, revision=found["commit"]).sha)
        loaded = load_dataset(name, part, revision=commit)
    except Exception as error:  # the library raises errors of many others
        advice = f"Give a file, or name a data set as {FORM}."
        lacks = "" if unreachable(error) else ", and the hub does not have it"
        raise unavailable(f"{where} is not a file on this machine{lacks}", error, advice) from error
    if split not in loaded:
        raise ConfigError(
            f"{where}: the data set has no split '{split}'. Its splits are {', '.join(loaded)}."
        )
    rows = loaded[split]
    given = found["columns"].split(",") if found["columns"] else [*names]
    if len(given) != len(names) or (missing := [each for each in given if each not in rows.column_names]):
        wanted = f"{len(names)} columns, for {', '.join(names)}" if len(given) != len(names) else missing[0]
        raise ConfigError(
            f"{where}: the option needs {wanted}, but the columns are {', '.join(rows.column_names)}. "
            f"Name the columns to use: {option} {name}:{split}:{','.join(['COLUMN'] * len(names))}"
        )
    folder.mkdir()
    file = folder / f"{name.split('/')[1]}.parquet"
    chosen = rows.select_columns(given).rename_columns(dict(zip(given, names, strict=True)))
    chosen.to_parquet(file)
    return HubSplit(file, f"{name}, commit {commit[:7]}, split {split}, columns {', '.join(given)}")
