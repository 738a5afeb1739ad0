"""Make a PAIRS table of a file with the columns anchor and positive."""

import pandas as pd

from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import PAIRS, write_table

own = pd.read_csv(snakemake.input[0], dtype=str)
pairs = as_pairs(id=pd.Series(own.index.astype(str)), anchor=own.anchor, positive=own.positive)
write_table(pairs, snakemake.output[0], PAIRS)
