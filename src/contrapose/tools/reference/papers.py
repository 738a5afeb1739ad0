"""The pages of the papers, from the settings, claims, printed numbers and texts of each study."""

import csv
import re
import textwrap
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from contrapose.tools.reference.markdown import begun, rows
from contrapose.tools.reference.strategies import TABLES, difference, measured

FACTS = Path(__file__).with_name("papers.yaml")
INDEX = Path(__file__).with_name("papers.md")
SMALL = "examples/laptop/reference/hundred.md"  # trainings on 100 sentences
MOST_TABLES = 3  # of a deviation that are named
LONGEST_CELL = 25  # words
NONE = "–"  # an empty cell
PLACE = re.compile(r"^\{(\w+)\}$", re.MULTILINE)  # in a text, a line that stands for a generated part
FOUND = ["paper", "what the paper claims", "what we found", "what this means"]
COSTS = ["what", "hours on one A100", "GB of disk", "API cost in USD", "you must download yourself"]
ARTEFACT = "probably an artefact"  # in the numbers of a claim
DETAILS = """[Details of the replication]({name}-details.md) lists the settings, what the paper leaves
open, and where Contrapose differs from it.
"""
ENCODERS = """The encoder is MiniLM (all-MiniLM-L6-v2), in two states. *Released* is MiniLM as its authors
published it, trained for similarity. *Erased* is MiniLM after 2,000 more steps of masked language modelling,
which made it forget most of that training. Before any training here, they have 79.7 and 48.1 points on the
mean of five STS sets. Both were trained on 914 sentences of Wikipedia, with five seeds. *Dropout (SimCSE)*
is unsupervised SimCSE, whose positive is the sentence itself."""
PRINTED = """Scores are Spearman ×100, and ± is the standard deviation over the seeds. The printed scores are
{sets}, and the measured ones are means of five English STS sets. Compare scores within a line only:
encoders, sentences and test sets differ between lines. Printed numbers come without spread, so they are
judged by sign and size only.

[How to read a difference](index.md#how-to-read-a-difference) explains the last two columns. For each encoder,
there were [15 comparisons with Dropout](../explanation/findings-details.md#method-by-method). The table
shows one of them, and its p-value is corrected for all 15. The intervals come from an
[older test](../explanation/findings-details.md#how-run-b-was-made), and today's are narrower."""
PRINTED_ONLY = """Compare scores within a line only. Printed numbers come without spread, so they are judged
by sign and size only."""
HUNDRED = """The number after ± is the standard deviation over three seeds. The interval covers test pairs and
seeds. p is corrected for all methods of the [full table](../../examples/laptop/reference/hundred.md). A
difference is [significant](index.md#how-to-read-a-difference) if p is at most 0.05."""
COMMANDS = """This builds the main table on toy data, without a download:

```
contrapose run -- {table}
```

These build it at the scale of the paper:

```
contrapose plan --device a100 --config catalog=hub seeds={seeds} -- {table}
contrapose download --config catalog=hub -- {table}
contrapose check --config catalog=hub seeds={seeds} -- {table}
contrapose run --config catalog=hub seeds={seeds} -- {table}
```

They were tested only with a local imitation of the hub ([run a study](index.md#run-a-study))."""
CLAIMS = """**No claim is [verified](index.md)**, because the study has not run at the scale of the paper. The
verdicts only say whether the paper's own printed numbers agree with its claims. See the
[meaning](index.md#verdicts-on-claims) of the words, and the
[numbers]({study}-details.md#numbers-behind-the-verdicts) behind them.{never}
"""
NEVER = """ An
asterisk marks a claim that a run in `mini` does not judge: `mini` has no language model that follows a
prompt."""
NUMBERS = """## Numbers behind the verdicts

The verdicts of the [claims]({study}.md#claims) rest on these numbers of the paper. To judge a claim on
new numbers, a run must build the tables of the second column.
"""
SETTINGS = """The trainings on 914 sentences have these settings, unless the text says something else:

- **Training**: 60 steps of 64 pairs. Texts are cut after 64 word pieces. The last weights are kept.
- **Pooling**: that of the published encoder, the mean over tokens. There is no MLP head.
- **Learning rate**: 3e-5 for the released encoder, and 1e-4 for the erased one.
- **Seeds**: five. The number after ± is the standard deviation over them.
- **Test sets**: STS-B, STS12, STS13, STS15, and the train and trial pairs of SICK-R. The score is their mean.
- **Correction of p**: for 15 comparisons with Dropout (SimCSE). These are 14 other methods and the untrained
  encoder.

The numbers are those of run B. [How run B was made](../explanation/findings-details.md#how-run-b-was-made)
describes this run."""
TARGETS = """A table is built as `results/tables/{prefix}NAME.csv`, and a figure as
`results/figures/{prefix}NAME.pdf`. Links lead to the settings of this kind of table.
"""
OPEN = """## The paper leaves open

The paper, or our copy of it, does not decide these points.
{code}
{brackets}"""
DIFFERS = """## Contrapose differs from the paper or from code

In these points, Contrapose does something else than the paper or the authors' code, or more than they do.
Points that concern the main table of the study come first.

{brackets}"""
BRACKETS = """The brackets of an entry name its place in the paper. If the entry concerns at most three
tables and figures of this study, the brackets name them, too.
"""
FROM = {
    False: "### From the paper\n",
    True: "### From code\n\nThese points concern the authors' own code, unless an entry names another.\n",
}


