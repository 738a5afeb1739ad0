"""`make check` on the small project: what its jobs need is read by their own readers."""

import shutil
from pathlib import Path

import pytest
import yaml

from contrapose.project import Project
from contrapose.tools import check as program
from contrapose.tools import command_line
from contrapose.tools.check_files import check_files
from contrapose.tools.finding import Finding
from contrapose.tools.needs import Need
from tests.checkout import TARGET, Checkout, checkout

NEEDS = [
    *(Need("articles"), Need("transfer"), Need("suites", "english"), Need("collections", "wiki40b")),
    *(Need("dictionaries", "ppdb"), Need("triplet_files", "nli"), Need("sentence_files", "simcse")),
    *(Need("encoders", "bert-base"), Need("language_models", "gpt2")),
]


@pytest.fixture(scope="module")
def project(made_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The small project with its mini world, and with catalogs of the same files in a folder."""
    made = checkout(tmp_path_factory.mktemp("check"))
    shutil.copytree(made_world, made.folder / "data")
    catalogs = made.folder / "config/catalogs"
    catalog = yaml.safe_load((catalogs / "tiny.yaml").read_text())
    del catalog["mini"]
    (catalogs / "here.yaml").write_text(yaml.safe_dump(catalog))
    catalog["encoders"]["roberta-base"] = {"path": "{data}/encoders/roberta-base"}
    catalog["articles"]["path"] = "wiki/*.parquet"
    catalog["encoders"]["released"] = {"path": "encoders/released", "optional": True}
    catalog["dictionaries"]["ppdb"]["files"] = ["ppdb/other.gz"]
    (catalogs / "lacking.yaml").write_text(yaml.safe_dump(catalog))
    return made


@pytest.fixture(autouse=True)
def at_home(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.folder)
    monkeypatch.setattr(command_line, "HOME", project.folder)


def printed(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str]:
    return int(program.main(list(arguments))), capsys.readouterr().out


def looked_at(project: Checkout, catalog: str, data: str) -> dict[str, Finding]:
    settings = Project({"catalog": catalog, "data": data, "studies": ["smoke"]}, project.folder)
    return {one.what: one for need in NEEDS for one in check_files(settings, need)}


def test_in_the_mini_world_nothing_is_missing(capsys):
    code, text = printed(capsys, "--config", "device=cpu", "--", TARGET)
    assert code == 0
    assert text.startswith(f"{TARGET} in catalog tiny\n\nFine (")
    assert "  encoders.bert-base: " in text
    assert "llms.chatgpt.endpoint, llms.vicuna.endpoint: the job starts the server" in text
    assert text.endswith("\n\nNothing is missing.\n")


def test_files_in_their_formats_are_fine(project: Checkout):
    found = looked_at(project, "here", "data")
    assert [one for one in found.values() if one.level != "fine"] == []
    wanted = {need.key for need in NEEDS} - {"transfer", "suites.english"}
    assert wanted | {"transfer.trec", "benchmarks.sts12", "benchmarks.stsb"} <= set(found)
    assert "benchmarks.mrpc" not in found  # of another suite than the one that a job reads


def test_all_that_is_missing_or_wrong_is_told_at_once(project: Checkout, capsys):
    shutil.copytree("data", "bad")
    scores = Path("bad/senteval/STS/STS13-en-test/STS.gs.FNWN.txt")
    scores.write_text(scores.read_text() + "9\n")
    shutil.rmtree("bad/senteval/STS/STS16-en-test")
    Path("bad/nli_for_simcse.csv").write_text("no,csv\n")
    for file in Path("bad/wiki40b/en").iterdir():
        file.write_bytes(b"no Parquet")
    weights = Path("resources/mini/encoders/bert-base/model.safetensors")
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-100])
    try:
        found = looked_at(project, "lacking", "bad")
        code, text = printed(capsys, "--config", "catalog=lacking", "data=bad", "studies=[smoke]")
    finally:
        weights.write_bytes(whole)
    wrong = {what: one.text for what, one in found.items() if one.level == "missing"}
    assert set(wrong) == {
        *("articles", "encoders.bert-base", "benchmarks.sts13", "collections.wiki40b", "triplet_files.nli"),
        "dictionaries.ppdb",
    }
    assert wrong["articles"].startswith("no file matches 'wiki/*.parquet' in 'bad'. Put ")
    assert "bert-base/model.safetensors is damaged or incomplete (" in wrong["encoders.bert-base"]
    assert "folder of encoders.bert-base" not in text  # one fault is one error
    assert "STS.gs.FNWN.txt" in wrong["benchmarks.sts13"]
    assert "sent0" in wrong["triplet_files.nli"]
    assert found["benchmarks.sts16"].level == "left out"
    assert code == 1
    assert "encoders/roberta-base' is not a folder. Give a folder that transformers" in text
    assert "\n\nFine: " in text
    skipped, last = text.rpartition("\n\n")[::2]
    assert "no encoder 'released'" in skipped.rpartition("\n\nSkipped methods, because input is missing\n")[2]
    assert last == "6 errors, so a run would fail.\n"


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("[NP/NN] ||| the [NN,1] ||| a [NN,1] ||| -logp(e2|e1)=0.4 ||| 0-0 1-1 ||| Equivalence", "fine"),
        ("the ||| a", "missing"),
    ],
)
def test_a_dictionary_may_begin_with_syntactic_rules(project, line, level):
    folder = Path(level)
    (folder / "ppdb").mkdir(parents=True)
    (folder / "ppdb/other.gz").write_text(f"{line}\n" * 200)
    assert looked_at(project, "lacking", level)["dictionaries.ppdb"].level == level


def test_a_target_that_is_none_and_a_wrong_setting_are_findings(capsys):
    for arguments, says in (
        (
            ["device=cpu", "--", "results/tables/none.csv"],
            "jobs: ",
        ),
        (
            ["device=cpu", "--", "results/tables/none.csv"],
            "Because of this error, the check covers the whole catalog, also files and models that you may "
            "not need.",
        ),
        (["catalog=tniy"], "catalog: the folder config/catalogs has no entry 'tniy'. Did you mean 'tiny'?"),
    ):
        code, text = printed(capsys, "--config", *arguments)
        assert (code, says in text) == (1, True)
