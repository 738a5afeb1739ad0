"""Data sets and models of the Hugging Face hub: whether they are there as the world names them.

One question for each repository, many at once, about its files and its card; nothing is downloaded.  Where
the hub cannot be asked, the cache on this machine is looked at.
"""

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies

from tqdm import tqdm

from contrapose.errors import unknown
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs
from contrapose.retrieve.hub import FETCHED, NOT_FETCHED
from contrapose.settings.worlds import (
    BenchmarkHub,
    EncoderHub,
    HubArchive,
    HubFile,
    HubTable,
    LanguageModelHub,
    RinnaSource,
)

if TYPE_CHECKING:
    from huggingface_hub import DatasetInfo, ModelInfo

SECONDS = 20.0  # that a question may take; an answer about Wikipedia's 1,100 files takes one or two
AT_ONCE = 8  # questions; the hub allows 500 API requests in five minutes to who has no account
COMMIT = re.compile(r"[0-9a-f]{40}")
CONFIG, WEIGHTS = "config.json", "*.safetensors"
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
DATA = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".txt", ".arrow", ".gz", ".zip", ".zst")
SPLITS = {"validation": ("validation", "valid", "dev"), "test": ("test", "eval"), "train": ("train",)}


@dataclass(frozen=True)
class Wanted:
    """A model, a file or a split of a data set that an entry of the world names."""

    key: str  # the entry
    kind: Literal["model", "dataset"]
    id: str
    revision: str
    file: str | None = None
    name: str | None = None  # configuration of a data set
    splits: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    streamed: bool = False  # read over the network, row by row: leaves no file

    @property
    def repository(self) -> tuple[str, str, str]:
        """Return what one question is asked about."""
        return self.kind, self.id, self.revision


@dataclass(frozen=True)
class Repository:
    """What the hub says of a repository."""

    files: dict[str, int | None]  # name: bytes
    card: dict  # of a data set: `configs` and `dataset_info`
    config: dict  # of a model
    gated: bool = False
    access: bool = True  # of a gated one


@dataclass(frozen=True)
class Failure:
    """Why nothing is known of a repository."""

    level: Literal["missing", "unchecked", "unreached"]
    why: str


def wanted_of_hub(plan: Plan, needs: Needs) -> list[Wanted]:
    """Return all that jobs will fetch from the hub."""
    world = plan.world
    found: dict[str, object] = {f"collections.{name}": world.collections[name] for name in needs.collections}
    found |= {f"benchmarks.{name}": world.benchmarks[name] for name in needs.benchmarks}
    found |= {f"sentence_files.{name}": world.sentence_files[name] for name in needs.sentence_files}
    found |= {f"triple_files.{name}": world.triple_files[name] for name in needs.triple_files}
    found |= {f"encoders.{role}": world.encoders[role] for role in needs.encoders}
    found |= {f"language_models.{role}": world.language_models[role] for role in needs.language_models}
    found |= {"articles": world.articles} if needs.articles else {}
    found |= {"archive": world.archive} if needs.archive else {}
    return [one for key, source in found.items() if (one := _wanted(key, source))]


def _wanted(key: str, source: object) -> Wanted | None:
    if isinstance(source, EncoderHub | LanguageModelHub):
        return Wanted(key, "model", source.model, source.revision)
    if isinstance(source, RinnaSource) and source.model and source.revision:
        return Wanted(key, "model", source.model, source.revision)
    if isinstance(source, HubFile | HubArchive):
        return Wanted(key, "dataset", source.dataset, source.revision, file=source.file)
    if isinstance(source, HubTable):
        columns = tuple(filter(None, (source.id, source.title, source.text)))
        about = {"name": source.name, "splits": (source.split,), "columns": columns, "streamed": True}
        return Wanted(key, "dataset", source.dataset, source.revision, **about)  # type: ignore[arg-type]
    if isinstance(source, BenchmarkHub):
        names = [source.columns.get(ours, ours) for ours in ("sentence1", "sentence2", "score")]
        return Wanted(
            key, "dataset", source.dataset, source.revision,
            name=source.name,
            splits=tuple(dict.fromkeys(source.splits.values())),
            columns=(*names, *source.where),
        )  # fmt: skip
    return None


