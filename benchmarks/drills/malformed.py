"""Malformed sentences, tables, settings, encoders and journals: is each read, or refused with a message?

python -m benchmarks.drills.malformed [--each 100] [--seed 0]
"""

import argparse
import logging
import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import transformers
import yaml
from hypothesis import strategies as st

from contrapose.base.errors import ContraposeError
from contrapose.base.home import HOME
from contrapose.generate.journal import Journal
from contrapose.generate.journal.tools import inspected
from contrapose.models.sentence_encoder import load_encoder
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
from contrapose.settings.yaml_files import read_yaml
from contrapose.tools.check_input import checked_encoder, checked_material, checked_pairs, checked_sentences

SECONDS = 20  # of one reading: what takes longer hangs
ANSWERS = 4  # in a journal
BYTES = 12 << 30  # of memory
NASTY = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b"'", b",", b"\t", b";", b":"),
    *(b"\\", b"\\ud800", b"\x1b[2J", "\u2028\u202e\ufffe😀".encode(), b"\xed\xa0\x80", b"=cmd()", b" ", b""),
    *(b"null", b"true", b"NaN", b"-1", b"0", b"-0.0", b"1e308", b"1e999", b"9" * 400, b"9" * 5000, b"1:30"),
    *(
        b"010",
        b"[" * 3000,
        b"{a: " * 2000,
        b"{",
        b"]",
        b"[]",
        b"{}",
        b"&a [*a]",
        b"*a",
        b"<<: *a",
        b"a" * 70000,
    ),
    *(b"!!python/object/apply:os.system [false]", b"__use_yte__: true", b"../../x", b"/", b"{x}", b"%s {0}"),
]
WORD = re.compile(rb"[\w.+-]+")

SENTENCES = b"".join(b"The old dog %d sat on the mat.\n" % number for number in range(6))
COLUMN = ("text", None)  # of sentences, and no documents
SCORED = b"sentence1,sentence2,score\n" + b"".join(b'"a, %d",b,%d\n' % (n, n % 5) for n in range(6))
OBJECTS = b"".join(b'{"sentence1": "a", "sentence2": "b", "score": %d}\n' % (n % 5) for n in range(6))
TRIPLETS = b"sent0,sent1,hard_neg\na b,b c,c d\nd e,e f,f g\n"
PHRASES = b"phrase,target,probability\nold dog,aged dog,0.5\nmat,rug,0.25\n"
CONFIG = (
    b"catalog: mini\nstudies: [thesis]\nseeds: 2\npathvars: {results: r}\nshards: {corpus: 2}\ndata: null\n"
)


def _settings(kind: Any) -> Callable[[Path], object]:
    return lambda path: validated(kind, read_yaml(path), str(path))


def _journal(path: Path) -> None:
    inspected(path)
    with Journal(path.parent, path.stem) as journal:
        [journal.get(f"{number:064x}") for number in range(ANSWERS)]


def _encoder(path: Path) -> None:
    """Read a folder whose file `path` is malformed, as `new` does, and as a job does."""
    try:
        checked_encoder(path.parent)
    finally:
        load_encoder(path.parent)


def _kept() -> dict[str, bytes]:
    """Return what is malformed below: {file: content}."""
    config = HOME / "config"
    return {
        "recipes.yaml": (config / "recipes.yaml").read_bytes(),
        "catalog.yaml": (config / "catalogs/mini.yaml").read_bytes(),
        "study.yaml": (config / "studies/rise/study.yaml").read_bytes(),
    }


def _answers() -> bytes:
    with tempfile.TemporaryDirectory() as folder, Journal(folder, "w") as journal:
        for number in range(ANSWERS):
            about = {"sentence_id": str(number), "prompt": "1", "attempt": 0, "model": "m"}
            journal.sent(f"{number:064x}", {**about, "most": [9, 9], "time": 1.0})
            body = '{"choices": [{"message": {"content": "a"}}]}'
            journal.append(f"{number:064x}", {**about, "status": 200, "outcome": "answer", "body": body})
        return (Path(folder) / "w.jsonl").read_bytes()


