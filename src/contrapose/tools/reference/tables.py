"""The pages of Parquet tables, one for each stage, from their schemas."""

import importlib
import pkgutil
import re

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
# Where the files of each table are, below `results/`; words in capitals stand for names.
PATHS = {
    "articles": ["retrieve/articles", "retrieve/collections/COLLECTION"],
    "phrases": ["retrieve/dictionaries/DICTIONARY/phrases"],
    "rules": ["retrieve/dictionaries/DICTIONARY/rules"],
    "dictionary_lines": ["retrieve/dictionaries/DICTIONARY/lines"],
    "triplets": ["retrieve/triplets/FILE"],
    "recorded_answers": ["retrieve/recorded/LLM"],
    "benchmark": ["retrieve/benchmarks/SUITE", "retrieve/dev/TASK", "retrieve/made_pairs/SOURCE"],
    "transfer": ["retrieve/transfer"],
    "naive": ["retrieve/naive"],
    "punkt": ["corpus/punkt"],
    "draws": ["corpus/CORPUS/SHARD-of-SHARDS"],
    "segments": ["corpus/CORPUS/SHARD-of-SHARDS"],
    "sentences": ["corpus/CORPUS", "generate/CORPUS/LLM-promptPROMPT/sentences"],
    "rewrites": ["generate/rewrites/REWRITES/SHARD-of-SHARDS"],
    "completions": [
        "generate/CORPUS/LLM-promptPROMPT/completions",
        "generate/sentences/CORPUS/completions",
        "generate/synthetic/TEXTS/completions",
        "generate/backtranslation/CORPUS/TRANSLATOR/completions",
        "generate/judgements/PAIRS/LLM-promptPROMPT/completions",
        "generate/translation/LLM/SHARD-of-SHARDS/completions",
    ],
    "paraphrases": [
        "generate/CORPUS/LLM-promptPROMPT/paraphrases",
        "generate/backtranslation/CORPUS/TRANSLATOR/backtranslations",
        "generate/queries/CORPUS/WRITER/QUERIES",
        "generate/masked_words/CORPUS/FILLER/RATE-CHOICE-drawDRAW-slotsSLOTS",
    ],
    "entailments": ["generate/entailments/CORPUS/WRITER"],
    "synthetic": ["generate/synthetic/TEXTS"],
    "translations": [
        "generate/translation/seq2seq",
        "generate/translation/LLM/SHARD-of-SHARDS/translations",
        "generate/backtranslation/CORPUS/TRANSLATOR/translations",
    ],
    "replacements": ["generate/CORPUS/LLM-promptPROMPT/replacements"],
    "answers": [],  # a command writes it to a file that it is given
    "cost": ["generate/cost"],
    "perplexities": ["score/rewrites/REWRITES/SHARD-of-SHARDS"],
    "rewrite_statistics": ["score/rewrites/REWRITES/statistics-THRESHOLD"],
    "similarities": [
        "score/CORPUS/LLM-promptPROMPT/ENCODER/similarities",
        "score/pairs/PAIRS/ENCODER-similarities",
    ],
    "slot_scores": ["score/CORPUS/LLM-promptPROMPT/ENCODER/slots", "score/pairs/PAIRS/ENCODER-slots"],
    "sentence_scores": [
        "score/CORPUS/LLM-promptPROMPT/ENCODER/sentences",
        "score/pairs/PAIRS/ENCODER-sentences",
    ],
    "parascores": [
        "score/CORPUS/LLM-promptPROMPT/ENCODER/parascores",
        "score/pairs/PAIRS/ENCODER-parascores",
    ],
    "tags": ["score/grammar/CORPUS/GRAMMAR/tags"],
    "synonyms": ["score/grammar/CORPUS/GRAMMAR/synonyms"],
    "neighbours": [
        "score/neighbours/PAIRS/ENCODER/NUMBER",
        "score/neighbours/PAIRS/ENCODER/NUMBER-CORPUS",
        "score/reranked/PAIRS/ENCODER/NUMBER/CROSS_ENCODER",
    ],
    "relevance": [
        "score/relevance/PAIRS/CROSS_ENCODER",
        "score/pair_cosines/PAIRS/ENCODER",
        "score/stratified/CORPUS/ENCODER/NUMBER-DRAW",
        "generate/judgements/PAIRS/LLM-promptPROMPT",
    ],
    "pair_samples": ["score/pair_samples/PAIRS/ENCODER"],
    "detections": ["score/identification/PAIRS/IDENTIFIER"],
    "held_out": ["score/identification/PAIRS/IDENTIFIER-held_out"],
    "linguistics": ["score/linguistics/PAIRS/IDENTIFIER"],
    "deciles": ["score/linguistics/PAIRS/IDENTIFIER-tenths"],
    "pairs": ["pairs/PAIRS"],
    "history": ["train/PAIRS/RECIPE/seedN/history"],
    "cosines": ["evaluate/SUITE/RUN-cosines"],
    "text_vectors": ["evaluate/text_vectors/ENCODER"],
    "scores": [
        "evaluate/SUITE/RUN",
        "evaluate/transfer/RUN",
        "evaluate/mteb/TASKS/RUN",
        "evaluate/fine_tuned/FINE_TUNING/TASK/RUN",
    ],
    "predictions": ["evaluate/transfer/RUN-predictions"],
    "geometry": ["evaluate/geometry/RUN"],
    "length_bias": ["evaluate/length_bias/PROBE/RUN"],
    "text_similarities": ["evaluate/similarities/TABLE/RUN"],
    **{name: ["tables/TABLE"] for name in ("cells", "examples", "samples", "disagreements", "machine")},
    "claims": ["claims/STUDY"],
    "points": ["figures/FIGURE"],
}
NAMES = """
In the names of files, words in capitals stand for other names. PAIRS and RECIPE are ids, such as
`paraphrase+llm=vicuna`. CORPUS, ENCODER, LLM and most others are names of entries in `recipes.yaml` or in the
catalog. SUITE is one of the [suites](../configuration/index.md#suites). RUN is `PAIRS/RECIPE/seedN` for a
trained encoder, and `released/ENCODER/POOLING` for one without training. A stage can be split into jobs, the
shards: `0-of-2` is the first of two.
"""
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

