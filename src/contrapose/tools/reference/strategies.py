"""The page of strategies: their settings classes, a file of facts, and the tables of examples/evidence."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import yaml

from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.tools.reference.configuration import summary
from contrapose.tools.reference.markdown import glossary, rows

FACTS = Path(__file__).with_name("strategies.yaml")
# Tables of scores, by what the encoder knows: all-MiniLM-L6-v2, and the same after masked language modelling.
TABLES = {
    "released": "examples/evidence/reference/cpu/evidence_released_914.md",
    "erased": "examples/evidence/reference/cpu/evidence_unlearned_914.md",
}
STUDY = "examples/wiki/config/studies/compare/study.yaml"
RECIPES = "examples/wiki/config/recipes.yaml"
FACT_TITLES = {"base": "Base pairs", "needs": "Needs", "cost": "Cost", "paper": "Paper"}
INTRODUCTION = f"""# Strategies

Most training methods differ in where their training pairs come from. This is the *strategy* of a method.
This page has an entry for each strategy: an example, what it needs, how to switch it on, its costs and its
results. Some methods change the training and not the pairs. They are settings of a recipe, and have an entry,
too.

## How to switch a method on

A method is a line in the list `rows` of a table. The line names a pair set and a recipe. Three steps add a
method to your project, whose folder is called `mine` here:

1. Copy the entries **under `pairs`** into the section `pairs` of `mine/config/recipes.yaml`, unless it has
   them. Entries under another section, such as `synthetic`, belong into that section.
2. Copy the entry **Row** into the list `rows` in `mine/config/studies/compare/study.yaml`, after a dash.
3. Run `contrapose run --directory mine -- compare`. Only the new method is trained.

For example, these lines add TSDAE, which `contrapose init` does not write:

```yaml
# mine/config/recipes.yaml; contrapose init has written this pair set, because word deletion uses it
pairs:
  deletion: {{kind: deletion, corpus: sentences, slots: 5}}

# mine/config/studies/compare/study.yaml
tables:
  pairs:
    rows:
      - {{model: TSDAE, pairs: deletion+rate=0.6, recipe: compare+loss=tsdae+steps=1000}}
```

With `steps=1000`, TSDAE is trained for longer than the other methods. To compare methods at equal length,
raise `steps` in the recipe `compare` instead.

The lines on this page are those that `contrapose init` writes, except for TSDAE, Queries, Margins and
RankCSE, which it does not write. Two of their keys need an explanation:

- `resample_per_seed: true`: each seed chooses the random words or places anew, so that the standard deviation
  over seeds includes this chance. Strategies without random choices do not have the key.
- `grid: *rates`: three learning rates, which the line of Dropout defines once as `&rates`. With
  `--config search=true`, each method is trained with all of them, and dev pairs select one. Otherwise the key
  has no effect. Leave it out in a table that has no `&rates`.

A method that changes the training and not the pairs has its settings in the name of its recipe, after `+`. So
`compare+guide=mine` is the recipe `compare` with the key `guide`. `contrapose init` writes a project with
most of these entries. The project [`examples/wiki`](../../examples/wiki/README.md) has them, too: see its
[`recipes.yaml`](../../{RECIPES}) and its
[`study.yaml`](../../{STUDY}).
In all entries, these names stand for entries of your own project:

- `sentences` is the corpus, and `compare` is the recipe.
- `mine` is the encoder that is trained. `teacher`, `reranker` and `bert` are other encoders of the catalog.
- `writer` and `judge` are chat models of the catalog, under `llms`. With the key `lm`, `writer` is a model
  under `language_models`.

## All methods

The column *needs* says what a method needs besides the encoder. `contrapose init` adds nearly all of these
methods, and each run trains those whose input exists.

Ten methods need only sentences, so they always run: Dropout, word deletion, span crop, word repetition,
ESimCSE, punctuation, prefix, word shuffling, ConSERT and MixCSE. TSDAE also needs only sentences, but it is
not in a new project, because it needs longer trainings. Add its line to train it. Model soup and weight
interpolation run as well, and train nothing: they average encoders that Dropout has trained.

"""
READING = """
To add a strategy of your own, see [Add a method of your own](../how-to/add-a-method.md).

## How to read an entry

The **examples** change this sentence of Wikipedia:

> In 2007, he joined the French Pro A League club SLUC Nancy.

**Results of papers** are Spearman ×100, averaged over seven STS sets, unless the text says something else.
SimCSE has 76.25 with BERT-base there. Only numbers of one table can be compared.

