"""Data sets and models of the Hugging Face hub: whether they are there as the world names them.

One question for each repository, many at once; nothing is downloaded.  Where the hub cannot be asked, the
cache on this machine is looked at.
"""

import fnmatch
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from contrapose.errors import ConfigError, unknown
from contrapose.project import Project, data
from contrapose.tools.check.findings import Finding
from contrapose.tools.check.needs import Need

SECONDS = 20.0  # that a question may take; an answer about Wikipedia's 1,100 files takes one or two
AT_ONCE = 8  # questions; the hub allows 500 API requests in five minutes to who has no account
CONFIG, WEIGHTS = "config.json", ("model.safetensors", "model.safetensors.index.json")


class Wanted(NamedTuple):
    """A model, a data set or a file of one that an entry of the world names."""

    key: str  # the entry
    kind: str  # model or dataset
    id: str
    revision: str
    file: str = ""


def wanted_of(project: Project, needs: Sequence[Need]) -> list[Wanted]:
    """Return all that jobs will fetch from the hub."""
    found: dict[str, Any] = {}
    for need in needs:
        if need.section == "suites":
            sets = data.benchmark_sources(project, need.name)  # type: ignore[arg-type]
            found |= {f"benchmarks.{name}": source for name, source in sets.items()}
        elif need.section not in ("transfer", "llms"):
            source = getattr(project.world, need.section)
            found[need.key] = source[need.name] if need.name else source
    return [one for key, source in found.items() for one in _wanted(key, source)]


def _wanted(key: str, source: Any) -> Iterator[Wanted]:
    if getattr(source, "revision", None):
        kind = "dataset" if hasattr(source, "dataset") else "model"
        yield Wanted(key, kind, getattr(source, kind), source.revision, getattr(source, "file", ""))


def check_hub(wanted: Sequence[Wanted]) -> list[Finding]:
    """Look for all of it on the hub, or in the cache where there is no way to the hub."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(_checked, wanted))


def _checked(one: Wanted) -> Finding:
    import httpx2
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RevisionNotFoundError

    what = f"{one.key}: {one.id}"
    api = HfApi(constants.ENDPOINT)
    ask: Any = api.model_info if one.kind == "model" else api.dataset_info
    try:
        info = ask(one.id, revision=one.revision, timeout=SECONDS)
        _check_files(one, [each.rfilename for each in info.siblings or []])
        if info.gated:
            api.auth_check(one.id, repo_type=one.kind)
        return Finding("fine", what, f"{one.revision[:7]} is on the hub")
    except ConfigError as error:
        return Finding("missing", what, f"{error}")
    except GatedRepoError:
        page = f"{constants.ENDPOINT}/{'datasets/' * (one.kind == 'dataset')}{one.id}"
        found = f"is gated. Ask for access on {page}, then set HF_TOKEN to a token that has it."
        return Finding("missing", what, found)
    except RevisionNotFoundError:
        found = f"has no revision {one.revision}. Choose one of its commits in the world file."
        return Finding("missing", what, found)
    except HfHubHTTPError as error:
        if error.response.status_code in (401, 403, 404):
            found = (
                "is not on the hub, or it is private. Correct its name in the world file, or set HF_TOKEN."
            )
            return Finding("missing", what, found)
        return _of_cache(one, what, f"the hub answers {error.response.status_code}")
    except (httpx2.TransportError, OSError, ValueError) as error:
        return _of_cache(one, what, f"{constants.ENDPOINT} cannot be asked ({type(error).__name__}: {error})")


def _check_files(one: Wanted, files: Sequence[str]) -> None:
    """Raise a ConfigError if a repository lacks what a job reads of it."""
    if one.file and one.file not in files:
        raise unknown("its files", one.file, files)
    if one.kind == "model" and CONFIG not in files:
        raise ConfigError(f"has no {CONFIG}. Choose a model of transformers.")
    if one.kind == "model" and not fnmatch.filter(files, "*.safetensors"):
        raise ConfigError(
            "has no safetensors weights, and a pickle is never read. Choose a revision that has them "
            "(docs/sources.md)."
        )


def _of_cache(one: Wanted, what: str, why: str) -> Finding:
    """Look for it in the cache on this machine; of a whole data set that cannot be told."""
    if one.kind == "model":
        cached = _is_cached(one, CONFIG) and any(_is_cached(one, name) for name in WEIGHTS)
    else:
        cached = bool(one.file) and _is_cached(one, one.file)
    if cached:
        return Finding("fine", what, f"{one.revision[:7]} is in the cache; {why}")
    found = f"{why}, and it is not in the cache. Mend the network, or set HF_HOME to a cache that has it."
    return Finding("missing" if one.kind == "model" or one.file else "not checked", what, found)


def _is_cached(one: Wanted, file: str) -> bool:
    from huggingface_hub import constants, try_to_load_from_cache

    # By name, because the function's default is the cache of the moment it was imported.
    folder = constants.HF_HUB_CACHE
    return isinstance(try_to_load_from_cache(one.id, file, folder, one.revision, one.kind), str)
