"""What jobs need of a catalog, what this machine has, and how findings are printed."""

import re
from collections import Counter
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.project.reports import inputs
from contrapose.tools import check as command
from contrapose.tools.check import _fetchable, check_disk, check_gpu, said_of_rows
from contrapose.tools.check_files import check_files
from contrapose.tools.check_services import check_addresses
from contrapose.tools.command_line import project_of
from contrapose.tools.dry_run import Job
from contrapose.tools.finding import report
from contrapose.tools.needs import Need, every_need, needs_of, sets_left_out, skipped, without_numbers
from contrapose.tools.new import write
from contrapose.tools.plan import left_out
from contrapose.tools.speed import Machine
from contrapose.tools.workload import Call
from tests.checkout import HOME
from tests.hub.server import Hub
from tests.nltk_files import nltk_files

GLOVE = "./glove/glove.840B.300d.txt"
TRAINING = Job("train_encoder", {"pairs": "dropout", "recipe": "simcse+encoder=roberta-base", "seed": "42"})


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def test_jobs_need_the_entries_behind_their_names():
    project = Project({"catalog": "hub", "studies": ["thesis", "rise", "ppdbcse"]}, HOME)
    known = {"corpus": "wiki-1-1", "llm": "chatgpt", "prompt": "2"}
    shard = {"shard": "0", "shards": "2"}
    distilled = {"pairs": "wiki40b-dropout-en", "recipe": "rankcse", "seed": "42"}
    jobs = [
        TRAINING,
        Job("train_encoder", distilled),
        Job("evaluate_suite", {"suite": "english", "run": "released/roberta-large/cls"}),
        Job("evaluate_suite", {"suite": "english", "run": "dropout/simcse/seed42"}),
        Job("score_paraphrase_similarities", {**known, "scorer": "scorer"}),
        Job("train_language_model", {"role": "gpt2"}),  # makes it, and needs none
        Job("generate_paraphrase", {**known, **shard}),
        Job("generate_chat_texts", {"texts": "llm-stsb"}),
        Job("generate_dino", {"texts": "dino-stsb", **shard}),
        Job("score_rewrite_perplexities", {"rewrites": "ppdb-en", **shard}),
        Job("retrieve_naive", {}),
        Job("corpus_published_lines", {"corpus": "simcse"}),
        Job("retrieve_articles", {}),
    ]
    fixed = {"rankcse-teacher-en", "roberta-base", "roberta-large", "scorer"}
    roles = {project.recipe("rankcse").encoder, *fixed}
    assert needs_of(project, jobs) == sorted(
        [
            *(Need("articles"), Need("llms", "chatgpt"), Need("sentence_files", "simcse")),
            *(Need("language_models", "gpt2"), Need("language_models", "gpt2-xl")),
            *(Need("suites", "english"), *(Need("encoders", role) for role in roles)),
        ]
    )


def test_settings_of_a_project_that_are_gone_are_named_and_not_those_that_would_be_read_instead(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(30)))
    encoder = str(HOME / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {"sentences": tmp_path / "s.txt"})
    monkeypatch.chdir(tmp_path / "mine")
    recipes = Path("config/recipes.yaml").rename("recipes.yaml")
    assert command.main([])
    assert (
        "settings: config/recipes.yaml is missing, so that of Contrapose is read, " in capsys.readouterr().out
    )
    project_of(["catalog=mini", "data=null", "studies=[thesis]"])  # which needs no recipes of the folder
    recipes.rename("config/recipes.yaml")
    Path("config/config.yaml").write_text("# nothing\n")
    assert command.main(["--", "compare"])
    assert "settings: config/config.yaml is empty. Restore it" in capsys.readouterr().out


def test_ask_on_the_command_line_reaches_each_language_model_of_the_jobs(monkeypatch, capsys):
    told: list[tuple] = []
    job = Job("generate_paraphrase", {"llm": "vicuna", "prompt": "3"}, outputs=["answers"])
    study = Job("thesis", {}, inputs=["answers"])
    monkeypatch.setattr(command, "planned_jobs", lambda *_, **__: [job, study])
    monkeypatch.setattr(command, "check_llm", lambda project, *about: told.append(about) or [])
    monkeypatch.setattr(command, "disk", lambda call: Counter())
    for arguments in ([], ["--live"]):
        command.main([*arguments, "--config", "studies=[thesis]"])
    assert told == [("vicuna", False, {"3"}), ("vicuna", True, {"3"})]


