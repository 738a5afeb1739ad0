"""The page of strategies: their settings classes, a file of facts, and the tables of examples/evidence."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.tools.reference.configuration import summary
from contrapose.tools.reference.markdown import glossary

FACTS = Path(__file__).with_name("strategies.yaml")
# Tables of scores, by what the encoder knows: all-MiniLM-L6-v2, and the same after masked language modelling.
TABLES = {
    "released": "examples/evidence/reference/cpu/evidence_released_914.md",
    "erased": "examples/evidence/reference/cpu/evidence_unlearned_914.md",
}
FACT_TITLES = {"base": "Base pairs", "needs": "Needs", "cost": "Cost", "paper": "Paper"}
INTRODUCTION = """# Strategies

A strategy says where training pairs come from. This page shows each one with an example, its needs, its costs
and results. Strategies that are settings of a recipe are listed, too.

## What each group of methods needs

- **Nothing but sentences**: all methods under [only the sentences](#only-the-sentences), except
  next sentence.
- **Documents**: [next sentence](#next-sentence) needs the order of the sentences.
  [Queries](#queries-gpl) needs texts that can answer a question.
- **A dictionary**: [PPDB-CSE](#paraphrase-dictionary-ppdb-cse) needs a paraphrase dictionary.
  [Synonym](#synonym), [negation](#negation-sncse) and
  [discrete augmentation](#discrete-augmentation-sda) need WordNet and a tagger.
- **A local generator**: [masked language model](#masked-language-model), [entailments](#entailments-gense),
  [queries](#queries-gpl), [back-translation](#back-translation), [DINO](#texts-by-instruction-dino) and
  [RISE](#reweighted-texts-rise).
- **A chat model or recorded answers**: all methods under
  [a chat model writes or scores](#a-chat-model-writes-or-scores).
- **Labelled pairs**: [triplets and pairs from a file](#triplets-and-pairs-from-a-file).
- **A larger encoder**: all methods under
  [distillation from a larger encoder](#distillation-from-a-larger-encoder).
- **Other pairs, and a model that compares texts**: [mined](#mined-hard-negatives),
  [guided](#guided-negatives-gistembed), [relabelled](#relabelled-negatives-gecko),
  [filtered](#filtering-by-similarity-and-wording), [margins](#margins-gpl) and
  [curated](#scored-and-swapped-pairs-multicsr). *Base pairs* in their entries names these other pairs.
- **Trained encoders**: both methods under [without further training](#without-further-training).

To add a strategy of your own, see
[CONTRIBUTING.md](../../CONTRIBUTING.md#recipe-1-add-a-method-a-new-kind-of-pairs).

## How to read an entry

The **examples** change this sentence of Wikipedia:

> In 2007, he joined the French Pro A League club SLUC Nancy.

**Results of papers** are Spearman ×100, averaged over seven STS sets, unless the text says something else.
SimCSE has 76.25 with BERT-base there. Only numbers of one table can be compared.

**Our results** are gains over no training, in points of Spearman ×100, averaged over five test sets. Brackets
are 95 % confidence intervals over test pairs and five seeds. The training data are 914 sentences of
Wikipedia, and training has 60 steps of 64 pairs. The encoder is all-MiniLM-L6-v2 as released, or the same
encoder after masked language modelling, which erases most of its similarity: the *erased* encoder.
[What we found so far](../explanation/findings.md) explains the results. The compute of a training is
compared with that of dropout.
"""


def page(home: Path) -> str:
    """Return the page; `home` is the root of the repository."""
    groups = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    results = {encoder: measured(home / file) for encoder, file in TABLES.items()}
    parts = [INTRODUCTION]
    for group, methods in groups.items():
        parts.append(f"\n## {group}\n")
        for method in methods:
            parts += _method(method, results)
    parts[0] += glossary("\n".join(parts))
    return "\n".join(parts).rstrip() + "\n"


def _method(
    method: Mapping[str, str], results: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> Iterator[str]:
    kind = method.get("kind")
    yield f"\n### {method['name']}\n"
    about = [method.get("about") or summary(settings_class(STRATEGIES[kind]))] if kind else []
    yield " ".join([*about, *filter(None, [method.get("text")])]) + "\n"
    if example := method.get("example"):
        yield f"> {example}\n"
    yield f"- **Settings**: {_settings(method)}."
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