def check_hub(wanted: Sequence[Wanted]) -> tuple[list[Finding], float]:
    """Look for all of it on the hub, or in the cache where there is no way to the hub.

    Returns
    -------
    list of Finding
    float
        Bytes that will be downloaded and kept, as far as the hub says the sizes.
    """
    from huggingface_hub import constants

    if not wanted:
        return [], 0.0
    if constants.HF_HUB_OFFLINE:
        return _of_cache(wanted, "HF_HUB_OFFLINE is set, so the hub is not asked", "Unset it"), 0.0
    answers = _answers(wanted)
    unreached = [answer for answer in answers.values() if isinstance(answer, Failure)]
    if why := next((answer.why for answer in unreached if answer.level == "unreached"), ""):
        return _of_cache(wanted, f"the hub cannot be reached at {why}", "Mend the network"), 0.0
    findings: list[Finding] = []
    size: float = 0.0
    fetched: set[tuple[str, str, str]] = set()
    for one in wanted:
        answer = answers[one.repository]
        findings += _findings(one, answer)
        if isinstance(answer, Repository) and not one.streamed:
            files = {(one.kind, one.id, name): answer.files[name] or 0 for name in _not_cached(one, answer)}
            size += sum(bytes for file, bytes in files.items() if file not in fetched)
            fetched |= set(files)
    return findings, size


def _answers(wanted: Sequence[Wanted]) -> dict[tuple[str, str, str], Repository | Failure]:
    """Ask about every repository once; about the first alone, to see whether there is a way to the hub."""
    first, *others = dict.fromkeys(one.repository for one in wanted)
    answers = {first: _asked(*first)}
    if isinstance(answers[first], Failure) and answers[first].level == "unreached":  # type: ignore[union-attr]
        return answers
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = tqdm(pool.map(lambda one: _asked(*one), others), "asking the hub", len(others), delay=2)
        return answers | dict(zip(others, found, strict=True))


def _asked(kind: str, id: str, revision: str) -> Repository | Failure:
    import httpx2
    from huggingface_hub import HfApi, constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        RevisionNotFoundError,
    )

    api = HfApi(constants.ENDPOINT)
    ask = api.model_info if kind == "model" else api.dataset_info
    try:
        info = ask(id, revision=revision, files_metadata=True, timeout=SECONDS)
        answer = _repository(info)
        if not answer.gated:
            return answer
        file = CONFIG if CONFIG in answer.files else next(iter(answer.files), CONFIG)
        url = hf_hub_url(id, file, repo_type=kind, revision=revision, endpoint=constants.ENDPOINT)
        try:
            get_hf_file_metadata(url, timeout=SECONDS)
        except GatedRepoError:
            return Repository(answer.files, answer.card, answer.config, gated=True, access=False)
        return answer
    except GatedRepoError:
        return Failure("missing", _gated(kind, id))
    except RevisionNotFoundError:
        return Failure("missing", f"has no revision {revision}. Choose one of its commits in the world file.")
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status in (401, 403, 404):
            return Failure(
                "missing",
                "is not on the hub, or it is private and the token has no access. Correct its name in the "
                "world file, or set HF_TOKEN to a token that has access.",
            )
        return Failure("unchecked", f"the hub answers {status}. Try again later.")
    except HFValidationError as error:
        return Failure("missing", f"is no name of a repository ({error}). Correct it in the world file.")
    except ValueError as error:  # of a proxy that wants a login, for instance
        return Failure("unchecked", f"what answers at {constants.ENDPOINT} is no hub ({error}).{_through()}")
    except (httpx2.TransportError, OSError) as error:
        return Failure("unreached", f"{constants.ENDPOINT} ({type(error).__name__}: {error}){_through()}")


def _repository(info: "ModelInfo | DatasetInfo") -> Repository:
    card = info.card_data.to_dict() if info.card_data and hasattr(info, "citation") else {}
    return Repository(
        files={each.rfilename: each.size for each in info.siblings or []},
        card=card,
        config=getattr(info, "config", None) or {},
        gated=bool(info.gated),
    )


def _through() -> str:
    """Name the proxy that questions go through, without its password."""
    proxy = getproxies().get("https") or getproxies().get("http")
    if not proxy:
        return ""
    parts = urlsplit(proxy)
    return f", by way of the proxy {parts.hostname}:{parts.port}"


