"""The pages of the papers, from the settings, claims, printed numbers and notes of each study."""

import csv
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from contrapose.tools.reference.markdown import begun, rows
from contrapose.tools.reference.strategies import TABLES, difference, measured

FACTS = Path(__file__).with_name("papers.yaml")
MOST_TABLES = 5  # of a deviation that are named
INDEX = """# Reproduced papers

Contrapose describes each of these papers as data: its tables, figures and claims, and the numbers that it
prints. `contrapose run -- STUDY` rebuilds them. Each table shows the numbers of the run next to the printed
ones. A verdict on each claim says whether it holds for the run and for the printed numbers.

By default, a study is built in the catalog `mini`, which needs no download and ends in minutes. Its numbers
show that every step works. They cannot be compared with a paper's. The catalog `files` reads real data from
a folder. The catalog `hub` has the scale of the papers, with the models of the Hugging Face hub. It was
never run as a whole.

The page of a paper shows the printed gain next to the gain that was measured here, if the method was trained
on real text. [What we found so far](../explanation/findings.md) compares all measured methods.
[What was run](../dev/reproduction.md) has other results.
"""
BUILD = """## Build the study

```
{commands}
```

The first command builds everything in the catalog `mini`. The second one trains each method three times, for
mean and spread. The last two download the models and data of the paper, and estimate the cost at its
scale.{search}
"""
SEARCH = " With `search=true`, the settings of the grids are also trained, and dev sets select among them."
TARGETS = """## Tables and figures

A table is built as `results/tables/{prefix}NAME.csv`, and a figure as
`results/figures/{prefix}NAME.pdf`. Links lead to the settings of this kind of table.
"""
PRINTED = """## Printed and measured

The table compares {method} with {baseline}. Only numbers of one line can be compared.
"""
MEASURED = """
The measured numbers are averages over five seeds and five English sets: STS-B, STS12, STS13, STS15, and the
train and trial pairs of SICK-R. The encoder is all-MiniLM-L6-v2, trained for 60 steps of 64 pairs.
*Erased* is the same encoder after masked language modelling, which erases most of its similarity. Brackets
are 95 % confidence intervals, and p is corrected for the number of methods.
[What we found so far](../explanation/findings.md) explains both encoders.
"""
NOT_MEASURED = "\nThis comparison was not run on real text, so there is no measured number.\n"
CLAIMS = """## Claims

`results/claims/{study}.csv` has a verdict on each of these claims, for the run and for the printed numbers.
The last words say what the printed numbers show.
"""
DEVIATIONS = {
    False: """## The paper leaves open

The paper, or our copy of it, does not decide these points. Contrapose follows the authors' code if there is
some.
""",
    True: """## Contrapose differs from the paper

In these points, Contrapose does something else than the paper, or more than it.
""",
}


def pages(home: Path) -> dict[str, str]:
    """Return {path below docs/papers: page}; `home` is the root of the repository."""
    listed, made = {}, {}
    facts = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    evidence = {encoder: measured(home / file) for encoder, file in TABLES.items()}
    for file in sorted(home.glob("config/studies/*/study.yaml")):
        name, study = file.parent.name, yaml.safe_load(file.read_text(encoding="utf-8"))
        notes = file.with_name("notes.md").read_text(encoding="utf-8")
        opening, *further = re.split(r"\n(?=## )", notes)
        further.sort(key=lambda part: not part.startswith("## Results on real data"))
        title, _, introduction = opening.partition("\n\n")
        about = f"*{study['title']}*\n\n{_linked(study['source'])}.\n"
        parts = [f"{title}\n", about, introduction, _build(name, study), *_targets(study)]
        parts += [*_printed(home, file.parent / "published", facts[name], evidence)]
        parts += [f"{part}\n" for part in further]
        parts += [*_deviations(study), *_claims(name, file.with_name("claims.csv"))]
        made[f"{name}.md"] = "\n".join(parts)
        listed[title] = f"## [{title.removeprefix('# ')}]({name}.md)\n\n{about}"
    return {"index.md": "\n".join([INDEX, *(listed[title] for title in sorted(listed))]), **made}


