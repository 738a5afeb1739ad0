"""What a running job is called, and how far it is by its log."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

# Of the stages of the workflow, with which the names of rules begin.
DOING = {
    "mini": "making the mini",
    "retrieve": "reading",
    "corpus": "sampling",
    "generate": "generating",
    "score": "scoring",
    "pairs": "pairing",
    "train": "training",
    "evaluate": "evaluating",
    "report": "making",
}
# Of rules whose names say little, by the words of the name.
SPELLED = {
    ("corpus", "punkt"): "preparing the sentence splitter",
    ("corpus", "published", "lines"): "reading sentences",
    ("generate", "merge"): "joining answers",
    ("score", "pair", "samples"): "choosing pairs to show",
    ("score", "stratified"): "choosing pairs to grade",
    ("train", "averaged"): "averaging weights",
}
PLAIN = ("encoder", "suite", "sts")  # words in names of rules that say nothing more
BETWEEN = re.compile(r"/|\+(?=\w+=)")  # the parts of an id: a number may also have a plus
UNTRAINED = re.compile(r"released/([^/]+)/\w+")  # the id of an encoder without training, as a run
TAIL = 4096  # bytes at the end of a log: many updates of a bar
# Lines of tqdm, of generate/client.py (two), and of train/checkpoint.py.
BAR = re.compile(r"(\d+)/(\d+) \[[\d:]+<([\d:]+|\?)(?:, +[\d.?]+(?:s/ ?([a-z]+)|[kMG]? ?([a-z]+)/s))?")
WAITS = re.compile(r"(\w+://\S+)(.*?) \(.*\); trying for (.*)")
SILENT = " does not answer"
THIS_MACHINE = re.compile(r"\w+://(127\.0\.0\.1|localhost|\[::1\])([:/]|$)")
ANSWERS = "answers again"
STOPPED = re.compile(r"stopped after step (\d+) of (\d+)")


class Running(NamedTuple):
    """A running job."""

    rule: str
    name: str  # what it does with what
    outputs: list[Path]
    logs: list[Path]
    begun: float  # seconds of the monotonic clock


class LogState(NamedTuple):
    """What a log says last."""

    step: str = ""  # `step 40 of 160`
    left: float | None = None  # seconds
    waits: str = ""  # for a server that does not answer


def name_of(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job does, like `generating paraphrase wiki (vicuna, prompt 1), part 1 of 2`.

    Ids are spelled in words: `crop+seed=2` is `crop, seed 2`.
    """
    stage, *words = named = tuple(rule.split("_"))
    part, parts = (wildcards.get(key, "1") for key in ("shard", "shards"))
    shown = [
        f"{key} {value}" if value.isdigit() else _in_words(value)
        for key, value in wildcards.items()
        if value and key not in ("shard", "shards")
    ]
    if stage == "pairs":
        return f"making training pairs ({_in_words(wildcards.get('pairs') or ' '.join(words))})"
    doing = [DOING.get(stage, stage), *(word for word in words if word not in PLAIN)]
    doing = [*(SPELLED[named].split() if named in SPELLED else doing), *shown[:1]]
    name = " ".join(dict.fromkeys(doing))  # no word stands there twice
    name += f" ({', '.join(shown[1:])})" if shown[1:] else ""
    return name + (f", part {int(part) + 1} of {parts}" if parts != "1" else "")


def _in_words(value: str) -> str:
    """Return the id of pairs, a recipe or a run in words."""
    untrained = UNTRAINED.fullmatch(value)
    if untrained:
        return f"{untrained[1]} without training"
    parts = BETWEEN.split(value)
    return ", ".join(re.sub(r"^seed(\d+)$", r"seed \1", part.replace("=", " ")) for part in parts)


def log_state(logs: list[Path]) -> LogState:
    """Return what the end of a job's log says; nothing if there is none, or it says something else."""
    text = "".join(map(tail, logs))
    waits = [*WAITS.finditer(text)]
    if waits and ANSWERS not in text[waits[-1].end() :]:
        return LogState(waits=_waiting(*waits[-1].groups()))
    for line in reversed(re.split(r"[\r\n]+", text)):
        bar = BAR.search(line)
        if bar and (unit := bar[4] or bar[5]) != "it":  # of a bar that a library shows for what it loads
            done, total, left = bar.groups()[:3]
            step = f"step {done} of {total}" if unit == "step" else f"{done} of {total} {unit or ''}".strip()
            return LogState(step, None if left == "?" else _seconds(left))
    return LogState()


def _waiting(url: str, fails: str, left: str) -> str:
    """Return what to do about a server that a job waits for; first what a narrow terminal shows."""
    if fails != SILENT:
        return f"{url}{fails}; trying for {left}"
    goes_on = f"the run goes on by itself. It tries for {left}, and Ctrl-C stops it"
    if THIS_MACHINE.match(url):
        return f"No server at {url}. Start it: {goes_on}"
    return f"{url}{fails}. When it does, {goes_on}"


def stopped_step(logs: list[Path]) -> str:
    """Return after which step a training has stopped and saved its state, like `step 12 of 16`."""
    found = STOPPED.search("".join(map(tail, logs)))
    return f"step {found[1]} of {found[2]}" if found else ""


def tail(log: Path, size: int = TAIL) -> str:
    """Return the end of a log, of at most `size` bytes."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - size))
            return file.read().decode("utf-8", "replace")
    except OSError:  # it has not begun
        return ""


def _seconds(clock: str) -> float:
    """Return the seconds of `mm:ss` or `h:mm:ss`."""
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    return float(seconds)
