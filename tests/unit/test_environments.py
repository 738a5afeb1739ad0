"""The environments of `--sdm conda` and the image of `--sdm apptainer` hold what the rules need, pinned."""

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.checkout import HOME
from tests.environments import distributions_of, jobs_by_environment

ENVIRONMENTS = sorted((HOME / "envs").glob("*.yaml"))
NAMES = [path.name for path in ENVIRONMENTS]
# What transformers imports for the tokenizer of a model that a catalog names: BertJapaneseTokenizer.
OF_TOKENIZERS = {"train.yaml": {"fugashi", "unidic-lite"}}
PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!+]+)")


def pins(lines: list[str]) -> dict[str, str]:
    """Return normalised name: exact version, of lines that are each one pin."""
    found = {}
    for line in lines:
        pin = PIN.fullmatch(line)
        assert pin, f"{line!r} is no exact pin: name==version"
        found[canonicalize_name(pin[1])] = pin[2]
    assert len(found) == len(lines), "a package is pinned twice"
    return found


CONSTRAINTS = pins((HOME / "constraints.txt").read_text().splitlines())


def pinned(name: str) -> dict[str, str]:
    """Return what an environment file pins with pip, which is all but Python and pip."""
    return pins(yaml.safe_load((HOME / "envs" / name).read_text())["dependencies"][-1]["pip"])


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=NAMES)
def test_an_environment_is_a_file_as_conda_reads_it(path: Path):
    content = yaml.safe_load(path.read_text())
    assert list(content) == ["channels", "dependencies"]
    assert content["channels"] == ["conda-forge", "nodefaults"]
    python, pip, packages = content["dependencies"]
    tested = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["mypy"]["python_version"]
    assert (python, pip, list(packages)) == (f"python={tested}", "pip", ["pip"])


@pytest.mark.parametrize("name", NAMES)
def test_it_pins_what_the_scripts_of_its_rules_import_as_constraints_txt_has_it_in_order(name: str):
    found = pinned(name)
    assert found == {package: CONSTRAINTS.get(package) for package in found}
    assert list(found) == sorted(found)
    needed = set().union(*(distributions_of(*job) for job in jobs_by_environment()[name].items()))
    assert set(found) == needed | OF_TOKENIZERS.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_what_it_brings_along_is_pinned_too(name: str):
    todo, seen = list(pinned(name)), set()
    while todo:
        package = todo.pop()
        if package not in seen:
            seen.add(package)
            wanted = (Requirement(line) for line in requires(package) or [])
            here = [each.name for each in wanted if not each.marker or each.marker.evaluate({"extra": ""})]
            # PyTorch names exact versions of its own CUDA packages; its CPU build has none.
            todo += [canonicalize_name(each) for each in here if not each.startswith(("nvidia-", "triton"))]
    assert seen <= CONSTRAINTS.keys()


def test_every_rule_with_a_script_names_an_environment_that_is_there():
    assert sorted(jobs_by_environment()) == NAMES


def test_the_image_has_the_python_that_was_tested_and_is_made_of_pins_that_are_sent_to_its_builder():
    recipe = (HOME / "envs/Containerfile").read_text()
    copied = re.search(r"^COPY (.+) \./$", recipe, re.MULTILINE)
    sent = [line[1:] for line in (HOME / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert copied
    assert sorted(copied[1].split()) == sorted(sent) == ["constraints.txt", "pyproject.toml"]
    project = tomllib.loads((HOME / "pyproject.toml").read_text())
    assert f"python:{project['tool']['mypy']['python_version']}-slim" in recipe
    wanted = {canonicalize_name(Requirement(line).name) for line in project["project"]["dependencies"]}
    assert wanted <= CONSTRAINTS.keys()
    assert set().union(*(pinned(name) for name in NAMES)) <= wanted