def _linked(source: str) -> str:
    return re.sub(r"https?://\S+", r"<\g<0>>", " ".join(source.split()))


def _build(name: str, study: Mapping[str, Any]) -> str:
    methods = (table.get("rows") for table in study["tables"].values())
    searches = any("grid" in row for listed in methods if isinstance(listed, list) for row in listed)
    options = [f"-- {name}", f"--config seeds=3 -- {name}", *[f"--config search=true -- {name}"] * searches]
    commands = [f"contrapose run {option}" for option in options]
    commands += [f"contrapose {verb} --config catalog=hub -- {name}" for verb in ("download", "plan")]
    return BUILD.format(commands="\n".join(commands), search=SEARCH * searches)


def _targets(study: Mapping[str, Any]) -> Iterator[str]:
    yield TARGETS.format(prefix=study["prefix"])
    for section in ("tables", "figures"):
        for name, one in study.get(section, {}).items():
            settings = f"../reference/configuration/study-{section}.md#{section}-{one['kind']}"
            yield f"- [`{name}`]({settings}): {' '.join(one['caption'].split())}"
    yield ""


def _printed(
    home: Path, folder: Path, facts: Mapping[str, Any], evidence: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the printed numbers of a paper's method and its baseline, and those that were measured."""
    with (folder / facts["file"]).open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    cells = []
    for setting, *searched in facts["printed"]:
        method, baseline = (
            next(line[facts["column"]] for line in table if wanted.items() <= line.items())
            for wanted in searched
        )
        gain = f"{Decimal(method) - Decimal(baseline):+}"
        cells.append(["paper printed", setting, facts["sets"], baseline, method, gain])
    runs = [
        (f"all-MiniLM-L6-v2 ({encoder}), 914 sentences", methods, facts["measured"], "Dropout")
        for encoder, methods in evidence.items()
        if "measured" in facts
    ]
    if further := facts.get("further"):
        runs.append(
            (further["setting"], measured(home / further["file"]), further["method"], further["baseline"])
        )
    for setting, methods, method, baseline in runs:
        averages = [methods[name]["Avg."].replace(" †", "") for name in (baseline, method)]
        gain = difference(methods[method], baseline)
        cells.append(["measured here", setting, "mean of five English sets", *averages, gain])
    yield PRINTED.format(**facts)
    yield rows(["source", "setting", "score", facts["baseline"], facts["method"], "difference"], cells)
    yield MEASURED if runs else NOT_MEASURED
    yield f"{facts.get('text', '')}\n"


def _deviations(study: Mapping[str, Any]) -> Iterator[str]:
    for differs, heading in DEVIATIONS.items():
        listed = [one for one in study.get("deviations", []) if one.get("differs", False) is differs]
        yield from [heading, *map(_deviation, listed), ""] if listed else []


def _deviation(one: Mapping[str, Any]) -> str:
    """Return what a paper says of a point, and what Contrapose does."""
    tables = one.get("tables", [])
    about = (
        ", ".join(f"`{name}`" for name in tables) if len(tables) <= MOST_TABLES else f"{len(tables)} tables"
    )
    paper, ours = (" ".join(str(one[side]).split()) for side in ("paper", "ours"))
    return f"- **{begun(one['where'])}** ({about}). {paper} **Here:** {ours}"


def _claims(name: str, file: Path) -> Iterator[str]:
    yield CLAIMS.format(study=name)
    with file.open(encoding="utf-8", newline="") as lines:
        for claim in csv.DictReader(lines):
            judges = " and ".join(
                f"`{catalog}`" for catalog in (claim.get("judged_in") or "").split(", ") if catalog
            )
            where = f" Only the catalogs {judges} can judge it." if judges else ""
            about = f"`{claim['claim_id']}` ({claim['tables'].replace('; ', ', ')})"
            shown = (claim["holds_in_published"] or "no verdict").rstrip(".")
            yield f"- {about}: {claim['claim'].rstrip('.')}. *Printed numbers: {shown}.*{where}"