def _gated(kind: str, id: str) -> str:
    from huggingface_hub import constants, get_token

    page = f"{constants.ENDPOINT}/{'datasets/' * (kind == 'dataset')}{id}"
    token = "the token has no access" if get_token() else "there is no token"
    return f"is gated, and {token}. Ask for access on {page}, then set HF_TOKEN, or run `hf auth login`."


def _findings(one: Wanted, answer: Repository | Failure) -> Iterator[Finding]:
    what = f"{one.key}: {one.id}"
    if isinstance(answer, Failure):
        yield Finding("missing" if answer.level == "missing" else "unchecked", what, answer.why)
        return
    if answer.gated and not answer.access:
        yield missing(what, _gated(one.kind, one.id))
        return
    problems = list(_problems_of_model(answer) if one.kind == "model" else _problems_of_data(one, answer))
    yield from (Finding(level, what, found) for level, found in problems)
    if not COMMIT.fullmatch(one.revision):
        yield warning(what, f"'{one.revision}' is no commit: what is there may change. Pin it.")
    if not any(level == "missing" for level, _ in problems):
        yield fine(what, f"{one.revision[:7]}, {_to_fetch(one, answer)}")


def _to_fetch(one: Wanted, answer: Repository) -> str:
    names = _not_cached(one, answer)
    if not names:
        return "in the cache"
    verb, sizes = "read" if one.streamed else "fetch", [answer.files[name] for name in names]
    if None in sizes:  # another hub than Hugging Face's may leave them out
        return f"{len(names)} files of unknown size to {verb}"
    return f"{sum(filter(None, sizes)) / 1e6:,.1f} MB to {verb}"


Problem = tuple[Literal["missing", "unchecked"], str]


def _problems_of_model(answer: Repository) -> Iterator[Problem]:
    names = _fetched_of_model(answer.files)
    if CONFIG not in names:
        yield "missing", f"has no {CONFIG}. Choose a model of transformers."
    if not fnmatch.filter(names, WEIGHTS):
        pickles = sorted(name for name in answer.files if name.endswith((".bin", ".pt", ".ckpt")))
        there = f"has its weights only as a pickle ({', '.join(pickles)})" if pickles else "has no weights"
        yield (
            "missing",
            f"{there}; only safetensors are read. Choose a revision with safetensors (docs/sources.md).",
        )
    if not any(fnmatch.filter(names, tokenizer) for tokenizer in TOKENIZERS):
        yield "missing", f"has no tokenizer (one of {', '.join(TOKENIZERS)})."
    if "auto_map" in answer.config:
        yield "missing", "brings code of its own (auto_map), which is never run. Choose another model."


def _problems_of_data(one: Wanted, answer: Repository) -> Iterator[Problem]:
    if one.file is not None:
        if one.file not in answer.files:
            yield "missing", f"{unknown('its files', one.file, answer.files)}"
        return
    script = f"{one.id.rsplit('/', 1)[-1]}.py"
    if script in answer.files:
        yield (
            "missing",
            f"has a loading script ({script}), which `datasets` refuses. Choose a revision without.",
        )
    configs = _configs(answer)
    if one.name is not None and configs and one.name not in configs:
        yield "missing", f"{unknown('its configurations', one.name, configs)}"
        return
    about = configs.get(one.name or "default") or (next(iter(configs.values())) if len(configs) == 1 else {})
    splits, columns = about.get("splits", []), about.get("columns", [])
    for split in one.splits:
        if splits and split not in splits:
            yield "missing", f"{unknown('its splits', split, splits)}"
        elif not splits and not _names_split(answer.files, split):
            yield "unchecked", f"neither its card nor a file names the split '{split}'; the job will see."
    for column in one.columns:
        if columns and column not in columns:
            yield "missing", f"{unknown('its columns', column, columns)}"


def _configs(answer: Repository) -> dict[str, dict[str, list[str]]]:
    """Return {configuration: its splits and columns} as far as the card says them."""
    found: dict[str, dict[str, list[str]]] = {}
    infos = answer.card.get("dataset_info") or []
    for info in [infos] if isinstance(infos, dict) else infos:
        found[info.get("config_name", "default")] = {
            "splits": [each["name"] for each in info.get("splits") or []],
            "columns": [each["name"] for each in info.get("features") or []],
        }
    for config in answer.card.get("configs") or []:
        own = found.setdefault(config.get("config_name", "default"), {})
        files = config.get("data_files")
        if isinstance(files, list) and all(isinstance(each, dict) and "split" in each for each in files):
            own["splits"] = [each["split"] for each in files]  # by these the data are read
    return found