def pages(home: Path) -> dict[str, str]:
    """Return {path below docs/papers: page}; `home` is the root of the repository."""
    made, costs, listed, whole = {}, {}, {}, []
    for name, facts in yaml.safe_load(FACTS.read_text(encoding="utf-8")).items():
        folder = home / "config/studies" / name
        study = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
        title, _, text = (folder / "notes.md").read_text(encoding="utf-8").partition("\n\n")
        about = [f"*{study['title']}*\n", _linked(study["source"])]
        parts = _parts(home, name, study, facts)
        end = f"\n{DETAILS.format(name=name)}"
        made[f"{name}.md"] = "\n".join([f"{title}\n", *about, _filled(text, parts)]) + end
        details = (folder / "details.md").read_text(encoding="utf-8")
        made[f"{name}-details.md"] = _filled(details, parts)
        link = f"[{title.removeprefix('# ')}]({name}.md)"
        listed[title] = [link, facts["claims"], facts["found"], facts["means"]]
        assert all(len(cell.split()) <= LONGEST_CELL for cell in listed[title]), listed[title]
        costs[title] = [link, *facts["costs"]]
        whole += [[f"{link}, whole study", *facts["whole"]]] if "whole" in facts else []
    parts = {
        "papers": rows(FOUND, [listed[title] for title in sorted(listed)]),
        "costs": rows(COSTS, [*(costs[title] for title in sorted(costs)), *whole]),
    }
    return {"index.md": _filled(INDEX.read_text(encoding="utf-8"), parts), **made}


