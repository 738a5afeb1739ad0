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
MOST_TABLES = 3  # of a deviation that are named
STATES = {"released": "as published", "erased": "erased"}  # of the encoder
FIRST = ("## Results on real data", "## The prefixes")  # of the notes: before the claims
INDEX = """# Reproduced papers

Contrapose describes each of these papers as data: its tables, figures and claims, and the numbers that it
prints. `contrapose run -- STUDY` rebuilds them. Each table shows the numbers of the run next to the printed
ones. A verdict on each claim says whether it holds for the run and for the printed numbers.

**No claim of any paper is verified so far.** No study has run at the scale of its paper. Small runs on real
data exist, and [What has run](#what-has-run) lists them.

There are seven studies. Five of them rebuild the tables of a paper: the thesis, PrdSimCSE, EdaCSE, RISE and
PPDB-CSE. ESimCSE and SynCSE are smaller additions. The
tables of these two papers were not available, so their studies have the numbers that repositories and other
papers print. They show how a method is added as data, with hardly any code.

Some parts of tables are not rebuilt:

- **Thesis**: the column of table 4.6 that describes the texts.
- **PrdSimCSE**: the line of IS-BERT in table 4 has printed numbers only.
- **EdaCSE**: the four sentences of table 2, and the Chinese sentences of table 1. The paper prints both in
  English only.
- **RISE**: the lines of USE and InferSent in table 6 have printed numbers only.
- **PPDB-CSE**: Transfer Fine-Tuning is not trained. Its published model is used if somebody has put it there.

## What has run

The table says what was run on real data, and what that says about the paper. The five studies that rebuild
a paper's tables also ran as a whole on the toy data of the catalog `mini`.

{status}

These words have one meaning on all pages of the papers:

- *MiniLM* is the encoder all-MiniLM-L6-v2.
- *As published* means MiniLM as its authors trained it for similarity. Other pages call it *released*.
- *Erased* means MiniLM after masked language modelling, which erased most of its similarity. It stands in for
  an encoder that was never trained for similarity. It is neither BERT nor RoBERTa.
- *SimCSE* is unsupervised SimCSE. Its positive is the sentence itself, and the two vectors differ by dropout
  only. The tables of `examples/evidence` call this method *Dropout*.
- *Run B* has all trainings on 914 sentences of these pages: 15 methods and five test sets. The table of the
  [README](../../README.md#what-we-found-so-far) has this run, too.
- *Run A* is in the first table of the [findings](../explanation/findings.md). It has six methods, four test
  sets and other learning rates, so its numbers are others.
  [What was run](../explanation/findings.md#what-was-run) compares both runs.

### When a measurement supports a paper

All pages follow one rule. It needs complete trainings of the paper's method and of its baseline, with several
seeds, on texts in the paper's language:

- The measurement *supports* the paper if the method differs significantly from the baseline, in the direction
  that the paper reports.
- It *counts against* the paper if the method differs significantly in the other direction.
- It is *undecided* if the difference is not significant.

Without such trainings, a measurement says nothing about the paper. It also says nothing if the paper
reports a gain with one encoder and a loss with another, and a third encoder was trained. And it says
nothing about a paper on texts by a language model if a far smaller model wrote them. Each encoder counts by
itself. All of this is at a small scale, and none of it replaces a run at the scale of the paper.

## Run a study

By default, a study is built in the catalog `mini`, which needs no download. On two CPU cores, each of the
five studies ends in less than an hour there. Its numbers show that every step works. They cannot be
compared with a paper's. The catalog `files` reads real data from a folder. The catalog `hub` has the scale
of the papers, with the models of the Hugging Face hub. Nobody has run it against the real hub: a local
server with miniatures stood in for it ([what was tested](../reference/models-and-data.md#what-was-tested)).

Run all commands in the root of your clone of the repository, not in a project of your own. At the scale of a
paper, four commands print what a table needs, download it, check what is still missing, and build the table.
The page of each study has them with its table and its number of seeds:

```
contrapose plan --device a100 --config catalog=hub seeds=5 -- TABLE
contrapose download --config catalog=hub -- TABLE
contrapose check --config catalog=hub seeds=5 -- TABLE
contrapose run --config catalog=hub seeds=5 -- TABLE
```

These are the estimates of the first command:

{costs}

- The download needs the internet, and so does each request to a language model at OpenAI.
- Without `--device a100`, the first command estimates the hours of this machine. After the download it is
  more complete, because it then knows all encoders.
- The name of a study in place of `TABLE` stands for all its tables, figures and claims.
- The results are written to the same folder `results/` as those on toy data. To keep both, create a further
  folder, and name it in each of the four commands, for example `--directory at-scale` before `--config`.

## How to read a measured difference

The column *difference* shows, for example, `+0.21 [+0.01, +0.41], p 0.330`. It has three parts:

- The first number is the gain over the baseline, in points of Spearman ×100.
- The brackets are the 95 % confidence interval of this one difference. Nothing corrects it for the number of
  methods.
- The p-value belongs to the same difference, but it is corrected for the number of methods in the same
  table (Holm's procedure). Without this correction, about one of forty useless methods would look better by
  chance, and one of forty would look worse.

An interval and its p-value can disagree. In the example, the interval lies above 0, but the corrected p-value
is far above 0.05. The gain is then not significant: with so many methods, chance alone often gives one such
interval. A difference is significant if its p-value is at most 0.05.
[Statistics](../explanation/statistics.md) has the exact rules.

**The intervals and p-values of all trainings on 914 sentences come from an older version of the tests**,
which gives wider intervals than today's. Those on 100 sentences (RISE, SynCSE, PPDB-CSE) are by today's
tests. They cannot be computed again, because the cosines of the test pairs were not kept. With today's
tests, the scores would be the same, and some of the intervals about half as wide:

- Significant differences would most likely stay significant.
- Three differences might become significant: ESimCSE on MiniLM as published, and PrdSimCSE and EdaCSE on the
  erased encoder.
- Paraphrases on MiniLM as published would stay undecided.

## Verdicts on claims

The claims section of each page has two columns with verdicts. *In the paper's own tables* says whether
the numbers that the paper prints agree with the claim. This verifies nothing. The numbers have no spread, so
they are judged by their signs and sizes alone, and never for significance. *Verified here* is the verdict of
a run at the scale of the paper. After a run, `results/claims/STUDY.csv` has both. These are the verdicts,
from the best to the worst for the paper:

| verdict | meaning |
| --- | --- |
| holds | The numbers that are judged agree with every part of the claim. |
| same direction | The main difference has the claimed sign, but another part of the claim is not shown. |
| not significant | The main difference is 0, or may be chance. |
| opposite | The main difference has the other sign, so the numbers contradict the claim. |

If a claim is judged several times, for example with two baselines, the worst verdict counts. The other
entries say that there is no verdict:

| entry | meaning |
| --- | --- |
| one seed | Encoders were trained only once, so the difference may be chance. |
| not judged in this catalog | The catalog lacks what the claim is about. |
| no verdict | A number that the claim needs was not printed or not built. |
| no | The study has not run at the scale of its paper. |
| holds on part of the data | The claim needs no training, and part of its data was here. |

*Never in `mini`* marks a claim that needs a language model that follows a prompt, which `mini` lacks. All
verdicts in `mini` are about its toy data, and not about the paper.

## The papers
"""
BOX = """**Verified here**: 0 of {claims} claims.

**Measured here.** {here}

**Main differences of the study to the paper.** {box} The sections at the end list all. What was measured here
differs much more: it has other encoders, texts and numbers of sentences, as the paragraph before says.

**At the scale of the paper**, the main table would take {costs}. Renting the GPU is not included.
"""
BUILD = """## Run it here

The first command builds one table on toy data, and needs no download. The others build it at the scale of the
paper: they estimate its cost, download what it needs, check what is still missing, and run it. **Nobody has
run these four against the real hub so far**, only against a local stand-in. So begin with one table.

```
contrapose run -- {table}
contrapose plan --device a100 --config catalog=hub seeds={seeds} -- {table}
contrapose download --config catalog=hub -- {table}
contrapose check --config catalog=hub seeds={seeds} -- {table}
contrapose run --config catalog=hub seeds={seeds} -- {table}
```

[Run a study](index.md#run-a-study) says what these commands need. The name `{study}` in place of the file
stands for all tables, figures and claims.{search}

**At the scale of the paper.** {needs}
"""
SEARCH = """ The key `search=true` after `--config` also trains the settings of the grids, and dev sets select
among them."""
TARGETS = """## Tables and figures of this study

A table is built as `results/tables/{prefix}NAME.csv`, and a figure as
`results/figures/{prefix}NAME.pdf`. Links lead to the settings of this kind of table.
"""
PRINTED = """## Printed and measured

The table compares {method} with {baseline}. Compare only the two scores of one line, because encoders, texts
or test sets differ between lines. Of two lines, only the signs of their differences can be compared.{units}
"""
BRACKETS = """
Brackets are 95 % confidence intervals, and p is corrected for the number of methods. Both come from an older
version of the tests: [how to read a difference](index.md#how-to-read-a-measured-difference).
"""
MEASURED = """
### How the measured lines were trained

All measured lines have these settings, unless the table or the text below says something else:

- **Data**: {data}
- **Training**: 60 steps of 64 pairs. Texts are cut after 64 word pieces. The last weights are kept.
- **Pooling**: that of the published encoder, the mean over tokens. There is no MLP head.
- **Learning rate**: 3e-5 for MiniLM as published, and 1e-4 for the erased encoder.
- **Seeds**: five. The number after ± is the standard deviation over them.
- **Test sets**: STS-B, STS12, STS13, STS15, and the train and trial pairs of SICK-R. The score is their mean.
- **Correction of p**: for 15 comparisons with SimCSE. These are 14 other methods and the untrained encoder.

The numbers are those of run B. [What has run](index.md#what-has-run) explains the run and the two states of
the encoder.
"""
NOT_MEASURED = """
No measured number can stand next to these. {why}
"""
CLAIMS = """## Claims

**None of these claims is verified here.** The third column only says whether the paper's own printed numbers
agree with its claim. The tables of the second column would be needed to verify it. [Verdicts on
claims](index.md#verdicts-on-claims) explains the words.{models}
"""
COSTS = ["study", "its main table", "the whole study"]  # at the scale of its paper
UNKNOWN = "not estimated"
LONGEST_CELL = 25  # words
DEVIATIONS = {
    False: """## The paper leaves open

The paper, or our copy of it, does not decide these points. {code}

In brackets, each entry names the place in the paper, and the tables and figures of this study that it
affects.
""",
    True: """## Contrapose differs from the paper or from code

In these points, Contrapose does something else than the paper or the authors' code, or more than they do.
Points that concern the table of the section *Run it here* come first, then those that concern most tables.
In brackets, each entry names the place in the paper, and the tables and figures of this study that it
affects.
""",
}
FROM = {
    False: "### From the paper\n",
    True: "### From code\n\nThis is the authors' own code, unless an entry names another.\n",
}


