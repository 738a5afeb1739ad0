"""Check that data sets and models of the Hugging Face hub exist under the names that the world gives.

One request each, several at once; nothing is downloaded.  Where the hub cannot be reached, the cache on this
machine is searched.
"""

import fnmatch
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx2
from huggingface_hub import HfApi, constants, errors, try_to_load_from_cache

from contrapose.errors import ConfigError, unknown
from contrapose.project import Project, data
from contrapose.tools.check.findings import Finding, judged
from contrapose.tools.needs import Need

SECONDS = 20.0  # timeout of a request; an answer about Wikipedia's 1,100 files takes one or two
AT_ONCE = 8  # requests; the hub allows 500 API requests in five minutes without an account
CONFIG = "config.json"


def on_hub(project: Project, needs: Sequence[Need]) -> dict[str, Any]:
    """Return {key: entry of the world} of everything that jobs fetch from the hub."""
    found: dict[str, Any] = {}
    for need in needs:
        if need.section == "suites":
            sets = data.benchmarks(project, need.name)  # type: ignore[arg-type]
            found |= {f"benchmarks.{each}": source for each, source in sets.items()}
        elif need.section not in ("transfer", "llms"):
            found[need.key] = need.source(project)
    return {key: source for key, source in found.items() if getattr(source, "revision", None)}


def check_hub(wanted: Mapping[str, Any]) -> list[Finding]:
    """Look for entries of a world on the hub, or in the cache where the hub cannot be reached."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda one: judged(one[0], partial(_checked, one[1])), wanted.items()))


def _checked(source: Any) -> str:
    kind = "dataset" if hasattr(source, "dataset") else "model"
    id, revision, file = getattr(source, kind), source.revision, getattr(source, "file", "")
    api = HfApi(constants.ENDPOINT)
    names = [file] if kind == "dataset" else [CONFIG, "model.safetensors"]
    try:
        info = api.repo_info(id, revision=revision, repo_type=kind, timeout=SECONDS)
        if info.gated:
            api.auth_check(id, repo_type=kind)
    except errors.GatedRepoError as error:
        page = f"{constants.ENDPOINT}/{'datasets/' * (kind == 'dataset')}{id}"
        raise ConfigError(f"{id} is gated. Ask for access on {page}, then set HF_TOKEN.") from error
    except errors.RevisionNotFoundError as error:
        commit = "Name one of its commits in the world."
        raise ConfigError(f"{id} has no revision {revision}. {commit}") from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        advice = "Correct the name, or set HF_TOKEN."
        raise ConfigError(f"{id} is not on the hub, or is private. {advice}") from error
    except (httpx2.TransportError, OSError, ValueError) as error:
        return _cached(id, revision, kind, names, f"{constants.ENDPOINT} does not answer: {error}")
    files = [each.rfilename for each in info.siblings or []]
    if file and file not in files:
        raise unknown(f"files of {id}", file, files)
    if kind == "model" and not (CONFIG in files and fnmatch.filter(files, "*.safetensors")):
        raise ConfigError(f"{id} has no {CONFIG} or no *.safetensors. Choose a revision that has both.")
    return f"{id}, {revision[:7]}, is on the hub"


def _cached(id: str, revision: str, kind: str, names: Sequence[str], why: str) -> str:
    folder = constants.HF_HUB_CACHE  # passed on, as the function's default is fixed at its import
    found = [try_to_load_from_cache(id, name, folder, revision, kind) for name in names if name]
    if not found or not all(isinstance(path, str) for path in found):
        raise ConfigError(
            f"{why}, and {id} is not in the cache. Check the network, or set HF_HOME to a cache that has it."
        )
    return f"{id}, {revision[:7]}, is in the cache; {why}"
