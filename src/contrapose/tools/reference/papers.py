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
RESULTS = "## Results on real data"
INDEX = """# Reproduced papers

Contrapose describes each of these papers as data: its tables, figures and claims, and the numbers that it
prints. `contrapose run -- STUDY` rebuilds them. Each table shows the numbers of the run next to the printed
ones. A verdict on each claim says whether it holds for the run and for the printed numbers.

By default, a study is built in the catalog `mini`, which needs no download and ends in less than an hour.
Its numbers show that every step works. They cannot be compared with a paper's. The catalog `files` reads
real data from a folder. The catalog `hub` has the scale of the papers, with the models of the Hugging Face
hub. Nobody has run it against the real hub: a local server with miniatures stood in for it
([what was tested](../reference/models-and-data.md#what-was-tested)).

## Five papers and two additions

There are seven studies. Five of them rebuild all tables of a paper: the thesis, PrdSimCSE, EdaCSE, RISE and
PPDB-CSE. These are the five papers that other pages mention. ESimCSE and SynCSE are smaller additions. The
tables of these two papers were not available, so their studies have the numbers that repositories and other
papers print. They show how a method is added as data, with hardly any code.

## What has run

No study has run at the scale of its paper, so no claim is judged. The table says what was run on real data.
Only complete trainings of a paper's method, with several seeds, can support it or count against it. Each page
says more under *Measured here*. The studies of the five papers below also ran as a whole on the toy data of
the catalog `mini`.

{status}

The trainings on 914 sentences are those of run B, one of the two runs of
[What we found so far](../explanation/findings.md#what-was-run). Its learning rate is 1e-4 for the erased
encoder and 3e-5 for the released one. The table of the [README](../../README.md#what-we-found-so-far) has the
other run, run A. So its numbers differ from those of these pages.

## What a page contains

Each page begins with what the paper asks and reports, and with what was measured here. The next sections are
how to run it here, and the printed gain next to the measured one. Then come the claims, what differs from
the paper, and a list of all tables and figures. [What we found so far](../explanation/findings.md) compares
all measured methods. [What was run](../dev/reproduction.md) has other results.

## How to read a measured difference

The column *difference* shows, for example, `+0.21 [+0.01, +0.41], p 0.330`. It has three parts:

- The first number is the gain over the baseline, in points of Spearman ×100.
- The brackets are the 95 % confidence interval of this one difference. Nothing corrects it for the number of
  methods.
- The p-value belongs to the same difference, but it is corrected for the number of methods in the same
  table (Holm's procedure). Without this correction, about one of twenty useless methods would look better
  by chance.

All intervals and p-values of these pages come from an older version of the tests. Some of the intervals are
up to twice as wide as those of today's tests would be. The scores themselves would be the same today.

An interval and its p-value can disagree. In the example, the interval lies above 0, but the corrected p-value
is far above 0.05. The gain is then not significant: with so many methods, chance alone often gives one such
interval. A difference is significant if its p-value is at most 0.05.
[Statistics](../explanation/statistics.md) has the exact rules.

## The papers
"""
BUILD = """## Run it here

Run all commands of this section in the root of your clone of the repository, not in a project of your own.
The first command builds one table on toy data, in the catalog `mini`. It needs no download, and its numbers
only show that every step works:

```
contrapose run -- {table}
```

**At the scale of the paper.** {needs}

These commands print what the table needs, download it, check what is still missing, and build the table. They
have five seeds. {online}:

```
contrapose plan --device a100 --config catalog=hub seeds=5 -- {table}
contrapose download --config catalog=hub -- {table}
contrapose check --config catalog=hub seeds=5 -- {table}
contrapose run --config catalog=hub seeds=5 -- {table}
```

Without `--device a100`, the first command estimates the hours of this machine. After the download it is more
complete, because it then knows all encoders. Nobody has run these commands against the real hub.

The results of these commands are written to the same folder `results/` as those on toy data. To keep both,
create a further folder, and name it in each of the four commands, for example `--directory at-scale` before
`--config`.

In all these commands, the name `{study}` in place of the file stands for all tables, figures and claims.
{search}"""
ONLINE = {
    False: "Only the download needs the internet",
    True: "The download needs the internet, and so does each request to OpenAI",
}
SEARCH = """
The key `search=true` after `--config` also trains the settings of the grids, and dev sets select among
them.
"""
TARGETS = """## Tables and figures of this study

A table is built as `results/tables/{prefix}NAME.csv`, and a figure as
`results/figures/{prefix}NAME.pdf`. Links lead to the settings of this kind of table.
"""
PRINTED = """## Printed and measured

The table compares {method} with {baseline}. Only numbers of one line can be compared.
"""
BRACKETS = """
A measured difference has its 95 % confidence interval in brackets, which is not corrected, and a p-value,
which is corrected for the number of methods. The gain is significant only if p is at most 0.05: [how
to read a difference](index.md#how-to-read-a-measured-difference).
"""
MEASURED = """
All measured lines are from run B of [What we found so far](../explanation/findings.md#what-was-run), which
also explains both encoders. The learning rate is 1e-4 for the erased encoder and 3e-5 for the released one,
unless the text below says something else. The intervals and p-values come from an older version of the tests.
Some of the intervals are up to twice as wide as those of today's tests would be.

The measured numbers are averages over five seeds and five English sets: STS-B, STS12, STS13, STS15, and the
train and trial pairs of SICK-R. The number after ± is the standard deviation over seeds. The encoder is
all-MiniLM-L6-v2, trained for 60 steps of 64 pairs, unless the setting says something else. *Erased* is the
same encoder after masked language modelling, which erases most of its similarity.
"""
NOT_MEASURED = """
There is no measured number. {why}
"""
CLAIMS = """## Claims

Contrapose can judge these claims of the paper. The column *tables* has the tables that a verdict needs. The
column *printed numbers* shows whether the numbers that the paper prints support the claim. The column *judged
here* shows whether a run at the scale of the paper has judged it.

After a run, `results/claims/{study}.csv` has two verdicts on each claim: one for the run, and one for the
printed numbers. The catalog `mini` cannot judge a paper: its verdicts only show that every step works. With
one seed, the verdict on a claim about scores is *one seed*.
{later}"""
LATER = """
The column *judged here* has *no*, or *no; not in mini*. The second value means that the catalog `mini` gives
no verdict on the claim at all. The claim needs a language model that follows a prompt, as in the catalogs
`files` and `hub`.
"""
LONG = """
These verdicts on printed numbers need more words:
"""
LONGEST_CELL = 25  # words
DEVIATIONS = {
    False: """## The paper leaves open

The paper, or our copy of it, does not decide these points. Contrapose follows the authors' code if there is
some.
""",
    True: """## Contrapose differs from the paper or its public code

In these points, Contrapose does something else than the paper or public code, or more than they do. Points
that concern the table of the section *Run it here* come first, and then those that concern most tables.
""",
}
FROM = {False: "### From the paper\n", True: "### From public code\n"}