def pages(home: Path) -> dict[str, str]:
    """Return {path below docs/papers: page}; `home` is the root of the repository."""
    listed, made, status, costs = {}, {}, {}, {}
    facts = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    evidence = {encoder: measured(home / file) for encoder, file in TABLES.items()}
    for file in sorted(home.glob("config/studies/*/study.yaml")):
        name, study = file.parent.name, yaml.safe_load(file.read_text(encoding="utf-8"))
        notes = file.with_name("notes.md").read_text(encoding="utf-8")
        opening, *further = re.split(r"\n(?=## )", notes)
        title, _, introduction = opening.partition("\n\n")
        about = f"*{study['title']}*\n\n{_linked(study['source'])}.\n"
        with file.with_name("claims.csv").open(encoding="utf-8", newline="") as lines:
            claims = len(list(csv.DictReader(lines)))
        cost = ". The whole study would take ".join(facts[name]["costs"])
        here = BOX.format(claims=claims, here=facts[name]["here"], box=facts[name]["box"], costs=cost)
        parts = [f"{title}\n", about, introduction, here, _build(name, study, facts[name])]
        parts += [*_printed(home, file.parent / "published", facts[name], evidence)]
        before = [f"{part}\n" for part in further if part.startswith(FIRST)]
        notes_on_paper = [f"{part}\n" for part in further if not part.startswith(FIRST)]
        parts += [*before, *_claims(file.with_name("claims.csv"), facts[name]), "", *notes_on_paper]
        parts += [*_deviations(study, facts[name]), *_targets(study)]
        made[f"{name}.md"] = "\n".join(parts)
        link = f"[{title.removeprefix('# ')}]({name}.md)"
        costs[title] = [link, *facts[name]["costs"], UNKNOWN][:3]
        status[title] = [link, *facts[name]["status"], f"0 of {claims}"]
        listed[title] = f"### [{title.removeprefix('# ')}]({name}.md)\n\n{about}"
    table = rows(
        ["study", "run on real data", "scale of that run", "what it says about the paper", "claims verified"],
        [status[title] for title in sorted(status)],
    )
    index = INDEX.format(status=table, costs=rows(COSTS, [costs[title] for title in sorted(costs)]))
    return {"index.md": "\n".join([index, *(listed[title] for title in sorted(listed))]), **made}