**Our results** are gains over no training, in points of Spearman ×100. Brackets are 95 % confidence intervals
over test pairs and five seeds. The training data are 914 sentences of Wikipedia, and training has 60 steps of
64 pairs. The *released* encoder is all-MiniLM-L6-v2 as its authors published it. The *erased* encoder is the
same one after 2,000 steps of masked language modelling, in which it
[forgot most of its similarity](../explanation/glossary.md#similarity-erased). The compute of a training is
compared with that of dropout. An entry without a result was not measured on these sentences.

All results on this page are those of run B, which has 15 methods and ran on CPUs. They are averages over five
test sets: STS12, STS13, STS15, STS-B, and the train and trial pairs of SICK-R. The learning rate is 3e-5 for
the released encoder and 1e-4 for the erased one. The intervals come from an older version of the tests. Some
of them are up to twice as wide as those of today's tests would be.

The tables of the [README](../../README.md#the-findings-in-detail) and of the
[findings](../explanation/findings.md) have numbers of the same run. Numbers of an earlier run, run A, are in
[The findings in detail](../explanation/findings-details.md#run-a-a-check-of-run-b). They are averages over
four test sets, so do not compare them with those here.

Most other methods were trained with 16 steps on 300 or 100 of the sentences. [A table of
examples/laptop](../../examples/laptop/results.md#the-released-encoder-with-29-methods) sums them up.
"""


def page(home: Path) -> str:
    """Return the page; `home` is the root of the repository."""
    groups = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    results = {encoder: measured(home / file) for encoder, file in TABLES.items()}
    example = _Example.of(home)
    listed = [
        [f"[{method['name']}](#{_anchor(method['name'])})", method["in_short"], _settings(method)]
        for methods in groups.values()
        for method in methods
    ]
    parts = [INTRODUCTION + rows(["method", "needs", "settings"], listed) + "\n" + READING]
    for group, methods in groups.items():
        parts.append(f"\n## {group}\n")
        for method in methods:
            parts += _method(method, results, example)
    parts[0] += glossary("\n".join(parts))
    return "\n".join(parts).rstrip() + "\n"


# Which section of recipes.yaml has the entry that a key of a pair set names.
SECTIONS = {"corpus": "corpora", "texts": "synthetic", "rewrites": "rewrites"}
COMMON = "sentences"  # the corpus of all entries


class _Example(NamedTuple):
    """The project that shows how to switch methods on."""

    recipes: Mapping[str, Any]  # the content of its recipes.yaml
    rows: Mapping[str, Mapping[str, Any]]  # by label
    written: Mapping[str, str]  # the same, as in the file

    @classmethod
    def of(cls, home: Path) -> Self:
        recipes, study = (yaml.safe_load((home / file).read_text("utf-8")) for file in (RECIPES, STUDY))
        rows_of_table = study["tables"]["pairs"]["rows"]
        first = (home / STUDY).read_text("utf-8").split("    rows:\n")[1]
        lines = re.findall(r"(?m)^      - (\{.*\})(?:  #.*)?$", first)[: len(rows_of_table)]
        written = {row["model"]: line for row, line in zip(rows_of_table, lines, strict=True)}
        return cls(recipes, {row["model"]: row for row in rows_of_table}, written)

    def lines(self, method: Mapping[str, Any]) -> Iterator[str]:
        """Yield the entries of recipes.yaml, by section, and the row that switch a method on."""
        row = self.rows[method["use"]] if "use" in method else method["row_of_table"]
        names = dict.fromkeys([*method.get("also", []), row["pairs"].partition("+")[0]])
        pairs = {name: {**self.recipes["pairs"], **method.get("pairs", {})}[name] for name in names}
        shown: dict[str, dict[str, Any]] = {}
        for one in pairs.values():
            for key, section in SECTIONS.items():
                if key in one and one[key] != COMMON:
                    shown.setdefault(section, {})[one[key]] = self.recipes[section][one[key]]
        shown["pairs"] = pairs
        if (recipe := row["recipe"].partition("+")[0]) != "compare":
            shown["recipes"] = {recipe: self.recipes["recipes"][recipe]}
        for section, entries in shown.items():
            written = ", ".join(f"`{name}: {_flow(one)}`" for name, one in entries.items())
            yield f"- **Under `{section}`**: {written}"
        yield f"- **Row**: `{self.written[method['use']] if 'use' in method else _flow(row)}`"


def _flow(entry: object) -> str:
    return yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=1000).strip()


def _anchor(name: str) -> str:
    kept = "".join(each for each in name.lower() if each.isalnum() or each in " _-")
    return kept.strip().replace(" ", "-")


def _method(
    method: Mapping[str, Any], results: Mapping[str, Mapping[str, Mapping[str, str]]], project: _Example
) -> Iterator[str]:
    kind = method.get("kind")
    yield f"\n### {method['name']}\n"
    about = [method.get("about") or summary(settings_class(STRATEGIES[kind]))] if kind else []
    yield " ".join([*about, *filter(None, [method.get("text")])]) + "\n"
    if example := method.get("example"):
        yield f"> {example}\n"
    yield f"- **Settings**: {_settings(method)}."
    if "use" in method or "row_of_table" in method:
        yield from project.lines(method)
    for fact, title in FACT_TITLES.items():
        if fact in method:
            yield f"- **{title}**: {method[fact]}"
    found = {
        encoder: scores[method["row"]] for encoder, scores in results.items() if method.get("row") in scores
    }
    if found:
        gains = [
            f"{difference(cells, 'No training').split(', p ')[0]} for the {encoder} encoder"
            for encoder, cells in found.items()
        ]
        yield f"- **Our result**: {'; '.join(gains)}."
        compute = next(cells["work"] for cells in found.values())
        yield f"- **Training compute**: {compute} times that of dropout."


def _settings(method: Mapping[str, str]) -> str:
    """Return how to name a method in recipes.yaml, with a link to its keys."""
    kind = method.get("kind")
    if kind is None:
        return f"[recipe](configuration/training.md#recipes) with `{method['recipe']}`"
    further = f", {method['setting']}" if "setting" in method else ""
    return f"[`kind: {kind}{further}`](configuration/pairs.md#pairs-{kind})"


def difference(cells: Mapping[str, str], baseline: str) -> str:
    """Return the cell of a method that has its difference to a baseline."""
    return next(cell for column, cell in cells.items() if baseline in column)


def measured(file: Path) -> dict[str, dict[str, str]]:
    """Return {method: {column: cell}} of the first table of a page of results."""
    text = file.read_text(encoding="utf-8")
    table = text[text.index("\n| ") + 1 :].split("\n\n")[0].splitlines()
    (_, *header), _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table)
    return {method: dict(zip(header, cells, strict=True)) for method, *cells in lines}
