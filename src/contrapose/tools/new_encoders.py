"""How the settings of `examples/wiki` change for several encoders: rows and entries of each."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from contrapose.settings.ids import changed_id

MINE = "mine"  # the example's encoder, which the first one takes the place of
# Encoders that the example's catalog and `new` name otherwise.
TAKEN = (MINE, "theirs", "teacher", "reranker", "bert")
ROW = re.compile(r"^      - \{.*\}.*\n", re.M)
ANCHOR = re.compile(r"grid: &(\w+) \{[^}]*\}")
# Pair sets of the example that its encoder makes, or that are made of these: each encoder has its own.
SEARCHED = ("filtered", "mined", "relabelled")
COMPARE, AVERAGES = "compare", ("model_soup", "weight_interpolation")
BASELINE = "baseline: [No training, Dropout]  # each row is compared with both"
BASELINES = (
    "# Each row is compared with both of its own encoder.\n"
    "    baseline: [{row: No training, by: encoder}, {row: Dropout, by: encoder}]"
)
CURVE_ROWS = "rows: [No training, Dropout]"


class NamedEncoder(NamedTuple):
    """An encoder of a comparison."""

    role: str  # name under `encoders` of the catalog
    label: str  # group of its rows


def named_encoders(encoders: Sequence[str]) -> list[NamedEncoder]:
    """Name encoders by their folder, or by the hub's name without owner and commit; all names differ."""
    named: list[NamedEncoder] = []
    for encoder in encoders:
        name = Path(encoder).resolve().name if Path(encoder).is_dir() else encoder.partition("@")[0]
        label = _apart(name.rsplit("/", 1)[-1], [each.label for each in named])
        plain = re.sub(r"[^\w.@-]+|^[^\w]+", "-", label).lstrip("-.@") or "encoder"
        role = _apart(plain, [*TAKEN, *(each.role for each in named)]) if named else MINE
        named.append(NamedEncoder(role, label))
    return named


def _apart(name: str, taken: Sequence[str]) -> str:
    """Return a name, with a number behind it if it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def study_of(text: str, encoders: Sequence[NamedEncoder]) -> str:
    """Return the example's study with all rows once for each encoder, in groups, compared within it."""
    rows = ROW.findall(text)
    first, *others = encoders
    every = [_in_group(row, first) for row in rows]
    every += [_in_group(_of_encoder(row, each), each) for each in others for row in rows]
    start, end = text.index(rows[0]), text.index(rows[-1]) + len(rows[-1])
    return (text[:start] + "".join(every) + text[end:]).replace(BASELINE, BASELINES)


def recipes_of(text: str, encoders: Sequence[NamedEncoder]) -> str:
    """Return the example's pair sets and recipes with those of further encoders that no override makes."""
    for name in (*SEARCHED, *AVERAGES):
        line = re.search(rf"^  {name}: .*\n", text, re.M)
        assert line is not None, name
        text = text.replace(line[0], line[0] + "".join(_entry(line[0], each) for each in encoders[1:]))
    return text


def _entry(line: str, encoder: NamedEncoder) -> str:
    """Return an entry of the recipes for another encoder."""
    name, rest = line.split(":", 1)
    for old, new in {
        f"encoder: {MINE}": f"encoder: {encoder.role}",
        "pairs: mined": f"pairs: mined_{encoder.role}",
        f"recipe: {COMPARE}": f"recipe: {changed_id(COMPARE, {'encoder': encoder.role})}",
    }.items():
        rest = rest.replace(old, new)
    return f"{name}_{encoder.role}:{rest}"


def curve_of(text: str, encoders: Sequence[NamedEncoder]) -> str:
    """Return the example's learning curve with its rows of each encoder."""
    labels = [f"{each.label}: {row}" for each in encoders for row in ("No training", "Dropout")]
    return text.replace(CURVE_ROWS, f"rows: {json.dumps(labels, ensure_ascii=False)}")


def _in_group(row: str, encoder: NamedEncoder) -> str:
    return row.replace("- {", f"- {{group: {json.dumps(encoder.label, ensure_ascii=False)}, ", 1)


def _of_encoder(row: str, encoder: NamedEncoder) -> str:
    """Return a row of the example for another encoder."""

    def pairs(found: re.Match) -> str:
        return f"pairs: {found[1]}_{encoder.role}" if found[1] in SEARCHED else found[0]

    def recipe(found: re.Match) -> str:
        name, settings = found[1], found[2]
        own = f"{name}_{encoder.role}" if name in AVERAGES else f"{name}+encoder={encoder.role}"
        return f"recipe: {own}{settings}".replace(f"guide={MINE}", f"guide={encoder.role}")

    row = re.sub(r"pairs: (\w+)", pairs, row)
    row = re.sub(r"recipe: (\w+)([^,}]*)", recipe, row)
    return ANCHOR.sub(r"grid: *\1", row).replace(f"encoder: {MINE}", f"encoder: {encoder.role}")
