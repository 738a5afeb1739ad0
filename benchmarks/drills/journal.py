"""Damage journals in random ways, and fill the disk while a job asks: what is lost, what is paid twice?

python -m benchmarks.drills.journal [--times 2000] [--seed 0]
mount -t tmpfs -o size=8m tmpfs FOLDER && python -m benchmarks.drills.journal --disk FOLDER
"""

import argparse
import hashlib
import logging
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from contrapose.base.errors import BackendError
from contrapose.generate.journal import Journal, lines
from tests.unit.generate.opened import model, opened, requests_to
from tests.unit.generate.scripted_endpoint import scripted_endpoint

ANSWERS = 20
SENTENCES = 2000  # with answers of 2 kB
LEFT = 4 * 10**6  # bytes that another program leaves of a disk: too few for all answers


def _cut(draw: random.Random, text: bytes) -> bytes:
    return text[: draw.randrange(len(text))]


def _nuls(draw: random.Random, text: bytes) -> bytes:
    start = draw.randrange(len(text))
    end = draw.choice([len(text), draw.randrange(start, len(text))])
    return text[:start] + b"\0" * (end - start) + text[end:]


def _glued(draw: random.Random, text: bytes) -> bytes:
    at = draw.choice([place for place, byte in enumerate(text) if byte == ord("\n")])
    return text[: at - draw.randrange(40)] + text[at + 1 :]


def _foreign(draw: random.Random, text: bytes) -> bytes:
    parts = text.splitlines(keepends=True)
    parts.insert(
        draw.randrange(len(parts) + 1), draw.choice([b"<<<<<<< HEAD\n", b"\n", b"[1]\n", b"\xff\xfe\n"])
    )
    return b"".join(parts)


def _flipped(draw: random.Random, text: bytes) -> bytes:
    at = draw.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << draw.randrange(8)]) + text[at + 1 :]


DAMAGE: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "cut": _cut,
    "NULs": _nuls,
    "two lines glued": _glued,
    "a foreign line": _foreign,
    "a flipped bit": _flipped,
    "CRLF": lambda draw, text: text.replace(b"\n", b"\r\n"),
    "CR": lambda draw, text: text.replace(b"\n", b"\r"),
    "UTF-16": lambda draw, text: text.decode().encode("utf-16"),
    "a byte order mark": lambda draw, text: b"\xef\xbb\xbf" + text,
}


def damaged(times: int, seed: int) -> dict[str, Counter[str]]:
    """Return what became of journals by kind of damage; fail where one lost more than a torn record."""
    draw, found = random.Random(seed), {name: Counter[str]() for name in DAMAGE}
    with tempfile.TemporaryDirectory() as place:
        for number in range(times):
            folder = Path(place, str(number))
            with Journal(folder, "w") as journal:
                for answer in range(ANSWERS):
                    key = hashlib.sha256(f"{number} {answer}".encode()).hexdigest()
                    journal.sent(key, {"prompt": "1"})
                    journal.append(key, {"body": "Köln " * draw.randrange(400)})
            file, torn = folder / "w.jsonl", folder / "w.torn"
            name = draw.choice([*DAMAGE])
            before = DAMAGE[name](draw, file.read_bytes())
            file.write_bytes(before)
            whole = len(list(lines(file)))
            try:
                with Journal(folder, "w"):
                    kept = torn.read_bytes()[:-1] if torn.exists() else b""
            except BackendError:
                assert file.read_bytes() == before, f"{name}: a refused journal has changed"
                found[name]["refused"] += 1
                continue
            assert (file.read_bytes() + kept).removesuffix(b"\n") == before.removesuffix(b"\n"), (
                f"{name}: lost"
            )
            assert kept.count(b"\n") <= 1, f"{name}: cut by more than a line"
            assert len(list(lines(file))) == whole, f"{name}: a whole record was cut off"
            found[name]["one record beside it" if kept else "read"] += 1
    return found


def filled(disk: Path) -> str:
    """Fill a small disk while a job asks, make room and go on; return what was asked for more than once."""
    filler, free = disk / "filler", os.statvfs(disk)
    texts = [(f"a:{n}", f"Sentence {n} stands here{' and goes on' * 30}.") for n in range(SENTENCES)]
    filler.write_bytes(b"x" * (free.f_bavail * free.f_frsize - LEFT))
    with scripted_endpoint() as server:
        llm = model(server.url, concurrency=16)
        try:
            with opened(llm, disk / "state") as ask:
                ask(requests_to(llm), texts)
            stopped = "never"
        except OSError as error:
            stopped = f"by '{error}' after {len(server.requests)} requests"
        filler.unlink()
        with opened(llm, disk / "state") as ask:
            ask(requests_to(llm), texts)
        twice = len(server.requests) - len(set(server.prompts()))
    return f"stopped {stopped}; {twice} of {SENTENCES} were paid for twice"


def main() -> None:
    """Print a row for each kind of damage, or what became of a job on a disk that fills up."""
    logging.disable()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--disk", type=Path, help="a folder on a small disk of its own, which is filled")
    options = parser.parse_args()
    if options.disk:
        print(filled(options.disk))
        return
    for name, counts in damaged(options.times, options.seed).items():
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}")


if __name__ == "__main__":
    main()