## Where the files are

Each table has a list of its files, below the folder `results/`.
"""

ELSEWHERE = " `contrapose llm-cache export` writes it to the file that it is given."

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

AGGREGATIONS = rows(
    ["aggregation", "value"],
    [
        ["`all`", "One correlation over the pairs of all subsets together, as SimCSE does. Tables print it."],
        ["`mean`", "The mean of the correlations of the subsets, each with the same weight"],
        ["`wmean`", "The mean of the correlations of the subsets, weighted by their numbers of pairs"],
        ["name of a subset", "Only of tasks of mteb: the score of this subset"],
    ],
)

# On the pages of these stages, the column `slot` has a meaning of its own.
PLACE = """
In the tables of this page, the column `slot` is the place of a text in a list, counted from 0: the first of
five paraphrases has 0.
"""
OF_PAIRS = " In the files below `score/pairs/`, it is the slot of the pair set.\n"
SLOTS = {"generate": PLACE, "score": PLACE.rstrip() + OF_PAIRS, "report": PLACE, "retrieve": ""}
OWN_SLOTS = ("generate", "report", "retrieve")  # no slot of these pages is one of a pair set

# What a page says after its tables.
FURTHER = {
    "evaluate": [
        f"""
## Aggregations in `scores`

Some test sets have subsets, such as the sources of STS12 to STS16. The column `aggregation` says how their
pairs become one number. In a set without subsets, `all`, `mean` and `wmean` are equal.

{AGGREGATIONS}

## Influences in `scores`

The influence of a pair says how much the score changes if this pair counts a little more. Contrapose computes
standard errors and intervals from these numbers: see
[statistics](../../explanation/statistics.md#the-error-from-test-pairs).
"""
    ],
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
    ],
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
        about = f"# Tables of the stage {stage}\n\nThe tables of this stage hold {holds}. Each table has a "
        about += "list of its files. Words in capitals there stand for "
        about += "[names](index.md#where-the-files-are).\n"
        parts = [contents, *map(_section, own), *FURTHER.get(stage, ())]
        without = ("slots?",) if stage in OWN_SLOTS else ()
        words = glossary("\n".join(parts), without) + SLOTS.get(stage, "")
        made[f"{stage}.md"] = "\n".join([about + words, *parts])
    contents = rows(["stage", "content of its tables"], listed)
    return {
        "index.md": f"{INTRODUCTION}{NAMES}\n## The pages\n\n{contents}\n",
        **made,
    }


def _linked(text: str) -> str:
    """Return a description with a link for each other table, whose name it has in capitals."""
    for name in re.findall(r"\b[A-Z_]{5,}\b", text):
        for stage in STAGES:
            module = importlib.import_module(f"contrapose.tables.{stage}")
            if any(each.name == name.lower() for each in vars(module).values() if isinstance(each, Table)):
                text = text.replace(name, f"[{name.lower()}]({stage}.md#{name.lower()})")
                break
    return text


def _section(table: Table) -> str:
    """Return the columns of a table; a row of the page for each."""
    key = ", ".join(f"`{name}`" for name in table.key)
    columns = []
    for field in table.schema:
        about = _linked((field.metadata or {}).get(b"description", b"").decode())
        optional = "?" if field.name in table.nullable else ""
        kind = str(field.type).replace("<item: ", "<").replace("<element: ", "<")
        columns.append([f"`{field.name}`", f"`{kind}{optional}`", begun(about)])
    listed = rows(["column", "type", "content"], columns)
    files = [f"`results/{path}.parquet`" for path in PATHS[table.name]]
    where = (
        f" {'Its files are' if len(files) > 1 else 'Its file is'} {', '.join(files)}." if files else ELSEWHERE
    )
    return f"\n## {table.name}\n\n{table.description} The key is {key}.{where}\n\n{listed}\n"