def test_a_profile_is_one_of_the_folder_of_the_call_and_a_missing_one_is_an_error(monkeypatch, tmp_path):
    said: list[str] = []
    monkeypatch.setattr(command, "check", lambda *given: said.append(given[3]) or [])
    write_config = tmp_path / "config/config.yaml"
    write_config.parent.mkdir()
    write_config.write_text("studies: [thesis]\n")
    for profile in ("profiles/slurm", "none"):
        monkeypatch.chdir(HOME)
        command.main(["--directory", str(tmp_path), "--profile", profile])
    assert said == ["slurm", "local"]
    monkeypatch.chdir(HOME)
    with pytest.raises(ConfigError) as error:
        command.main(["--profile", "nosuch"])
    assert str(error.value) == (
        "--profile nosuch: this profile does not exist. Name a folder that contains profile.yaml, such as "
        "profiles/slurm."
    )


@pytest.mark.parametrize(
    ("device", "gpus", "executor", "level"),
    [
        ("cuda", [], "local", "missing"),
        ("auto", [], "local", "fine"),  # a few minutes of these cores
        ("auto", ["NVIDIA T4, 15360 MiB"], "local", "fine"),
        ("cuda", [], "slurm", "not checked"),
        ("cpu", [], "local", "fine"),
    ],
)
def test_a_gpu_is_looked_for_where_a_rule_asks_for_one(monkeypatch, device, gpus, executor, level):
    monkeypatch.setattr(command, "gpus", lambda: gpus)
    project = Project({"studies": ["thesis"], "device": device}, HOME)
    assert check_gpu(Call(project, [TRAINING]), executor).level == level
    assert check_gpu(Call(project, [Job("pairs_dropout", {"pairs": "dropout"})]), executor).level == "fine"


def test_without_a_gpu_a_run_longer_than_a_night_is_a_warning_with_the_time_of_plan(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # results of a demo would count
    monkeypatch.setattr(command, "gpus", lambda: [])
    monkeypatch.setattr(command, "machine", lambda project: Machine("2 cores", (0.2, 0.2), "measured"))
    project = Project({"catalog": "hub", "studies": ["thesis"]}, HOME)
    training = Job("train_encoder", {"pairs": "dropout", "recipe": "simcse", "seed": "42"})
    # 3 passes of 150,000 pairs of 32 tokens, 85 million parameters: 4.9e15 operations at 0.2e12 a second.
    one, several = (check_gpu(Call(project, [training] * count), "local") for count in (1, 2))
    assert (one.level, several.level) == ("fine", "warning")
    assert one.text == (
        "nvidia-smi names no GPU, so 1 job with a model runs on 2 cores. The job takes about 6.8 h."
    )
    assert several.text == (
        "nvidia-smi names no GPU, so 2 jobs with a model run on 2 cores. All 2 jobs take about 14 h. "
        "Fewer methods, seeds or steps take less, or use a GPU."
    )


def test_each_missing_input_is_named_with_the_methods_that_need_it_and_how_to_add_it(tmp_path, monkeypatch):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(60)))
    write(
        tmp_path / "mine", str(HOME / "resources/mini/encoders/bert-base"), {"sentences": tmp_path / "s.txt"}
    )
    monkeypatch.chdir(tmp_path / "mine")
    project = project_of([])
    found = [*skipped(project, ["compare"])]
    said = said_of_rows(project, ["compare"])
    first, *lines, last = said.splitlines()
    assert first == (
        "Ready: 12 of 40 methods will be compared. The other 28 need optional input. Each is listed under "
        "the first input that it lacks:"
    )
    assert lines == [f"  {each}" for each in found]
    assert last == "`contrapose list` marks these methods with *."
    assert report([], said).endswith(said)
    (line,) = left_out(project, ["compare"], [])
    assert line.strip() == (
        "No sum includes 28 methods, whose input is missing. `contrapose check -- compare` names them."
    )
    (tmp_path / "mine/data/pairs.csv").write_text("sent0,sent1\nA cat sat.,A cat was sitting.\n")
    chosen = project_of(['methods=["Own pairs"]'])
    assert said_of_rows(chosen, ["compare"]) == "Ready: 2 methods will be compared."
    assert found[0].endswith(
        " and 9 more: answers.jsonl is missing. docs/how-to/connect-a-model.md says how to connect a "
        "language model."
    )
    assert re.fullmatch(
        r"Synonym, .* and 2 more: \./nltk_data/[^ ]+\.json is missing\. "
        r"In the project: python -m nltk\.downloader .*, then unzip .*",
        found[1],
    )
    assert (
        "Dictionary: phrases.csv is missing (dictionaries.phrases). Save a dictionary there, in the data "
        "folder that `data` of config/config.yaml names. "
        "docs/reference/models-and-data.md says where to find some."
    ) in found


