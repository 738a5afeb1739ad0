"""The page of strategies: their settings classes, a file of facts, and the tables of examples/evidence."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.tools.reference.configuration import summary

FACTS = Path(__file__).with_name("strategies.yaml")
# Tables of scores, by what the encoder knows: all-MiniLM-L6-v2, and the same after masked language modelling.
TABLES = {
    "all-MiniLM-L6-v2": "examples/evidence/reference/cpu/evidence_released_914.md",
    "the same encoder without similarity": "examples/evidence/reference/cpu/evidence_unlearned_914.md",
}
INTRODUCTION = """# Strategies

A strategy says where training pairs come from. This page shows each one with an example, its needs, its costs
and results. Strategies that are settings of a recipe are listed, too. The examples change this sentence of
Wikipedia:

> In 2007, he joined the French Pro A League club SLUC Nancy.

**Results of papers** are Spearman ×100, averaged over seven STS sets, unless the text says something else.
SimCSE has 76.25 with BERT-base there. Only numbers of one table can be compared.

**Our results** are gains over no training, in points of Spearman ×100, averaged over five test sets. Brackets
are 95 % confidence intervals over test pairs and five seeds. The training data are 914 sentences of
Wikipedia, and training has 60 steps of 64 pairs. The encoder is all-MiniLM-L6-v2 as released, or the same
encoder after masked language modelling, which erases most of its similarity.
[What we found so far](../explanation/findings.md) explains the results. The compute of a training is
compared with that of dropout.

To add a strategy of your own, see
[CONTRIBUTING.md](../../CONTRIBUTING.md#recipe-1-add-a-method-a-new-kind-of-pairs).
"""


def page(home: Path) -> str:
    """Return the page; `home` is the root of the repository."""
    groups = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    results = {
        encoder: _results((home / file).read_text(encoding="utf-8")) for encoder, file in TABLES.items()
    }
    parts = [INTRODUCTION]
    for group, methods in groups.items():
        parts.append(f"\n## {group}\n")
        for method in methods:
            parts += _method(method, results)
    return "\n".join(parts).rstrip() + "\n"


def _method(method: Mapping[str, str], results: Mapping[str, Mapping[str, tuple[str, str]]]) -> Iterator[str]:
    kind = method.get("kind")
    yield f"\n### {method['name']}\n"
    about = [method.get("about") or summary(settings_class(STRATEGIES[kind]))] if kind else []
    yield " ".join([*about, *filter(None, [method.get("text")])]) + "\n"
    if example := method.get("example"):
        yield f"> {example}\n"
    yield f"- **Settings**: {_settings(method)}."
    for fact in ("needs", "cost", "paper"):
        if fact in method:
            yield f"- **{fact.capitalize()}**: {method[fact]}"
    found = {encoder: rows[method["row"]] for encoder, rows in results.items() if method.get("row") in rows}
    if found:
        gains = [f"{gain} for {encoder}" for encoder, (gain, _) in found.items()]
        yield f"- **Our result**: {'; '.join(gains)}."
        yield f"- **Training compute**: {next(work for _, work in found.values())} times that of dropout."


def _settings(method: Mapping[str, str]) -> str:
    """Return how to name a method in recipes.yaml, with a link to its keys."""
    kind = method.get("kind")
    if kind is None:
        return f"[recipe](configuration/training.md#recipes) with `{method['recipe']}`"
    further = f", {method['setting']}" if "setting" in method else ""
    return f"[`kind: {kind}{further}`](configuration/pairs.md#pairs-{kind})"


def _results(text: str) -> dict[str, tuple[str, str]]:
    """Return {row: (its difference to no training, its work)}, from the first table of a page of results."""
    table = text[text.index("\n| ") + 1 :].split("\n\n")[0].splitlines()
    header, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table)
    gain = next(place for place, name in enumerate(header) if "No training" in name)
    work = header.index("work")
    return {line[0]: (line[gain].split(", p ")[0], line[work]) for line in lines if line[gain]}
