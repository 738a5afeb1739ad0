"""`make publish` on the small project: what a stranger gets."""

import getpass
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import frictionless
import pandas as pd
import pytest

from contrapose.base.errors import ConfigError, ContraposeError, TableError
from contrapose.project import Project
from contrapose.settings.cli_config import given_config
from contrapose.tools.publish.chain import Chain, built_chain
from contrapose.tools.publish.package import _copy_results, main, publish
from tests.checkout import HOME, TARGET, Checkout

KILLED = """
import os, signal, sys
from contrapose.tools.publish import package
package.check_no_leak = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
package.main(["--to", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def project(finished: Checkout):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        yield finished


@pytest.fixture(scope="module")
def chain(project: Checkout) -> Chain:
    return built_chain([])


@pytest.fixture(scope="module")
def package(chain: Chain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package, written twice: the second call must not change a byte."""
    made, again = (tmp_path_factory.mktemp("publish") / name for name in ("made", "again"))
    main(["--to", str(made)])
    assert publish(chain, again) == {}
    assert contents(made) == contents(again)
    shutil.rmtree(again)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_frictionless_accepts_it_and_finds_what_was_changed(package, tmp_path):
    report = frictionless.validate(str(package / "datapackage.json"))
    assert report.valid, report.flatten(["name", "type", "message"])
    changed = Path(shutil.copytree(package, tmp_path / "changed"))
    with (changed / "tables/smoke_table1.parquet").open("ab") as file:
        file.write(b"x")
    found = frictionless.validate(str(changed / "datapackage.json")).flatten(["type"])
    assert {kind for (kind,) in found} == {"hash-count", "byte-count"}


def test_the_descriptor_lists_every_file_with_its_columns(package):
    described = json.loads((package / "datapackage.json").read_text())
    resources = {each["path"]: each for each in described["resources"]}
    assert set(resources) == set(contents(package)) - {"datapackage.json"}
    fields = {path: each["schema"]["fields"] for path, each in resources.items() if "schema" in each}
    assert all(field["description"] for each in fields.values() for field in each)
    printed = pd.read_csv(package / "tables/smoke_table1.csv")
    assert [field["name"] for field in fields["tables/smoke_table1.csv"]] == list(printed.columns)
    tidy = {field["name"]: field["type"] for field in fields["tables/smoke_table1.parquet"]}
    assert (tidy["run"], tidy["n"], tidy["value"]) == ("string", "integer", "number")
    assert described["licenses"] == [{"name": "Apache-2.0", "path": "LICENSE"}]


def test_every_table_and_figure_is_in_it(project, package):
    for kind in ("tables", "figures"):
        built = {path.name for path in (project.folder / "results" / kind).glob("[!.]*")}
        assert {path.name for path in (package / kind).iterdir()} == built


def test_no_file_says_on_which_machine_or_by_whom_it_was_made(project, package):
    forbidden = [str(HOME), str(project.folder), str(Path.home()) + "/", f"/{getpass.getuser()}/"]
    for name, content in contents(package).items():
        assert not [text for text in forbidden if text.encode() in content], name


def test_the_settings_are_there_without_what_belongs_to_this_machine(package):
    found = {str(path.relative_to(package)) for path in (package / "config").rglob("*.yaml")}
    assert found == {
        "config/recipes.yaml", "config/studies/smoke/study.yaml", "config/catalogs/tiny.yaml",
    }  # fmt: skip


def test_the_card_of_the_package_loads_it(package, tmp_path):
    code = example(package / "README.md").replace("FOLDER", str(package))
    (name,) = re.findall('", "(.*)"\\)', code)
    found: dict = {}
    exec(code.replace(f'"{name}")', f'"{name}", cache_dir={str(tmp_path)!r})'), found)
    (table,) = package.rglob(f"{name}.parquet")
    assert len(found["cells"]) == len(pd.read_parquet(table))


def example(card: Path) -> str:
    return card.read_text().split("```python\n")[1].split("```")[0]


def test_a_leak_or_a_stale_table_is_refused_and_leaves_nothing(project, chain, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "smoke_table1")
    with pytest.raises(ConfigError, match=r"tables/smoke_table1\.parquet: the value of MY_TOKEN"):
        publish(chain, tmp_path / "leak")
    with project.edited("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"):
        edited = replace(chain, project=Project(given_config([]), HOME))
    with pytest.raises(TableError, match=r"temperature from 0\.05 to 0\.1"):
        publish(edited, tmp_path / "stale")
    with project.edited(TARGET, "tiny,", "TINY,"), pytest.raises(TableError, match="csv: it has other"):
        publish(chain, tmp_path / "changed")
    assert list(tmp_path.iterdir()) == []


def test_tables_that_print_sentences_of_others_are_left_out(chain, tmp_path):
    real = {"files": chain.project.files, "home": chain.project.home, "studies": []}
    other = SimpleNamespace(**real, catalog=SimpleNamespace(mini=None))
    kept = SimpleNamespace(project=other, targets=chain.targets, makers=chain.makers, jobs=[], provenance=str)
    skipped = _copy_results(tmp_path, kept, {})
    assert skipped == ["tables/smoke_examples", "tables/smoke_weighted"]
    names = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert "smoke_table1" in names
    assert not {"smoke_examples", "smoke_weighted"} & names


def test_a_package_killed_before_its_end_leaves_nothing_that_looks_finished(project, tmp_path):
    target = tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": str(HOME / "src")}
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], env=environment, cwd=project.folder)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()


def test_a_folder_that_is_there_is_refused(package):
    with pytest.raises(ContraposeError, match="already exists"):
        main(["--to", str(package)])


def test_results_copied_without_encoders_are_published_and_a_page_that_is_gone_is_refused(
    project, chain, tmp_path, monkeypatch
):
    kept = shutil.ignore_patterns("encoder", "state", ".snakemake")
    monkeypatch.chdir(shutil.copytree(project.folder, tmp_path / "copied", symlinks=True, ignore=kept))
    assert publish(chain, tmp_path / "made") == {}
    Path(TARGET).with_suffix(".md").unlink()
    with pytest.raises(TableError, match=r"smoke_table1\.md: the file no longer exists"):
        publish(chain, tmp_path / "again")
