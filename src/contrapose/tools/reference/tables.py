"""The pages of Parquet tables, one for each stage, from their schemas."""

import importlib
import pkgutil

import contrapose.tables
from contrapose.tables import TABLES, Table
from contrapose.tools.reference.markdown import begun, glossary, rows

# Each stage in the order of the workflow: what its tables hold.
STAGES = {
    "retrieve": "texts, dictionaries and test sets, as they were read",
    "corpus": "sentences, one table for each corpus",
    "generate": "texts that language models or dictionaries wrote",
    "score": "numbers about texts: similarities, perplexities, neighbours",
    "pairs": "the pairs that encoders are trained on, one table for each pair set",
    "train": "the course of each training",
    "evaluate": "the scores of each encoder, and the cosines that they were computed from",
    "report": "the cells of printed tables, and verdicts on claims",
}
# Where some of them are; words in capitals stand for names.
PATHS = {
    "retrieve": "articles.parquet",
    "corpus": "CORPUS.parquet",
    "generate": "CORPUS/LLM-promptPROMPT/paraphrases.parquet",
    "score": "neighbours/PAIRS/ENCODER/NUMBER.parquet",
    "pairs": "PAIRS.parquet",
    "train": "PAIRS/RECIPE/seedN/history.parquet",
    "evaluate": "SUITE/RUN.parquet",
}
INTRODUCTION = """# Tables

The jobs of a [stage](../../explanation/how-it-works.md#the-stages) write Parquet tables, and the next stages
read them. Contrapose checks each table when it writes and reads it: the columns, their types, the key and
missing values. Every file keeps the descriptions of its columns, and the settings and inputs that it was made
from.

Read a table with pandas, for example:

```python
import pandas as pd

pairs = pd.read_parquet("results/pairs/dropout.parquet")
```

These pages describe the columns of every table. The key of a table names the columns that are unique
together. A type that ends in `?` may have missing values.
"""

INTERVALS = rows(
    ["columns", "question", "missing"],
    [
        [
            "`ci_low`, `ci_high`",
            "How far could one score change with other test pairs?",
            "For an average over tasks, and for a mean over several seeds",
        ],
        ["`std`", "How far do the scores of single seeds lie apart?", "With one seed"],
        [
            "`difference_low`, `difference_high`",
            "How far could the difference to the baseline change with other test pairs and other seeds?",
            "Without a baseline, and where nothing is tested",
        ],
    ],
)

# What a page says after its tables.
FURTHER = {
    "report": [
        f"""
## Intervals in `cells`

The table `cells` has three kinds of intervals. Each answers another question.

{INTERVALS}

A trained method has a line for each seed, and one for the mean over its seeds, where `seed` is missing. So
`ci_low` is in the lines of single seeds, and `std` is in the line of the mean. To compare methods, use
`difference_low`, `difference_high` and `p` in the line of the mean.
[Statistics](../../explanation/statistics.md) explains them.

## The CSV file of a table

`results/tables/TABLE.csv` holds what the page of a table prints, with one line for each row. Its numbers are
texts: the mean over seeds, and after `±` the standard deviation over seeds. The Parquet file next to it has
all digits, every seed and the intervals. These are the columns of the CSV file, in this order:

| column | content |
| --- | --- |
| `catalog` | The catalog of the run |
| `group`, `model` | The heading and the label of the row; some kinds of tables have `label` instead |
| `pairs` or `sentences` | How many of them a number is made from; only in some kinds of tables |
| `STS12`, `Avg.` and so on | One column for each printed column, with its printed name |
| `STS12, published` | The number that the paper prints, after the column that it belongs to |
| `training_pairs`, `steps`, `fraction_seen` | The same as in the Parquet file; a range if seeds differ |
| `compute (LABEL = 1)` | The compute of the row, as a multiple of that of the row LABEL; with `costs: true` |
| `cpu_seconds`, `gpu_seconds`, `requests`, `tokens`, `usd` | Costs, with `costs: true`, unless all are 0 |
| `best in` | The columns in which the row is best; with `choose_among` |
| `note` | What to know about the row, for example that another encoder replaces its own |

If a printed column has the name of one of these columns, that one gets brackets, as in `steps (training)`.
"""
    ]
}


def pages() -> dict[str, str]:
    """Return {path below docs/reference/tables: page}, with a page for each stage."""
    made, listed = {}, []
    modules = {name for _, name, _ in pkgutil.iter_modules(contrapose.tables.__path__)}
    for stage, holds in STAGES.items():
        assert stage in modules, f"contrapose.tables has no module {stage}"
        module = importlib.import_module(f"contrapose.tables.{stage}")
        own = [each for each in vars(module).values() if isinstance(each, Table) and each.name in TABLES]
        listed.append([f"[{stage}]({stage}.md)", begun(holds)])
        contents = rows(
            ["table", "content"], [[f"[{each.name}](#{each.name})", each.description] for each in own]
        )
        path = f"{stage}/{PATHS[stage]}" if stage in PATHS else "tables/TABLE.parquet"
        about = f"# Tables of the stage {stage}\n\nThe tables of this stage hold {holds}.\n"
        about += f"An example is the file `results/{path}`."
        about += f"{' Words in capitals stand for names.' if path != path.lower() else ''}\n"
        parts = [contents, *map(_section, own), *FURTHER.get(stage, ())]
        made[f"{stage}.md"] = "\n".join([about + glossary("\n".join(parts)), *parts])
    return {"index.md": f"{INTRODUCTION}\n{rows(['stage', 'content of its tables'], listed)}\n", **made}


def _section(table: Table) -> str:
    """Return the columns of a table; a row of the page for each."""
    key = ", ".join(f"`{name}`" for name in table.key)
    columns = []
    for field in table.schema:
        about = (field.metadata or {}).get(b"description", b"").decode()
        optional = "?" if field.name in table.nullable else ""
        kind = str(field.type).replace("<item: ", "<").replace("<element: ", "<")
        columns.append([f"`{field.name}`", f"`{kind}{optional}`", begun(about)])
    listed = rows(["column", "type", "content"], columns)
    return f"\n## {table.name}\n\n{table.description} The key is {key}.\n\n{listed}\n"
