"""`contrapose status`: compare results with today's files, settings and code, and with what jobs wrote."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from contrapose.base.directory import call, seen, settings
from contrapose.base.errors import ContraposeError, counted, printable
from contrapose.jobs.fingerprint import canonical
from contrapose.jobs.manifest import (
    Manifest,
    files_below,
    is_draft,
    lost_links,
    manifest_file,
    manifest_files,
    read_manifest,
    source_digest,
)
from contrapose.project import Project
from contrapose.project.staleness import made_today
from contrapose.report.about import row_label
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import RESULTS, check_has_work, nothing_built, project_of

CODE = "code"  # the kind of a finding that `mark-valid` can settle
CHANGED = "changed"  # the kind of one for which a run has to be forced
SHOWN_FILES = 5  # with one reason
SHOWN_CHANGES = 5  # per file, in its line
SHOWN_FOLDERS = ("tables", "figures", "claims")  # where people look: no file of strangers goes unnoticed
NONE = "(none)"  # in place of a setting that is not there
COUNTED = {"rows": "methods", "seeds": "seeds"}  # lists of tables, and what is counted
PARTS = "^(?:about|recipe|spec)[.]"  # of the settings of a job: people write what is in them
SHOWN_CHARACTERS = 60  # on each side of a change, starting
SHOWN_BEFORE = 20  # characters before the first difference


class VerifyFinding(NamedTuple):
    """What is wrong with an output: another `input`, `settings` or `code`, it `changed`, or is `foreign`."""

    path: Path
    kind: str
    reason: str


def findings(results: Path, project: Project) -> Iterator[VerifyFinding]:
    """Yield what today's files, config and code would not produce, or is not as it was made.

    Of a job with other files, settings or code it is the first output; its others are not named.
    """
    if not results.is_dir():
        raise ContraposeError(
            f"'{results}' is not a folder. Build something first, or name the folder with --results FOLDER."
        )
    known, digest = set[Path](), cache(source_digest)  # many jobs read the same encoder
    for file in manifest_files(results):
        path = file
        try:
            manifest = read_manifest(file)
            path = manifest.first
            known.update(manifest.paths.values())
            yield from _of_job(manifest, results, project, digest)
        except ContraposeError as error:
            yield VerifyFinding(path, "foreign", str(error))
    yield from (VerifyFinding(path, CHANGED, reason) for path, reason in lost_links(results).items())
    for path in _results(results):
        if known.isdisjoint((path, *path.parents)):
            yield VerifyFinding(
                path,
                "foreign",
                "it has no manifest of its job, because it was made elsewhere or copied without hidden files",
            )


def _of_job(
    manifest: Manifest, results: Path, project: Project, digest: Callable[[Path], str]
) -> Iterator[VerifyFinding]:
    missing = [path for path in manifest.paths.values() if not path.exists()]
    if len(missing) == len(manifest.paths):  # removed by a person, as a whole
        return
    yield from (
        VerifyFinding(path, CHANGED, reason) for path, reason in manifest.changes(results, whole=True)
    )
    if project.config.save_models:  # else encoders are deleted after their last use
        removed = {path for name, path in manifest.paths.items() if not manifest.outputs[name]}
        yield from (VerifyFinding(path, CHANGED, "it is gone") for path in missing if path not in removed)
    for name, path in manifest.input_paths.items():  # those in the results have manifests of their own
        of_a_person = path.is_file() and not path.is_relative_to(os.path.normpath(results))
        if of_a_person and manifest.inputs[name] not in ("", digest(path)):
            yield VerifyFinding(manifest.first, "input", f"{path} has changed")
    yield from _compared(manifest.first, manifest.made, project)


def _results(results: Path) -> list[Path]:
    """Return the Parquet files below a folder, and all files of tables, figures and claims.

    Hidden files and drafts of running or killed jobs are not results, nor are links that lead nowhere.
    """
    shown = tuple(results / folder for folder in SHOWN_FOLDERS)
    files = (path for path in files_below(results) if path.exists() and not path.name.startswith("."))
    found = (path for path in files if path.suffix == ".parquet" or any(map(path.is_relative_to, shown)))
    return [path for path in found if not is_draft(path.relative_to(results))]


def _compared(path: Path, made: Mapping, project: Project) -> Iterator[VerifyFinding]:
    today, code = made_today(project, made)
    changes = in_words(made["settings"], today)
    if changes:
        more = f"; and {len(changes) - SHOWN_CHANGES} more" if len(changes) > SHOWN_CHANGES else ""
        said = f"its settings have changed: {'; '.join(changes[:SHOWN_CHANGES])}{more}"
        yield VerifyFinding(path, "settings", said)
    elif (was := made.get("auto_precision", {}).get("cpu")) and was != (now := _auto_precision()):
        yield VerifyFinding(
            path, "settings", f"precision auto meant {was} then, but on this processor it means {now}"
        )
    elif made["code"] != code:
        yield VerifyFinding(path, CODE, "its code has changed")


@cache
def _auto_precision() -> str:
    from contrapose.models.matmul import matmul_backend  # PyTorch takes seconds

    return "bf16" if matmul_backend().bf16 else "float32"


def in_words(before: Mapping, after: Mapping) -> list[str]:
    """Return each setting that differs in words, `steps from 2 to 16`, as people name it.

    Those that follow from others are not told.
    """
    said = dict[str, str]()
    for key, *values in _leaves(before, after):
        name = re.sub(PARTS, "", key)
        if name in COUNTED and len({*(counts := _counts(before, after, name))}) > 1:
            values = [*map(str, counts)]
        one, other = ("none" if text == canonical(NONE) else text for text in values)
        said.setdefault(name, f"{COUNTED.get(name, name)} from {one} to {other}")
    if "steps" in said and _keeps_dev_scores(*(_part(each, "recipe") for each in (before, after))):
        said.pop("dev_every", None)
    return [*said.values()]


def _keeps_dev_scores(before: Mapping, after: Mapping) -> bool:
    """Return whether other steps have as many dev scores: `dev_every` then follows `--config steps`."""
    keys = ("steps", "dev_every")
    (steps, every), (steps_now, every_now) = ([each.get(key) for key in keys] for each in (before, after))
    if isinstance(steps, int) and isinstance(every, int) and isinstance(steps_now, int):
        return bool(every_now == max(1, round(every * steps_now / steps)))
    return False


def _counts(before: Mapping, after: Mapping, name: str) -> list[int]:
    """Return how many rows or seeds a table had, and has today."""
    return [len(_part(each, "about").get(name) or []) for each in (before, after)]


def _part(settings: object, name: str) -> Mapping:
    """Return a part of the settings of a job; empty for other jobs."""
    part = settings.get(name) if isinstance(settings, dict) else None
    return part if isinstance(part, dict) else {}


def differences(before: object, after: object, key: str = "") -> Iterator[str]:
    """Yield `key: before -> after` for every leaf that differs."""
    return (f"{name}: {one} -> {other}" for name, one, other in _leaves(before, after, key))


def _leaves(before: object, after: object, key: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the key of every leaf that differs, and its value before and after."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            inner = f"{key}.{name}" if key else name
            yield from _leaves(before.get(name, NONE), after.get(name, NONE), inner)
    elif (one := canonical(before)) == (other := canonical(after)):
        return
    elif max(len(one), len(other)) <= SHOWN_CHARACTERS:
        yield key or "all", one, other
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True), 1):
            yield from _leaves(*pair, f"{key} (entry {number})")
    else:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        start = max(0, same - SHOWN_BEFORE)
        yield key or "all", _beginning(before, start), _beginning(after, start)


def _beginning(value: object, start: int) -> str:
    """Return a value from a character on, cut; of a list or mapping that is too long, how much it holds."""
    text = canonical(value)
    if isinstance(value, dict | list) and len(text) > SHOWN_CHARACTERS:
        return f"{len(value)} entries"
    return f"{'...' * (start > 0)}{text[start : start + SHOWN_CHARACTERS]}"


def lines(found: Iterable[VerifyFinding]) -> Iterator[str]:
    """Yield a line on each of some findings; of those with the same reason, five are named."""
    alike: dict[str, list[Path]] = {}
    for finding in found:
        alike.setdefault(finding.reason, []).append(finding.path)
    for reason, paths in alike.items():
        yield from (printable(f"{seen(path)}: {reason}") for path in paths[:SHOWN_FILES])
        if more := len(paths[SHOWN_FILES:]):
            yield f"and {counted(more, 'more file')} for the same reason"


def main(arguments: list[str]) -> bool:
    """Print what is out of date, changed or foreign; return whether anything is."""
    options = parser_of("status").parse_args(arguments)
    default = options.results == Path(RESULTS)
    if default:
        check_has_work("status")
    project = project_of(options.config)
    if default and not (options.results.is_dir() and any(files_below(options.results))):
        raise nothing_built(options.results, options.config, next(iter(project.studies)))
    stale = list(findings(options.results, project))
    print(*lines(stale), sep="\n", end="\n" * bool(stale))
    every = counted(len(_results(options.results)), "file")
    if not stale:
        print(f"Everything is up to date: {every}.")
        return False
    print(f"Of {every}, {len(stale)} are out of date, changed or from elsewhere.")
    for line in repeated(stale, project, options.config, "status"):  # first: else a run replaces all of it
        print(line)
    _print_advice(stale, options.config)
    return True


def repeated(
    stale: Iterable[VerifyFinding], project: Project, config: Sequence[str], verb: str, *options: str
) -> Iterator[str]:
    """Yield a line with the `--config` of the run that made what is out of date, if its settings tell it."""
    built = dict[str, object]()
    for one in stale:
        if one.kind == "settings":
            made = read_manifest(manifest_file(one.path)).made
            built |= _built_with(made["settings"], made_today(project, made)[0])
    if built:
        kept = [each for each in config if each.partition("=")[0] not in built]
        given = settings([*kept, *(f"{key}={value}" for key, value in built.items())])
        yield (
            "If these results are from a run with --config or --methods, repeat those here: "
            f"{call(verb, given, *options)}"
        )


def _built_with(before: Mapping, after: Mapping) -> dict[str, object]:
    """Return the keys of config.yaml, of those that show in the settings of jobs, that were others before."""
    built = dict[str, object]()
    for part, key in (("recipe", "steps"), ("about", "bootstrap")):
        was, now = (_part(each, part).get(key) for each in (before, after))
        built |= {key: was} if was and was != now else {}
    (seeds, seeds_now), (rows, rows_now) = (_counts(before, after, name) for name in ("seeds", "rows"))
    if seeds and seeds != seeds_now:
        built["seeds"] = seeds
    if rows and rows != rows_now and _part(before, "spec").get("costs"):
        trained = [row for row in before["about"]["rows"] if row["trained"]]
        names = [row_label(row["group"], row["model"]) for row in trained]
        built["methods"] = json.dumps(names, ensure_ascii=False)
    return built


def _print_advice(stale: Sequence[VerifyFinding], config: Sequence[str]) -> None:
    """Print the commands that settle findings."""
    given, changed = settings(config), [str(one.path) for one in stale if one.kind == CHANGED]
    if changed:  # which a run refuses to build upon
        forced = call("run", given, "--force", "--", shlex.join(changed[:SHOWN_FILES]))
        print(f"To build again what was changed by hand: {forced}")
    if len(changed) < len(stale):
        print(f"To build what is out of date again: {call('run', given)}")
    if any(one.kind == CODE for one in stale):
        marks = call("mark-valid", given, "--reason REASON")
        print(f"If only code has changed, and you know that the results stay the same: {marks}")
