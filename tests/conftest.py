"""Fixtures that several stages share."""

import compileall
import fcntl
import gc
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.checkout import HOME, OTHERS, PROMPTS, TARGET, Checkout, checkout

# Hubs of tests are on this machine.
os.environ.pop("HF_HUB_OFFLINE", None)
# Before anything imports PyTorch: for models as tiny as these, threads cost more than they give.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The same products on every machine, and no file in the user's cache.
os.environ.setdefault("CONTRAPOSE_MATMUL_BACKEND", "onednn")
# An example, and finding one, may take long where many tests run at once.
settings.register_profile("no deadline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no deadline")

WORDS = [
    "a",
    "the",
    "cat",
    "dog",
    "bird",
    "sat",
    "ran",
    "flew",
    "on",
    "in",
    "mat",
    "park",
    "tree",
    "big",
    "small",
    "red",
    "quick",
    "slept",
    "away",
]


@pytest.fixture(autouse=True)
def no_handler_stays() -> Iterator[None]:
    """Remove what a command or job gives the root logger: it writes to streams that are closed."""
    before = list(logging.root.handlers)
    yield
    for handler in list(logging.root.handlers):
        if type(handler) is logging.StreamHandler and handler not in before:
            logging.root.removeHandler(handler)


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Give a function (model type, number) -> folder of a tiny encoder with random weights, made once.

    `bert` knows the words of `WORDS`, `roberta` the single bytes.  Both take at most 16 tokens.  Their
    weights are larger than usual, so that sentences differ without pre-training.
    """
    made: dict[tuple[str, int], Path] = {}

    def folder(model_type: str = "bert", number: int = 0) -> Path:
        if (model_type, number) not in made:
            path = tmp_path_factory.mktemp(f"tiny-{model_type}-{number}")
            _make_encoder(path, model_type, number)
            made[model_type, number] = path
        return made[model_type, number]

    return folder


def _make_encoder(path: Path, model_type: str, number: int) -> None:
    import torch
    from transformers import BertTokenizer, RobertaTokenizer
    from transformers.convert_slow_tokenizer import bytes_to_unicode
    from transformers.models.bert import BertConfig, BertModel
    from transformers.models.roberta import RobertaConfig, RobertaModel

    size: dict[str, float] = {
        "hidden_size": 16,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    size["initializer_range"] = 0.2
    generator_state = torch.get_rng_state()
    torch.manual_seed(number)
    if model_type == "bert":
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        vocabulary = {word: at for at, word in enumerate([*special, *WORDS])}
        BertTokenizer(vocab=vocabulary, model_max_length=16).save_pretrained(path)
        config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=16, **size)
        BertModel(config).save_pretrained(path)
    else:
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        vocabulary = {word: at for at, word in enumerate([*special, *bytes_to_unicode().values()])}
        RobertaTokenizer(vocab=vocabulary, merges=[], model_max_length=16).save_pretrained(path)
        # Positions count from the padding id + 1, so 16 tokens need 18.
        sizes = {"vocab_size": len(vocabulary), "max_position_embeddings": 18, "type_vocab_size": 1}
        RobertaModel(RobertaConfig(**sizes, **size)).save_pretrained(path)
    torch.set_rng_state(generator_state)


Made = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Give a function (name, make) -> a folder that `make` writes once for all workers; nobody changes it."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def folder(name: str, make: Callable[[Path], object]) -> Path:
        made = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                draft = tmp_path_factory.mktemp("draft") / name
                make(draft)
                draft.rename(made)
        return made

    return folder


@pytest.fixture(scope="session")
def made_world(once: Made) -> Path:
    """Return the data folder of a small mini world."""
    from contrapose.settings.catalogs import MiniWorld
    from contrapose_mini.files import write_mini_world

    size = MiniWorld(seed=7, articles=82, pairs=6)
    return once("made-world", lambda draft: write_mini_world(draft, size))


@pytest.fixture(scope="session")
def finished(once: Made, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The small project, built once for all workers.  Whoever changes this copy of it brings it back."""
    built = once("small-project", lambda draft: checkout(draft).run(TARGET, PROMPTS, *OTHERS))
    return Checkout(shutil.copytree(built, tmp_path_factory.mktemp("finished") / "project", symlinks=True))


def pytest_collection(session: pytest.Session) -> None:
    """Look for no garbage while modules are imported: they stay."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave the modules and tests out of every later look for garbage: all of them take a second."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that needs the whole small project, which takes minutes to build, as slow."""
    for item in items:
        if "finished" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the packages once, before workers, jobs and copies of the project import them."""
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(HOME / "src", quiet=2)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden/*: read the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Give a function (file name, text) that holds the text against a frozen file below tests/golden/."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} is not frozen yet: pytest --update-golden"
        assert path.read_text(encoding="utf-8") == text, (
            f"{name} has changed: pytest --update-golden, read the diff"
        )

    return check