def targets() -> dict[str, tuple[str, bytes, Callable[[Path], object]]]:
    """Return {what: (file's name, its content, what reads it)}."""
    own = _kept()
    return {
        "sentences, a text file": ("a.txt", SENTENCES, lambda path: checked_sentences(path, None, None)),
        "sentences, CSV": (
            "a.csv",
            b"text\n" + SENTENCES,
            lambda path: checked_sentences(path, "text", None),
        ),
        "scored pairs, CSV": ("a.csv", SCORED, lambda path: checked_pairs([path], None)),
        "scored pairs, JSON Lines": ("a.jsonl", OBJECTS, lambda path: checked_pairs([path], None)),
        "pairs to train on, CSV": ("a.csv", TRIPLETS, lambda path: checked_material({"pairs": path})),
        "phrases, CSV": ("a.csv", PHRASES, lambda path: checked_material({"phrases": path})),
        "recorded answers, JSON Lines": (
            "a.jsonl",
            OBJECTS,
            lambda path: checked_material({"answers": path}),
        ),
        "config.yaml": ("config.yaml", CONFIG, _settings(Config)),
        "recipes.yaml": ("recipes.yaml", own["recipes.yaml"], _settings(Recipes)),
        "a catalog": ("catalog.yaml", own["catalog.yaml"], _settings(Catalog)),
        "a study": ("study.yaml", own["study.yaml"], _settings(Study)),
        "a journal": ("w.jsonl", _answers(), _journal),
    }


@st.composite
def malformed(draw: Any, content: bytes) -> bytes:
    """Draw a content with one to four changes: parts cut, doubled or replaced, nasty texts put in."""
    for _ in range(draw(st.integers(1, 3))):
        token = draw(st.sampled_from(NASTY) | st.binary(max_size=20))
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 200)))
        match draw(st.sampled_from(["word", "word", "put in", "cut", "double", "replace", "end"])):
            case "word" if words := [*WORD.finditer(content)]:
                word = words[draw(st.integers(0, len(words) - 1))]
                content = content[: word.start()] + token + content[word.end() :]
            case "cut":
                content = content[:start] + content[end:]
            case "double":
                content = content[:end] + content[start:]
            case "replace":
                content = content[:start] + token + content[end:]
            case "end":
                content = content[:start]
            case _:
                content = content[:start] + token + content[start:]
    return content


@contextmanager
def limited() -> Iterator[None]:
    """Raise TimeoutError after SECONDS."""

    def end(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def outcome(read: Callable[[Path], object], path: Path) -> str:
    """Return `read`, `message`, or what else came of it and where."""
    began = time.monotonic()
    try:
        with limited():
            read(path)
    except ContraposeError as error:
        if time.monotonic() - began > SECONDS:
            return "hangs"
        return "message" if str(error).strip() and len(str(error)) < 20_000 else "message empty or endless"
    except BaseException as error:
        ours = [each for each in traceback.extract_tb(error.__traceback__) if "contrapose" in each.filename]
        at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
        return f"{type(error).__name__} at {at}: {str(error)[:100]}"
    return "read"


def drill_one(content: bytes, name: str, read: Callable[[Path], object], of: Path | None) -> str:
    """Read a content as file `name`, in a copy of the folder `of`."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "given"
        shutil.copytree(of, place) if of else place.mkdir()
        (place / name).write_bytes(content)
        return outcome(read, place / name)


def drill(
    content: bytes, name: str, read: Callable[[Path], object], of: Path | None, each: int, seed: int
) -> Counter[str]:
    """Read `each` malformed contents as file `name`, in a copy of the folder `of`; count what came of it."""
    found = Counter[str]()

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=each, deadline=None, database=None, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(malformed(content))
    def one(text: bytes) -> None:
        result = drill_one(text, name, read, of)
        if result not in ("read", "message") and result not in found:
            print(f"  {name}: {result}: {text[:300]!r}", flush=True)
        found[result] += 1

    one()
    return found


def main() -> None:
    """Print a table of what was tried, and before each row what fell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--each", type=int, default=100, help="malformed inputs of each sort")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    logging.disable(logging.CRITICAL)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    every = {what: (*given, None) for what, given in targets().items()}
    encoder = HOME / "resources/mini/encoders/bert-base"
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        file = encoder / name
        every[f"an encoder's {file.name}"] = (file.name, file.read_bytes(), _encoder, encoder)
    total = Counter[str]()
    print("| input | tried | read | refused with a message | else | seconds |\n|---|---|---|---|---|---|")
    for what, (name, content, read, of) in every.items():
        unchanged = drill_one(content, name, read, of)
        assert unchanged == "read", f"{what} is not read as it is: {unchanged}"
        began = time.monotonic()
        found = drill(content, name, read, of, options.each, options.seed)
        else_ = found.total() - found["read"] - found["message"]
        row = (what, found.total(), found["read"], found["message"], else_, f"{time.monotonic() - began:.0f}")
        print(f"| {' | '.join(map(str, row))} |", flush=True)
        total.update(found)
    print(yaml.safe_dump(dict(total)))


if __name__ == "__main__":
    main()