def _linked(source: str) -> str:
    return re.sub(r"https?://\S+", r"<\g<0>>", " ".join(source.split()))


def _build(name: str, study: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    methods = (one.get("rows") for one in study["tables"].values())
    searches = any("grid" in row for listed in methods if isinstance(listed, list) for row in listed)
    file = f"results/tables/{study['prefix']}{facts['table']}.csv"
    search, seeds = SEARCH if searches else "", facts.get("seeds", 5)
    return BUILD.format(table=file, study=name, seeds=seeds, search=search, needs=facts["needs"])


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
        (
            f"all-MiniLM-L6-v2, {STATES[encoder]}{facts.get('trained_on', ', 914 sentences')}"
            f"{facts.get('marks', {}).get(encoder, '')}",
            methods,
            facts["measured"],
            "Dropout",
        )
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
    yield PRINTED.format(method=facts["method"], baseline=facts["baseline"], units=facts.get("units", ""))
    if runs:
        yield BRACKETS
    yield rows(["source", "setting", "score", facts["baseline"], facts["method"], "difference"], cells)
    yield f"\n{facts['note']}" if "note" in facts else ""
    yield MEASURED.format(data=facts["data"]) if runs else NOT_MEASURED.format(why=facts["unmeasured"])
    yield f"{facts.get('text', '')}\n"


def _deviations(study: Mapping[str, Any], facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the open points, and then those in which Contrapose differs; those of the page's table first."""
    every, main = study.get("deviations", []), facts["table"]
    still_open = [one for one in every if not one.get("differs", False)]
    differing = sorted(
        (one for one in every if one.get("differs", False)),
        key=lambda one: (main not in (tables := one.get("tables", [main])), -len(tables)),
    )
    if still_open:
        yield from [DEVIATIONS[False].format(code=facts["code"]), *map(_deviation, still_open), ""]
    if differing:
        yield DEVIATIONS[True]
    for of_code, heading in FROM.items():
        listed = [one for one in differing if one.get("from_code", False) is of_code]
        yield from [heading, *map(_deviation, listed), ""] if listed else []


def _deviation(one: Mapping[str, Any]) -> str:
    """Return what a paper says of a point, and what Contrapose does."""
    tables, (subject, _, place) = one.get("tables", []), one["where"].partition(", ")
    about = (
        ", ".join(f"`{name}`" for name in tables)
        if len(tables) <= MOST_TABLES
        else f"affects {len(tables)} tables"
    )
    paper, ours = (" ".join(str(one[side]).split()) for side in ("paper", "ours"))
    if about != f"`{place.replace(' ', '').replace('.', '_')}`":  # "table 3.1" is `table3_1`
        about = f"{place}; {about}"
    first, *further = _in_twos(f"**Here:** {ours}")
    entry = f"- **{begun(subject)}** ({about}). {paper}"
    if not further:
        return f"{entry} {first}"
    return "\n".join([entry, *(f"    - {part}" for part in (first, *further))])


def _in_twos(text: str) -> list[str]:
    """Return the sentences of a text, two in each part: an entry of six sentences is hard to read."""
    sentences = re.split(r"(?<=[.?!]) ", text)
    return [" ".join(sentences[at : at + 2]) for at in range(0, len(sentences), 2)]


def _claims(file: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    listed = []
    with file.open(encoding="utf-8", newline="") as lines:
        for claim in csv.DictReader(lines):
            assert claim.get("judged_in") in (None, "", "files, hub"), claim  # "never in `mini`"
            assert len(claim["holds_in_published"].split()) <= LONGEST_CELL, claim
            here = "no, never in `mini`" if claim.get("judged_in") else "no"
            here = facts.get("judged", {}).get(claim["claim_id"], here)
            about = f"`{claim['claim_id']}`: {claim['claim'].rstrip('.')}"
            listed.append([about, claim["tables"].replace("; ", ", "), claim["holds_in_published"], here])
    yield CLAIMS.format(models=facts.get("models", ""))
    yield rows(["claim", "tables", "in the paper's own tables", "verified here"], listed)
