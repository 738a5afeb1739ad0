"""Write a pairs table as a file that sentence-transformers or FlagEmbedding trains on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.base.directory import seen
from contrapose.base.errors import ConfigError, counted
from contrapose.tables import PAIRS, read_table, written
from contrapose.tools.arguments import EXCHANGED, parser_of

LINES = (".jsonl", ".json")
Record = dict[str, Any]


def main(arguments: list[str]) -> None:
    """Write the file, and say what the format cannot hold."""
    options = parser_of("export").parse_args(arguments)
    print("\n".join(exchange(options.pairs, options.out, options.format, options.negatives)))


def exchange(source: Path, out: Path, form: str, negatives: int | None = None) -> list[str]:
    """Write a PAIRS table as JSON Lines or Parquet; return what was written and what is lost, a line each.

    Raises ConfigError if the file exists or has another suffix, or the format cannot hold labels or a number
    of negatives, and TableError if the source is no PAIRS table; nothing is written then.
    """
    suffixes = LINES if form == "flag-embedding" else (*LINES, ".parquet")
    if out.suffix not in suffixes:
        raise ConfigError(
            f"'{seen(out)}': the name of a {form} file must end in {' or '.join(suffixes)}. Rename it."
        )
    if source.suffix != ".parquet":
        raise ConfigError(
            f"{seen(source)} is not a .parquet file of pairs. A run writes these files into results/pairs/."
        )
    if not source.is_file():
        raise ConfigError(
            f"{seen(source)}: there is no such file. Name a file of results/pairs/, where runs write pairs."
        )
    if out.exists():
        raise ConfigError(f"{seen(out)} already exists. Name another file, or remove this one.")
    pairs = read_table(source, PAIRS)
    rows, lost = FORMATS[form](pairs, negatives)
    if not rows:
        raise ConfigError(
            f"{seen(source)}: the table has no pairs to write: {'; '.join(lost) or 'the table is empty'}."
        )
    with written(out) as draft:
        if out.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), draft)
        else:
            draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    lost += _counted((int((pairs.weight != 1).sum()), "weights other than 1 are not written"))
    wrote = f"Wrote {seen(out)} with {counted(len(rows), 'row')} of {counted(len(pairs), 'pair')}."
    return [f"{wrote} The ids of sentences are not part of this format.", *(f"{each}." for each in lost)]


def as_columns(pairs: pd.DataFrame, negatives: int | None = None) -> tuple[list[Record], list[str]]:
    """Return a row for each pair: anchor, positive, negative_1 ...; or sentence1, sentence2 and score.

    The latter are for pairs with labels.  sentence-transformers needs a text in every column of every row, so
    each row has `negatives` negatives, by default as many as the pair with fewest has; pairs with fewer are
    left out.  Also returns what is lost.
    """
    if pairs.label.notna().any():
        if negatives or pairs.negatives.str.len().any() or pairs.label.isna().any():
            raise ConfigError(
                "Some pairs have labels, but others have none or have hard negatives. This format "
                "needs labels for all pairs or for none, and pairs with labels cannot have hard "
                "negatives."
            )
        named = {"anchor": "sentence1", "positive": "sentence2", "label": "score"}
        rows = pairs.rename(columns=named)[list(named.values())].to_dict("records")
        return rows, _counted(_repeated(pairs))
    counts = pairs.negatives.str.len()
    width = (0 if pairs.empty else int(counts.min())) if negatives is None else negatives
    if width < 0:
        raise ConfigError(f"--negatives is {width}, but a whole number of at least 0 is expected.")
    kept = pairs[counts >= width]
    rows = [
        {"anchor": anchor, "positive": positive}
        | {f"negative_{number}": text for number, text in enumerate(texts[:width], start=1)}
        for anchor, positive, texts in zip(kept.anchor, kept.positive, kept.negatives, strict=True)
    ]
    beyond = int((counts[kept.index] - width).sum())
    return rows, _counted(
        _repeated(pairs),
        (len(pairs) - len(kept), f"pairs with fewer than {width} hard negatives are skipped"),
        (beyond, f"hard negatives beyond {width} of a pair are not written; see --negatives"),
        (int(kept.negative_scores.str.len().sum()), "scores of hard negatives are not written"),
    )


def as_queries(pairs: pd.DataFrame, negatives: int | None = None) -> tuple[list[Record], list[str]]:
    """Return a line for each id and anchor: `query`, `pos` of all slots and views, `neg`, `neg_scores`.

    Hard negatives shared by several slots and views are written once.  Also returns what is lost.
    """
    if pairs.label.notna().any():
        raise ConfigError("The format of FlagEmbedding has no labels. Use --format sentence-transformers.")
    if negatives is not None:
        raise ConfigError(
            "--negatives: the format of FlagEmbedding takes any number of hard negatives. Remove the option."
        )
    rows, joined, scored = [], 0, 0
    for (_, anchor), group in pairs.groupby(["id", "anchor"], sort=False):
        hard = {text: None for texts in group.negatives for text in texts}
        joined += any(len(texts) != len(hard) for texts in group.negatives)
        for texts, scores in zip(group.negatives, group.negative_scores, strict=True):
            hard |= dict(zip(texts, map(float, scores), strict=False))
        row = {"query": anchor, "pos": group.positive.tolist(), "neg": list(hard)}
        known = None not in hard.values()
        scored += not known and any(score is not None for score in hard.values())
        rows.append(row | ({"neg_scores": list(hard.values())} if hard and known else {}))
    return rows, _counted(
        (
            int((pairs["view"] > 0).sum()),
            "pairs of a second kind (`view`) become positives like all others",
        ),
        (joined, "queries get the hard negatives of several pairs together"),
        (scored, "queries are written without scores, because some of their hard negatives have none"),
        (
            sum(not row["neg"] for row in rows),
            "queries have no hard negative, but FlagEmbedding needs at least one. Export pairs of a method "
            "with hard negatives, or choose --format sentence-transformers",
        ),
    )


FORMATS: dict[str, Callable[..., tuple[list[Record], list[str]]]] = dict(
    zip(EXCHANGED, (as_columns, as_queries), strict=True)
)


def _repeated(pairs: pd.DataFrame) -> tuple[int, str]:
    advice = "in SentenceTransformerTrainingArguments, set batch_sampler=BatchSamplers.NO_DUPLICATES"
    further = int(((pairs.slot > 0) | (pairs["view"] > 0)).sum())
    return further, f"rows have the anchor of an earlier row. To keep them out of its batch, {advice}"


def _counted(*losses: tuple[int, str]) -> list[str]:
    return [f"{count} {what}" for count, what in losses if count]