def _names_split(files: Sequence[str] | dict[str, int | None], split: str) -> bool:
    """Tell whether the name of a file has the split in it, as `datasets` looks for it."""
    words = "|".join(SPLITS.get(split, (split,)))
    return any(re.search(rf"(^|[^a-z])({words})([^a-z]|$)", name) for name in files if name.endswith(DATA))


def _fetched_of_model(files: dict[str, int | None]) -> list[str]:
    from huggingface_hub.utils import filter_repo_objects

    return list(filter_repo_objects(files, allow_patterns=FETCHED, ignore_patterns=NOT_FETCHED))


def _fetched(one: Wanted, answer: Repository) -> list[str]:
    """Return the files that will be fetched; of a data set whose card does not say it, all that may be."""
    if one.kind == "model":
        return _fetched_of_model(answer.files)
    if one.file is not None:
        return [one.file] if one.file in answer.files else []
    files = [name for name in answer.files if name.endswith(DATA)]
    for config in answer.card.get("configs") or []:
        patterns = list(_patterns(config.get("data_files")))
        if config.get("config_name") == (one.name or "default") and patterns:
            return [name for name in files if any(fnmatch.fnmatch(name, each) for each in patterns)]
    own = [name for name in files if one.name and name.startswith(f"{one.name}/")]
    return own or files


def _patterns(files: object) -> Iterator[str]:
    if isinstance(files, str):
        yield files
    elif isinstance(files, dict):
        yield from _patterns(files.get("path"))
    elif isinstance(files, list):
        for each in files:
            yield from _patterns(each)


def _not_cached(one: Wanted, answer: Repository) -> list[str]:
    return [name for name in _fetched(one, answer) if not _is_cached(one, name)]


def _is_cached(one: Wanted, file: str) -> bool:
    from huggingface_hub import constants, try_to_load_from_cache

    # By name, because the function's default is the cache of the moment it was imported.
    folder = constants.HF_HUB_CACHE
    return isinstance(try_to_load_from_cache(one.id, file, folder, one.revision, one.kind), str)


def _of_cache(wanted: Sequence[Wanted], why: str, mend: str) -> list[Finding]:
    """Look for all of it in the cache on this machine; say once why, and name what is not there."""
    from huggingface_hub import constants

    cached = [one for one in wanted if _in_cache(one)]
    lacking = [one for one in wanted if one not in cached]
    findings = [fine(f"{one.key}: {one.id}", f"{one.revision[:7]}, in the cache") for one in cached]
    if not lacking:
        return [*findings, unchecked("hub", f"{why}; all that is needed is in the cache.")]
    names = "\n".join(f"{one.key}: {one.id}@{one.revision} {one.file or ''}".rstrip() for one in lacking)
    return [
        *findings,
        missing(
            "hub",
            f"{why}, and of {len(wanted)} things that jobs need, {len(lacking)} are not in the cache "
            f"{constants.HF_HUB_CACHE}. {mend}, or fetch them on a machine with internet and set HF_HOME to "
            f"its cache, or choose another world:\n{names}",
        ),
    ]


def _in_cache(one: Wanted) -> bool:
    """Tell whether a job can do without the hub."""
    if one.kind == "model":
        weights = ("model.safetensors", "model.safetensors.index.json")
        return _is_cached(one, CONFIG) and any(_is_cached(one, name) for name in weights)
    if one.file is not None:
        return _is_cached(one, one.file)
    return not one.streamed and _is_prepared(one)


def _is_prepared(one: Wanted) -> bool:
    """Tell whether `datasets` has a data set in its own form: OWNER___NAME/CONFIG/VERSION/COMMIT."""
    from huggingface_hub import constants

    default = Path(constants.HF_HOME) / "datasets"
    cache = Path(os.environ.get("HF_DATASETS_CACHE") or default)
    own = one.id.replace("/", "___").replace("_", "").lower()  # the library writes AtecSet as atec_set
    folders = (path for path in cache.glob("*") if path.name.replace("_", "").lower() == own.replace("_", ""))
    return any(next(folder.glob(f"{one.name or '*'}/*/{one.revision}"), None) for folder in folders)
