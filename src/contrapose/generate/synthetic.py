"""Put the shards of synthetic texts together."""

from typing import Annotated

import pandas as pd

from contrapose.generate.seq2seq import FilesAlone
from contrapose.steps import Rows
from contrapose.tables import SYNTHETIC


def build(
    spec: FilesAlone, texts: Annotated[pd.DataFrame, Rows(SYNTHETIC)]
) -> Annotated[pd.DataFrame, Rows(SYNTHETIC)]:
    """Return the texts of all shards."""
    return texts
