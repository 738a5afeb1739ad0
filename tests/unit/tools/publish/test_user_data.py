"""Packages of a person's own data: their licence, their words, and their files alone."""

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, TRANSFER_ITEMS, USER_TASKS
from contrapose.project import Project
from contrapose.tables import EXAMPLES, write_table
from contrapose.tools.publish import package
from contrapose.tools.publish.leaks import machine_paths
from contrapose.tools.publish.package import publish
from tests.checkout import HOME

STUDY = "config/studies/compare"


@pytest.mark.parametrize(
    ("licence", "message"),
    [("", "--license: results of your own data have no licence yet"), ("CC BY 4.0", "'CC BY 4.0' is no")],
)
def test_a_licence_has_to_be_named_as_the_hub_does(own, tmp_path, licence, message):
    with pytest.raises(ConfigError, match=message):
        publish(own, tmp_path / "made", licence=licence)
    assert not (tmp_path / "made").exists()


def test_results_of_text_that_a_catalog_makes_itself_need_none(own, tmp_path):
    with Path("config/catalogs/own.yaml").open("a") as catalog:
        catalog.write("mini: {seed: 7, articles: 80, pairs: 6}\n")
    publish(
        replace(own, project=Project({"catalog": "own", "studies": ["compare"]}, HOME)), tmp_path / "made"
    )
    assert (tmp_path / "made/LICENSE").is_file()


def test_the_readme_begins_with_the_verdict_and_its_table_and_says_whose_the_data_are(own, tmp_path):
    assert publish(own, tmp_path / "made", licence="cc-by-4.0") == {}
    text = (tmp_path / "made/README.md").read_text().split("\n---\n", 1)[1]
    assert text.startswith(
        "\n# Results of Contrapose in the catalog own: compare\n\nKeep No training.\n\n"
        "| pairs       |       A |\n| :--         |     --: |\n| No training | 32.05 † |\n\n"
        "Without numbers (tables/compare_pairs.md says what each lacks): Own pairs.\n\n"
        "† may be the best of its column.\n\nCatalog: letters to the editor."
    )
    assert "\n- `tables/`, as printed" in text
    assert "The licence of this package is `cc-by-4.0`." in text
    described = json.loads((tmp_path / "made/datapackage.json").read_text())
    assert described["licenses"] == [{"name": "cc-by-4.0"}]
    assert not (tmp_path / "made/LICENSE").exists()


def test_a_table_that_prints_them_is_left_out_as_own_sentences(own, tmp_path):
    columns = {field.name: pa.array([], field.type).to_pandas() for field in EXAMPLES.schema}
    write_table(pa.table(columns).to_pandas(), "results/tables/compare_pairs.parquet", EXAMPLES)
    skipped = publish(own, tmp_path / "made", licence="mit")
    assert skipped == {"tables/compare_pairs": "prints sentences of this project"}
    assert not (tmp_path / "made/tables").exists()


def test_a_link_out_of_config_is_refused_by_its_name_wherever_it_is(own, tmp_path):
    key = tmp_path / "keys/id_ed25519"
    key.parent.mkdir()
    key.write_text("not to be seen")
    for link, target in {f"{STUDY}/notes.txt": key, f"{STUDY}/more": key.parent}.items():
        Path(link).symlink_to(target)
        refused(own, tmp_path, f"{link}.*: this link leads out of the folder config")
        Path(link).unlink()
    for moved in ("config/recipes.yaml", "config/catalogs/own.yaml", STUDY, "config"):
        place = Path(moved).rename(tmp_path / "moved")
        Path(moved).symlink_to(place)
        refused(own, tmp_path, "config/.*: this link leads out of the folder config")
        Path(moved).unlink()
        place.rename(moved)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("gone.txt", path)])
def test_what_is_no_file_is_refused_by_its_name(own, tmp_path, make):
    make(f"{STUDY}/odd")
    refused(own, tmp_path, f"{STUDY}/odd: this is a pipe, a device or a link without a target")


def refused(own, tmp_path, message):
    with pytest.raises(ConfigError, match=message):
        publish(own, tmp_path / "made", licence="mit")
    assert not (tmp_path / "made").exists()


def test_files_of_the_project_are_published_once_through_links_and_hidden_ones_never(own, tmp_path):
    os.link("config/recipes.yaml", f"{STUDY}/hard.yaml")
    Path(f"{STUDY}/soft.yaml").symlink_to("study.yaml")
    Path(f"{STUDY}/loop").symlink_to("..")
    Path(f"{STUDY}/.#study.yaml").symlink_to("jane@host.1234")  # as Emacs does beside an open file
    publish(own, tmp_path / "made", licence="mit")
    published = {path.name for path in (tmp_path / "made" / STUDY).rglob("*")}
    assert published == {"study.yaml", "hard.yaml", "soft.yaml"}
    assert not any(path.is_symlink() for path in (tmp_path / "made").rglob("*"))


def test_a_catalog_given_by_its_path_is_published_and_its_link_is_not(own, tmp_path):
    catalog = Path("config/catalogs/own.yaml").rename(tmp_path / "own.yaml")
    (tmp_path / "links").mkdir()
    link = tmp_path / "links/own.yaml"
    link.symlink_to(catalog)
    for given in (catalog, link):
        project = Project({"catalog": str(given), "studies": ["compare"], "data": "data"}, HOME)
        if given is link:
            refused(replace(own, project=project), tmp_path, "link leads out of the folder links")
        else:
            publish(replace(own, project=project), tmp_path / "whole", licence="mit")
            assert (tmp_path / "whole/config/catalogs/own.yaml").is_file()


def test_an_absolute_path_of_a_model_in_the_catalog_is_a_path_of_this_machine(own, tmp_path):
    catalog = Path("config/catalogs/own.yaml")
    catalog.write_text(catalog.read_text().replace("encoders/enc", "/disk/of/jane/enc"))
    project = Project({"catalog": "own", "studies": ["compare"], "data": "data"}, HOME)
    assert ("the path of 'mine' of the catalog", "/disk/of/jane/enc") in machine_paths(project)
    refused(
        replace(own, project=project),
        tmp_path,
        r"config/catalogs/own\.yaml: the path of 'mine' of the catalog",
    )


def test_what_is_left_out_is_said_with_the_command_that_uploads_the_rest(own, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(package, "built_chain", lambda *_: own)
    package.main(["--to", str(tmp_path / "made"), "--license", "mit"])
    written, upload = capsys.readouterr().out.splitlines()
    assert written == f"Wrote {tmp_path / 'made'}. It has 1 of 1 finished tables, figures and verdicts."
    assert upload.endswith(f"hf upload ORG/NAME {tmp_path / 'made'} --repo-type dataset --private")


def test_the_command_that_uploads_names_the_folder_as_seen_from_the_folder_of_the_call(
    own, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(package, "built_chain", lambda *_: own)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONTRAPOSE_DIRECTORY", "project")  # as the command does
    package.main(["--directory", "project", "--to", "our results", "--license", "mit"])
    written, upload = capsys.readouterr().out.splitlines()
    assert written == "Wrote project/our results. It has 1 of 1 finished tables, figures and verdicts."
    assert upload.endswith("hf upload ORG/NAME 'project/our results' --repo-type dataset --private")
    assert (tmp_path / "project/our results/README.md").is_file()


def test_every_evaluation_set_has_a_row_of_terms_and_every_row_a_licence():
    with (HOME / package.LICENCES).open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    released = {*TASKS, *TRANSFER_ITEMS} - {*USER_TASKS}  # whose terms a user knows
    assert released <= rows.keys()
    assert all(row["licence"] and row["terms"] for row in rows.values())
