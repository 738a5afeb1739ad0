"""The pages of the papers, from the settings, claims and notes of each study."""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from contrapose.tools.reference.markdown import begun

INDEX = """# Reproduced papers

Contrapose describes each of these papers as data: its tables, figures and claims, and the numbers that it
prints. `contrapose run -- STUDY` rebuilds them. Each table shows our numbers next to the printed ones. A
verdict on each claim says whether it holds on our tables and on the printed ones.

By default, a study is built in the catalog `mini`, which needs no download and ends in minutes. Its numbers
show that every step works. They cannot be compared with a paper's. The catalog `files` reads real data from
a folder. The catalog `hub` has the scale of the papers, with the models of the Hugging Face hub. It was
never run as a whole.

[What we found so far](../explanation/findings.md) has results of the methods on real data.
[What was run](../dev/reproduction.md) has other results.
"""
BUILD = """## Build the study

```
{commands}
```

The first command builds everything in the catalog `mini`. The second one trains each row three times, for
mean and spread. The last two download the models and data of the paper, and estimate the cost at its
scale.{search}
"""
SEARCH = " With `search=true`, the settings of the grids are also trained, and dev sets select among them."
CLAIMS = """## Claims

`results/claims/{study}.csv` has a verdict on each of these claims, for our tables and for the printed ones.
The last words say what the printed numbers show.
"""
DEVIATIONS = """## Deviations

The paper leaves these points open, or this project differs from it.
"""


def pages(home: Path) -> dict[str, str]:
    """Return {path below docs/papers: page}; `home` is the root of the repository."""
    listed, made = {}, {}
    for file in sorted(home.glob("config/studies/*/study.yaml")):
        name, study = file.parent.name, yaml.safe_load(file.read_text(encoding="utf-8"))
        notes = file.with_name("notes.md").read_text(encoding="utf-8")
        opening, *further = re.split(r"\n(?=## )", notes)
        title, _, introduction = opening.partition("\n\n")
        about = f"*{study['title']}*\n\n{_linked(study['source'])}.\n"
        parts = [f"{title}\n", about, introduction, _build(name, study), *_targets(study), *further]
        parts += [*_claims(name, file.with_name("claims.csv")), *_deviations(study)]
        made[f"{name}.md"] = "\n".join(parts)
        listed[title] = f"## [{title.removeprefix('# ')}]({name}.md)\n\n{about}"
    return {"index.md": "\n".join([INDEX, *(listed[title] for title in sorted(listed))]), **made}


def _linked(source: str) -> str:
    return re.sub(r"https?://\S+", r"<\g<0>>", " ".join(source.split()))


def _build(name: str, study: Mapping[str, Any]) -> str:
    rows = (table.get("rows") for table in study["tables"].values())
    searches = any("grid" in row for listed in rows if isinstance(listed, list) for row in listed)
    options = [f"-- {name}", f"--config seeds=3 -- {name}", *[f"--config search=true -- {name}"] * searches]
    commands = [f"contrapose run {option}" for option in options]
    commands += [f"contrapose {verb} --config catalog=hub -- {name}" for verb in ("download", "plan")]
    return BUILD.format(commands="\n".join(commands), search=SEARCH * searches)


def _targets(study: Mapping[str, Any]) -> Iterator[str]:
    yield "## Tables and figures\n"
    for kind, section, ending in (("table", "tables", ".csv"), ("figure", "figures", ".pdf")):
        for name, one in study.get(section, {}).items():
            path = f"results/{section}/{study['prefix']}{name}{ending}"
            settings = f"../reference/configuration/study-{section}.md#{section}-{one['kind']}"
            yield f"- `{path}` ({kind} [`{one['kind']}`]({settings})): {' '.join(one['caption'].split())}"
    yield ""


def _claims(name: str, file: Path) -> Iterator[str]:
    yield CLAIMS.format(study=name)
    with file.open(encoding="utf-8", newline="") as lines:
        for claim in csv.DictReader(lines):
            where = f" Only the catalogs {claim['judged_in']} can judge it." if claim.get("judged_in") else ""
            name, text = f"`{claim['claim_id']}` ({claim['tables']})", claim["claim"].rstrip(".")
            shown = (claim["holds_in_published"] or "no verdict").rstrip(".")
            yield f"- {name}: {text}. *Printed numbers: {shown}.*{where}"
    yield ""


def _deviations(study: Mapping[str, Any]) -> Iterator[str]:
    yield DEVIATIONS
    for one in study.get("deviations", []):
        about = f" ({', '.join(one['tables'])})" if one.get("tables") else ""
        paper, ours = (" ".join(str(one[side]).split()) for side in ("paper", "ours"))
        yield f"- **{begun(one['where'])}**{about}\n    - Paper: {begun(paper)}\n    - Here: {begun(ours)}"