def test_what_a_catalog_lacks_is_named_for_the_targets_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = Project({"catalog": "hub", "studies": ["thesis", "ppdbcse"]}, HOME)
    lacking = without_numbers(project, ["ppdbcse"])
    assert "./dictionaries/ppdb-2.0-xl-all.gz is missing (dictionaries.ppdb)" in lacking
    assert {name.partition("_")[0] for names in lacking.values() for name in names} == {"ppdbcse"}
    assert without_numbers(project, ["results/tables/table3_2.csv"]) == {}
    assert lacking.keys() < without_numbers(project, ["thesis", "ppdbcse"]).keys()


def test_all_that_fetch_brings_is_named_with_the_command_that_brings_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def found(study: str, catalog: str = "hub") -> str:
        project = Project({"catalog": catalog, "studies": [study]}, HOME)
        return " ".join(each.text for each in _fetchable(project, [f"catalog={catalog}"], [study]))

    assert "hfl/chinese-roberta-wwm-ext," in found("edacse")
    downloads = [*Project({"catalog": "hub", "studies": ["ppdbcse"]}, HOME).catalog.downloads]
    assert {name for name in downloads if name in found("ppdbcse")} == {*downloads} - {GLOVE}
    assert "cl-nagoya/unsup-simcse-ja-base" in found("ppdbcse")
    assert found("ppdbcse").endswith("contrapose download --config catalog=hub -- ppdbcse")
    assert not found("thesis", "mini")


def test_a_set_that_is_not_here_is_named_and_no_fine_tuning_of_it_is_planned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def found() -> tuple[bool, bool, int]:
        project = Project({"catalog": "hub", "studies": ["ppdbcse"]}, HOME)
        (note,) = [each for each in project.about("ppdbcse_table3").notes if "no such sets" in each]
        scores = inputs(project, "ppdbcse_table3")["scores"]
        named = "./jglue/jsts-v1.3 is missing, which contains the set jsts" in sets_left_out(
            project, ["ppdbcse"]
        )
        return named, "Skipped: jsts," in note, sum("/jsts/" in path for path in scores)

    assert found() == (True, True, 0)
    Path("jglue/jsts-v1.3").mkdir(parents=True)
    assert found() == (False, False, 2)  # of japanese-roberta-base, with and without dropout's pairs


def test_the_address_that_a_job_reads_from_is_asked(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    punkt = Project({"catalog": "hub", "studies": ["thesis"]}, HOME).catalog.punkt
    (tmp_path / "files").mkdir()
    (tmp_path / "files/here").write_text("a file")
    with Hub(tmp_path) as server:
        urls = [f"{server.url}/files/{name}" for name in ("gone", "here")]
        gone, here = check_addresses({url: punkt.model_copy(update={"url": url}) for url in urls})
    assert (gone.level, here.level) == ("missing", "fine")
    assert "answers with status 404. Find the new address of the file" in gone.text


def test_a_folder_that_will_be_written_and_cannot_is_missing(tmp_path, monkeypatch):
    sizes = {tmp_path / "results/a": 1.0, tmp_path / "hub": 0.0}
    assert [each.level for each in check_disk(sizes)] == ["fine"]
    monkeypatch.setattr(command.os, "access", lambda place, mode: False)
    (found, disk) = check_disk(sizes)
    assert found.level == "missing"
    assert found.text.startswith(f"'{tmp_path}' cannot be written. Change its permissions, or ")
    assert disk.level == "fine"


def test_the_tagger_and_wordnet_are_read_to_the_wrong_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = Project({"catalog": "mini", "studies": ["thesis"]}, HOME)
    need = Need("grammars", "english")
    assert need not in every_need(project)
    files = nltk_files(Path("nltk_data"))
    assert need in every_need(Project({"catalog": "mini", "studies": ["thesis"]}, HOME))
    assert needs_of(project, [Job("score_grammar", {"corpus": "simcse", "grammar": "english"})]) == [need]
    assert [each.level for each in check_files(project, need)] == ["fine"]
    (files / "corpora/wordnet/verb.exc").write_text("went go\nran\n")
    (finding,) = check_files(project, need)
    assert finding.level == "missing"
    assert "2: the line does not have the format of WordNet" in finding.text
