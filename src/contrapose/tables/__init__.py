"""Every Parquet table of the project: schema, key, and checked reading and writing.

Tables are the interface between stages.  A table is checked when it is written, so that an error does not
surface three stages later.  Files are deterministic: same rows, same settings, same bytes.  Each stage's
module holds the tables that it writes; `parquet` reads and writes them.
"""

from contrapose.tables.corpus import DRAWS, PUNKT, SEGMENTS, SENTENCES
from contrapose.tables.evaluate import (
    COSINES,
    GEOMETRY,
    LENGTH_BIAS,
    PREDICTIONS,
    SCORES,
    TEXT_SIMILARITIES,
    TEXT_VECTORS,
)
from contrapose.tables.generate import (
    ANSWERS,
    COMPLETIONS,
    COST,
    ENTAILMENTS,
    PARAPHRASES,
    REPLACEMENTS,
    REWRITES,
    SYNTHETIC,
    TRANSLATIONS,
)
from contrapose.tables.pairs import PAIRS
from contrapose.tables.parquet import (
    METADATA_KEY,
    ROWS_PER_GROUP,
    Table,
    TableWriter,
    checked_arrays,
    count_rows,
    empty,
    open_table,
    read_provenance,
    read_table,
    read_tables,
    table_schema,
    write_table,
    written,
)
from contrapose.tables.report import (
    CELLS,
    CLAIMS,
    COMPARED,
    COSTS,
    DISAGREEMENTS,
    EXAMPLES,
    MACHINE,
    POINTS,
    SAMPLES,
)
from contrapose.tables.retrieve import (
    ARTICLES,
    BENCHMARK,
    DICTIONARY_LINES,
    NAIVE,
    PHRASES,
    RECORDED_ANSWERS,
    RULES,
    TRANSFER,
    TRIPLETS,
)
from contrapose.tables.score import (
    DECILES,
    DETECTIONS,
    HELD_OUT,
    LINGUISTICS,
    NEIGHBOURS,
    PAIR_SAMPLES,
    PARASCORES,
    PERPLEXITIES,
    RELEVANCE,
    REWRITE_STATISTICS,
    SENTENCE_SCORES,
    SIMILARITIES,
    SLOT_SCORES,
    SYNONYMS,
    TAGS,
)
from contrapose.tables.train import HISTORY

TABLES = {table.name: table for table in [*globals().values()] if isinstance(table, Table)}