def _parts(home: Path, name: str, study: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the generated parts of the two pages of a study."""
    folder = home / "config/studies" / name
    return {
        "encoders": ENCODERS,
        "printed": _printed(home, folder / "published", facts),
        "small": _small(home / SMALL, facts["small"]) if "small" in facts else "",
        "commands": _commands(study, facts),
        "claims": _claims(name, folder / "claims.csv"),
        "numbers": _numbers(name, folder / "claims.csv"),
        "settings": SETTINGS,
        "deviations": "\n".join(_deviations(study, facts)),
        "targets": "\n".join(_targets(study)),
    }


def _filled(text: str, parts: Mapping[str, str]) -> str:
    """Return a text with generated parts in place of the lines that name them."""
    return PLACE.sub(lambda found: parts[found[1]], text)


def _linked(source: str) -> str:
    linked = re.sub(r"https?://\S+", r"<\g<0>>", " ".join(source.split()))
    return _wrapped(f"{linked}.")


def _wrapped(text: str) -> str:
    """Return a paragraph in lines of at most 110 characters, unless a word is longer."""
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False) + "\n"


def _commands(study: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    file = f"results/tables/{study['prefix']}{facts['table']}.csv"
    return COMMANDS.format(table=file, seeds=facts.get("seeds", 5))


def _targets(study: Mapping[str, Any]) -> Iterator[str]:
    yield TARGETS.format(prefix=study["prefix"])
    for section in ("tables", "figures"):
        for name, one in study.get(section, {}).items():
            settings = f"../reference/configuration/study-{section}.md#{section}-{one['kind']}"
            yield f"- [`{name}`]({settings}): {' '.join(one['caption'].split())}"


def _printed(home: Path, folder: Path, facts: Mapping[str, Any]) -> str:
    """Return the printed numbers of a paper's method and its baseline, and those that were measured."""
    table = _read(folder / facts["file"])
    header = ["source", facts.get("setting", "encoder"), facts["baseline"], facts["method"], "difference"]
    cells, source = [], facts.get("source", "the paper")
    for setting, *searched in facts["printed"]:
        method, baseline = (
            next(line[facts["column"]] for line in table if wanted.items() <= line.items())
            for wanted in searched
        )
        cells.append([source, setting, baseline, method, f"{Decimal(method) - Decimal(baseline):+}"])
    if "measured" not in facts:
        return f"{PRINTED_ONLY}\n\n{rows(header, cells)}"
    runs = [
        (
            f"MiniLM, {encoder}{facts.get('marks', {}).get(encoder, '')}",
            home / file,
            facts["measured"],
            "Dropout",
        )
        for encoder, file in TABLES.items()
    ]
    if further := facts.get("further"):
        runs.append((further["setting"], home / further["file"], further["method"], further["baseline"]))
    cells = [[*line, NONE, NONE] for line in cells]
    for setting, file, method, baseline in runs:
        methods = measured(file)
        averages = [methods[name]["Avg."].replace(" †", "") for name in (baseline, method)]
        cells.append(["this project", setting, *averages, *_apart(difference(methods[method], baseline))])
    return f"{PRINTED.format(sets=facts['sets'])}\n\n{rows([*header, '95 % interval', 'p'], cells)}"


def _apart(cell: str) -> list[str]:
    """Return the difference, its interval and its p-value, which are one cell in the tables of a run."""
    found = re.match(r"(\S+) (\[.*\]), p (.*?)(?: ≈)?$", cell)
    return list(found.groups()) if found else [NONE] * 3


def _small(file: Path, facts: Mapping[str, Any]) -> str:
    """Return the scores of trainings on 100 sentences, and their differences to one of the methods."""
    methods, baseline = measured(file), facts["baseline"]
    lines = [
        [
            label,
            methods[name]["Spearman x100"].replace(" †", ""),
            *_apart(difference(methods[name], baseline)),
        ]
        for name, label in facts["rows"].items()
    ]
    to = facts["rows"].get(baseline, baseline)
    header = ["trained with", "STS-B", f"difference to {to}", "95 % interval", "p"]
    return f"{HUNDRED}\n\n{rows(header, lines)}"


def _deviations(study: Mapping[str, Any], facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the open points, and then those in which Contrapose differs; those of the main table first."""
    every, main = study.get("deviations", []), facts["table"]
    still_open = [one for one in every if not one.get("differs", False)]
    differing = sorted(
        (one for one in every if one.get("differs", False)),
        key=lambda one: (main not in (tables := one.get("tables", [main])), -len(tables)),
    )
    if still_open:
        yield OPEN.format(code=_wrapped(facts["code"]), brackets=BRACKETS)
        yield from [*map(_deviation, still_open), ""]
    if differing:
        yield DIFFERS.format(brackets="" if still_open else BRACKETS)
    for of_code, heading in FROM.items():
        listed = [one for one in differing if one.get("from_code", False) is of_code]
        yield from [heading, *map(_deviation, listed), ""] if listed else []


def _deviation(one: Mapping[str, Any]) -> str:
    """Return what a paper says of a point, and what Contrapose does."""
    tables, (subject, _, place) = one.get("tables", []), one["where"].partition(", ")
    about = ", ".join(f"`{name}`" for name in tables) if len(tables) <= MOST_TABLES else ""
    paper, ours = (" ".join(str(one[side]).split()) for side in ("paper", "ours"))
    if about != f"`{place.replace(' ', '').replace('.', '_')}`":  # "table 3.1" is `table3_1`
        about = "; ".join(filter(None, [place, about]))
    first, *further = _in_twos(f"**Here:** {ours}")
    entry = f"- **{begun(subject)}** ({about}). {paper}"
    if not further:
        return f"{entry} {first}"
    return "\n".join([entry, *(f"    - {part}" for part in (first, *further))])


def _in_twos(text: str) -> list[str]:
    """Return the sentences of a text, two in each part: an entry of six sentences is hard to read."""
    sentences = re.split(r"(?<=[.?!]) ", text)
    return [" ".join(sentences[at : at + 2]) for at in range(0, len(sentences), 2)]


def _claims(name: str, file: Path) -> str:
    listed, never = [], ""
    for claim in _read(file):
        assert claim.get("judged_in") in (None, "", "files, hub"), claim  # never in `mini`
        asterisk = r" \*" if claim.get("judged_in") else ""
        never = NEVER if asterisk else never
        about = f"`{claim['claim_id']}`{asterisk}: {claim['claim'].rstrip('.')}"
        assert len(about.split()) <= LONGEST_CELL, claim
        verdict, numbers = _verdict(claim)
        listed.append([about, f"{verdict}, {ARTEFACT}" if ARTEFACT in numbers else verdict])
    header = ["claim", "do the printed numbers agree?"]
    return f"{CLAIMS.format(study=name, never=never)}\n{rows(header, listed)}"


def _numbers(name: str, file: Path) -> str:
    listed = []
    for claim in _read(file):
        verdict, numbers = _verdict(claim)
        assert len(numbers.split()) <= LONGEST_CELL, claim
        listed.append(
            [f"`{claim['claim_id']}`", claim["tables"].replace("; ", ", "), verdict, numbers or NONE]
        )
    header = ["claim", "tables", "do the printed numbers agree?", "numbers of the paper"]
    return f"{NUMBERS.format(study=name)}\n{rows(header, listed)}"


def _verdict(claim: Mapping[str, str]) -> tuple[str, str]:
    """Return the verdict on the printed numbers, and what is in brackets behind it."""
    verdict, _, numbers = claim["holds_in_published"].partition(" (")
    return verdict, numbers.removesuffix(")")


def _read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