def pages(home: Path) -> dict[str, str]:
    """Return {path below docs/papers: page}; `home` is the root of the repository."""
    listed, made, status = {}, {}, {}
    facts = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    evidence = {encoder: measured(home / file) for encoder, file in TABLES.items()}
    for file in sorted(home.glob("config/studies/*/study.yaml")):
        name, study = file.parent.name, yaml.safe_load(file.read_text(encoding="utf-8"))
        notes = file.with_name("notes.md").read_text(encoding="utf-8")
        opening, *further = re.split(r"\n(?=## )", notes)
        title, _, introduction = opening.partition("\n\n")
        about = f"*{study['title']}*\n\n{_linked(study['source'])}.\n"
        here = f"**Measured here.** {facts[name]['here']}\n"
        parts = [f"{title}\n", about, introduction, here, _build(name, study, facts[name])]
        parts += [*_printed(home, file.parent / "published", facts[name], evidence)]
        results = [f"{part}\n" for part in further if part.startswith(RESULTS)]
        notes_on_paper = [f"{part}\n" for part in further if not part.startswith(RESULTS)]
        parts += [*results, *_claims(name, file.with_name("claims.csv")), "", *notes_on_paper]
        parts += [*_deviations(study, facts[name]["table"]), *_targets(study)]
        made[f"{name}.md"] = "\n".join(parts)
        with file.with_name("claims.csv").open(encoding="utf-8", newline="") as lines:
            claims = len(list(csv.DictReader(lines)))
        link = f"[{title.removeprefix('# ')}]({name}.md)"
        status[title] = [link, *facts[name]["status"], f"0 of {claims}"]
        listed[title] = f"### [{title.removeprefix('# ')}]({name}.md)\n\n{about}"
    table = rows(
        ["study", "run on real data", "scale of that run", "claims judged"],
        [status[title] for title in sorted(status)],
    )
    index = INDEX.format(status=table)
    return {"index.md": "\n".join([index, *(listed[title] for title in sorted(listed))]), **made}


