"""Programs and packages that jobs import or call."""

import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import yaml

from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs

PYTHON = (3, 11)  # requires-python of pyproject.toml, and that of envs/
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
JAPANESE = ("fugashi", "ipadic")  # MeCab and its dictionary, by which Japanese words are found
SHOWN = 8  # packages of another version that are named


def check_software(plan: Plan, needs: Needs, constraints: str, profile: str | None) -> list[Finding]:
    """Look at Python, the versions of packages, and programs and packages that only some jobs need."""
    return [
        check_python(),
        *check_versions(constraints),
        *_japanese(plan, needs),
        *_punkt(needs),
        *(check_profile(Path(profile)) if profile else []),
    ]


def check_python() -> Finding:
    """Look at the version of this interpreter."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON:
        return missing(
            "Python", f"is {found}; {'.'.join(map(str, PYTHON))} or newer is needed. Run make setup."
        )
    return fine("Python", found)


def check_versions(constraints: str, installed: Mapping[str, str] | None = None) -> list[Finding]:
    """Compare what is installed here with the tested versions; a package that is not here is not looked at.

    Jobs under `--sdm conda` have environments of their own, so another version is no more than a warning.

    Parameters
    ----------
    constraints : str
        Lines `name==version`.
    installed : mapping of name: version, optional
        In place of this interpreter's packages.
    """
    if installed is None:
        installed = {each.metadata["Name"]: each.version for each in metadata.distributions()}
    here = {_normal(name): version for name, version in installed.items()}
    pins = {_normal(name): version for name, version in PIN.findall(constraints)}
    # 2.13.0+cpu is a build of 2.13.0.
    others = [
        f"{name} {here[name]} (tested: {pin})"
        for name, pin in pins.items()
        if name in here and here[name].partition("+")[0] != pin.partition("+")[0]
    ]
    if not others:
        return [fine("packages", "the versions of constraints.txt")]
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    return [
        warning(
            "packages",
            f"{', '.join(others[:SHOWN])}{more}. Results were tested with the versions of constraints.txt: "
            "pip install -c constraints.txt -e .",
        )
    ]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()  # PEP 503


def _japanese(plan: Plan, needs: Needs) -> Iterator[Finding]:
    """Look for what finds words in Japanese text: of dictionaries and rewrites, and of some tokenizers."""
    rewrites = {job.wildcards["rewrites"] for job in needs.jobs if "rewrites" in job.wildcards}
    wanted: dict[str, tuple[str, ...]] = {
        f"rewrites.{name}": JAPANESE
        for name in sorted(rewrites)
        if plan.rewrites(name).language == "japanese"
    }
    for role in needs.encoders:
        packages = _tokenizer_packages(plan, role)
        wanted |= {f"encoders.{role}": packages} if packages else {}
    for key, packages in wanted.items():
        absent = [package for package in packages if importlib.util.find_spec(package) is None]
        if absent:
            install = f"pip install {' '.join(absent)}".replace("_", "-")
            yield missing(key, f"MeCab cuts its texts: {', '.join(absent)} cannot be imported. {install}")
        else:
            yield fine(key, f"{', '.join(packages)} can be imported")


def _tokenizer_packages(plan: Plan, role: str) -> tuple[str, ...]:
    """Return the packages that the tokenizer of an encoder on disk names: BertJapaneseTokenizer's."""
    from contrapose.preflight.needs import problem_of_encoder

    folder = None if problem_of_encoder(plan, role) else plan.encoder(role).folder
    path = Path(folder or "") / "tokenizer_config.json"
    if not folder or not path.is_file():
        return ()
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return ()  # told by the check of files
    if config.get("word_tokenizer_type") != "mecab":
        return ()
    return ("fugashi", (config.get("mecab_kwargs") or {}).get("mecab_dic") or "ipadic")


def _punkt(needs: Needs) -> Iterator[Finding]:
    """Say which sentence splitter the corpora will have."""
    if any(job.rule == "corpus_punkt" for job in needs.jobs):
        places = [Path(place) for place in os.environ.get("NLTK_DATA", "").split(os.pathsep) if place]
        places += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data", Path("/usr/share/nltk_data")]
        there = [place for place in places if (place / "tokenizers" / "punkt_tab" / "english").is_dir()]
        what = (
            f"NLTK's English parameters, in {there[0]}"
            if there
            else "trained on the articles (no punkt_tab here)"
        )
        yield fine("sentence splitter", what)


def check_profile(profile: Path) -> list[Finding]:
    """Look for what the executor of a Snakemake profile needs: its plugin and the programs of the cluster."""
    what = f"profile {profile}"
    path = next(
        (file for name in ("profile.yaml", "config.yaml") if (file := profile / name).is_file()), None
    )
    if path is None:
        return [unchecked(what, "has no profile.yaml here; Snakemake looks in other places, too.")]
    executor = (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("executor", "local")
    if executor == "local":
        return [fine(what, "runs jobs on this machine")]
    findings = []
    plugin = f"snakemake_executor_plugin_{executor.replace('-', '_')}"
    if importlib.util.find_spec(plugin) is None:
        install = f"pip install {plugin.replace('_', '-')}"
        findings.append(
            missing(what, f"its executor {executor} is not installed. {install} -c constraints.txt")
        )
    if executor == "slurm" and shutil.which("sbatch") is None:
        findings.append(
            missing(what, "there is no sbatch here. Start the workflow where jobs can be submitted.")
        )
    return findings or [fine(what, f"executor {executor}")]