def _linked(source: str) -> str:
    return re.sub(r"https?://\S+", r"<\g<0>>", " ".join(source.split()))


def _build(name: str, study: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    methods = (one.get("rows") for one in study["tables"].values())
    searches = any("grid" in row for listed in methods if isinstance(listed, list) for row in listed)
    file = f"results/tables/{study['prefix']}{facts['table']}.csv"
    search = SEARCH if searches else ""
    online = ONLINE[facts.get("requests", False)]
    return BUILD.format(table=file, study=name, search=search, needs=facts["needs"], online=online)


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
    cells, source = [], f"{facts.get('source', 'paper')} printed"
    for setting, *searched in facts["printed"]:
        method, baseline = (
            next(line[facts["column"]] for line in table if wanted.items() <= line.items())
            for wanted in searched
        )
        gain = f"{Decimal(method) - Decimal(baseline):+}"
        cells.append([source, setting, facts["sets"], baseline, method, gain])
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
    if runs:
        yield BRACKETS
    yield rows(["source", "setting", "score", facts["baseline"], facts["method"], "difference"], cells)
    yield MEASURED if runs else NOT_MEASURED.format(why=facts["unmeasured"])
    yield f"{facts.get('text', '')}\n"


def _deviations(study: Mapping[str, Any], main: str) -> Iterator[str]:
    """Yield the open points, and then those in which Contrapose differs: `main` is the table of the page."""
    every = study.get("deviations", [])
    still_open = [one for one in every if not one.get("differs", False)]
    differing = sorted(
        (one for one in every if one.get("differs", False)),
        key=lambda one: (main not in (tables := one.get("tables", [main])), -len(tables)),
    )
    if still_open:
        yield from [DEVIATIONS[False], *map(_deviation, still_open), ""]
    if differing:
        yield DEVIATIONS[True]
    for of_code, heading in FROM.items():
        listed = [one for one in differing if one.get("from_code", False) is of_code]
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
    listed, long, later = [], [], ""
    with file.open(encoding="utf-8", newline="") as lines:
        for claim in csv.DictReader(lines):
            assert claim.get("judged_in") in (None, "", "files, hub"), claim  # see LATER
            later = LATER if claim.get("judged_in") else later
            shown = (claim["holds_in_published"] or "no verdict").rstrip(".")
            if len(shown.split()) > LONGEST_CELL:
                long.append(f"- `{claim['claim_id']}`: {begun(shown)}.")
                shown = f"{re.split(r'[ ,;:]', shown)[0]}: see below"
            about = f"`{claim['claim_id']}`: {claim['claim'].rstrip('.')}"
            here = "no; not in mini" if claim.get("judged_in") else "no"
            listed.append([about, claim["tables"].replace("; ", ", "), shown, here])
    yield CLAIMS.format(study=name, later=later)
    yield rows(["claim", "tables", "printed numbers", "judged here"], listed)
    yield from [LONG, *long] if long else []
