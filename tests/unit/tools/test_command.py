import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from contrapose.command import FORMER, GROUPS, VERBS, WORDS, main
from contrapose.project import Project, pages
from contrapose.settings.config_folder import ConfigFolder
from contrapose.tools.listing import targets
from tests.checkout import HOME

NO_VALUE = "the value of this key is missing. Write key and value as one word with `=` between them"


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_how_it_is_called(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert not ended.value.code
    said = capsys.readouterr().out
    assert f"usage: contrapose {verb} " in said
    assert f"\n  contrapose {verb} " in said  # an example
    assert verb != "preview" or "The default is 200, or all of a smaller corpus." in " ".join(said.split())


@pytest.mark.parametrize(("call", "same"), [(["help"], ["--help"]), (["help", "plan"], ["plan", "--help"])])
def test_help_is_a_word_for_the_option(call, same, capsys):
    said = []
    for arguments in (call, same):
        with suppress(SystemExit):
            main(arguments)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != ""


def test_the_help_begins_with_what_it_is_for_and_has_each_verb_once_in_a_group(capsys):
    main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Contrapose trains your sentence encoder")
    listed = [line.split()[0] for line in lines if re.match("  [a-z]", line)]
    assert listed == ["contrapose", "contrapose", *VERBS, *WORDS]
    titles = [line.rstrip(":") for line in lines if line.endswith(":")]
    assert titles == ["For example", *GROUPS, "Words"]
    assert max(map(len, lines[:-1])) <= 110
    folder = Path(lines[-1].removesuffix(".").partition(" is in ")[2])
    assert (folder / "index.md").is_file()


def test_an_error_of_the_system_is_a_sentence_with_its_path_and_what_to_do(capsys, monkeypatch):
    def denied(arguments):
        raise PermissionError(13, "Permission denied", "/a/b")

    monkeypatch.setattr("contrapose.tools.listing.main", denied)
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "/a/b: this file or folder cannot be used (Permission denied). Change its permissions, or name "
        "another one that you may read and write.\n"
    )


@pytest.mark.parametrize("former", FORMER)
def test_a_verb_of_version_0_4_is_the_one_that_has_its_place(former, capsys):
    with suppress(SystemExit):
        main([former, "--help"])
    assert f"usage: contrapose {FORMER[former]} " in capsys.readouterr().out


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "init"])
def test_each_verb_has_a_directory_spelled_alike(verb, capsys):
    words = {"batch": ["read"], "llm-cache": ["inspect"]}.get(verb, [])
    with suppress(SystemExit):
        main([verb, *words, "--help"])
    assert re.search("-d(?: FOLDER)?, --directory FOLDER", capsys.readouterr().out)


def test_init_takes_the_new_folder_without_an_option(capsys):
    for arguments in (["--directory", "a"], ["--directory", "a", "b"], ["-d", "a"]):
        with suppress(SystemExit):
            main(["init", *arguments])
        assert capsys.readouterr().err.startswith(
            f"init takes the new folder without {arguments[0]}: contrapose init a. "
        )


def test_what_can_be_built_has_a_line_each_in_any_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        main(["list", "--directory", str(HOME / "examples/wiki")])
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("compare: ") for line in lines) == 1
    assert sum(line.startswith("  results/tables/compare_pairs.csv") for line in lines) == 1
    assert max(map(len, lines)) <= 110


def test_a_list_outside_a_project_is_that_of_the_built_in_studies_and_a_named_folder_has_to_be_one(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        main(["list"])
    assert f"{tmp_path} is not a project, because" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["list", "--directory", str(tmp_path)])
    assert ended.value.code
    listed = capsys.readouterr()
    assert listed.out == ""
    assert f"{tmp_path}: this folder is not a project, because it has no config/config.yaml" in listed.err


def test_a_list_of_a_project_with_a_wrong_setting_ends_with_its_error(capsys, tmp_path, monkeypatch):
    shutil.copytree(HOME / "examples/wiki/config", tmp_path / "config")
    recipes = tmp_path / "config/recipes.yaml"
    recipes.write_text(recipes.read_text().replace("learning_rate: 3.0e-5", "learning_rat: 3.0e-5", 1))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    assert ended.value.code
    said = capsys.readouterr().err
    assert "there is no key 'learning_rat'. Did you mean 'learning_rate'?" in said
    assert "the list does not show which methods lack optional input" in said


def test_an_unknown_verb_and_an_error_end_in_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call, says in (
        (["rum"], "contrapose has no verb 'rum'. Did you mean 'run'?"),
        (["train"], "contrapose has no verb 'train'. `contrapose run` builds tables"),
        (["run", "-n", "syncse"], "before 'syncse':\n    contrapose run -n -- syncse\n"),
        (["run", "--cores", "2", "results/tables/x.csv"], "contrapose run --cores 2 -- results/tables/x.csv"),
        (["run", "--help-me"], "contrapose run has no option '--help-me'. Did you mean '--help'?"),
        (
            ["plan", "--config", "seeds=2", "thesis"],
            "--config thesis: this word is not a setting, because a setting has the form KEY=VALUE, such as "
            "seeds=3. If thesis is a target, write `--` before it.\n",
        ),
        (
            ["plan", "--config", "seedz"],
            "--config seedz: this word is not a setting, because a setting has the form KEY=VALUE, such as "
            "seeds=3. Did you mean seeds=VALUE? If seedz is a target, write `--` before it.\n",
        ),
        (["plan", "--config", "seeds", "3"], f"--config seeds: {NO_VALUE}: --config seeds=VALUE\n"),
        (["run", "--config", "seeds", "3"], f"--config seeds: {NO_VALUE}: --config seeds=VALUE\n"),
        (
            ["run", "--config", "device=cpu", "seeds", "3", "--", "thesis"],
            f"--config seeds: {NO_VALUE}: --config seeds=VALUE\n",
        ),
        (
            ["run", "--config", "foo", "--", "thesis"],
            "--config foo: this word is not a setting, because a setting has the form KEY=VALUE, such as "
            "seeds=3. If foo is a target, write `--` before it.\n",
        ),
        (
            ["run", "--config", "--", "thesis"],
            "--config: a setting is missing. Write --config KEY=VALUE, such as seeds=3.\n",
        ),
        (
            ["run", "--cores", "two", "--", "thesis"],
            "--cores two: the value is not a number of cores. Give a whole number of at least 1, or all.\n",
        ),
        (
            ["run", "--methods", "--", "thesis"],
            "--methods: the name of a method is missing. Write --methods NAME ..., with names that "
            "`contrapose list` shows.\n",
        ),
        (
            ["run", "--", "--methods", "Dropout"],
            "--methods is an option, but stands after `--`. Write options before `--`.\n",
        ),
        (
            ["plan", "--", "thesis", "--methods", "Dropout"],
            "--methods is an option, but stands after `--`. Write options before `--`.\n",
        ),
        (["--directory", "my own", "check"], "Write the verb first: contrapose check --directory 'my own'\n"),
        (
            ["-d", "run", "run", "-n", "--", "plan"],
            "Write the verb first: contrapose run -d run -n -- plan\n",
        ),
        (
            ["--directory", "mine"],
            "'--directory' is no verb. Write a verb first: contrapose VERB [OPTIONS].\n",
        ),
        (
            ["run", "--profile", "profiles/slurmm", "--", "thesis"],
            "--profile profiles/slurmm: this profile does not exist. Name a folder that contains",
        ),
        (["trian"], "contrapose has no verb 'trian'. `contrapose run` builds tables"),
        (["compare"], "contrapose has no verb 'compare'. Did you mean `contrapose run -- compare`?"),
        (["results"], "contrapose has no verb 'results'. `contrapose list` shows the tables"),
        (
            ["plan", "--config", "llm_budget=5", "--", "thesis"],
            "--config llm_budget=5: each language model has a budget of its own. Write --config "
            "llm_budget='{writer: 5}', with the name under `llms` of the catalog.\n",
        ),
        (["plan", "--config", "catalog=moon", "--", "thesis"], "catalogs has no entry 'moon'"),
        (["plan", "--directory", "nowhere"], "--directory nowhere: this is not a folder."),
        (["plan"], "is not a project, because it has no config"),
        (["check"], "contrapose check -- thesis"),
        (["report"], "is not a project"),
        (["publish"], "results has no finished table or figure yet. Build one first: contrapose run"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(call)
        assert ended.value.code == 1
        said = capsys.readouterr().err
        assert says in said
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (["plan", "--devise", "a100"], "contrapose plan has no option '--devise'. Did you mean '--device'?"),
        (
            ["plan", "--seeds", "3"],
            "contrapose plan has no option '--seeds'. Did you mean '--config seeds=3'?",
        ),
        (
            ["plan", "--seeds"],
            "contrapose plan has no option '--seeds'. Did you mean '--config seeds=VALUE'?",
        ),
        (
            ["plan", "--budget", "20min", "--", "compare"],
            "contrapose plan has no option '--budget'. Only `contrapose run` has it, and measures times "
            "before it chooses.",
        ),
        (["init", "x", "--model", "y"], "contrapose init has no option '--model'. Did you mean '--encoder'?"),
        (["init", "--hlp"], "contrapose init has no option '--hlp'. Did you mean '--help'?"),
        (["annotate", "--maek", "9"], "contrapose annotate has no option '--maek'. Did you mean '--make'?"),
        (["plan", "--device"], "--device of contrapose plan needs a value, which is missing."),
        (["report", "compare"], "contrapose report does not take the word 'compare'."),
        (
            ["list", "--", "compare"],
            "contrapose list takes no target. Leave out `--` and the words after it.",
        ),
        (["list", "--"], "contrapose list takes no target. Leave out `--` and the words after it."),
        (
            ["explain", "LLM", "paraphrases"],
            "contrapose explain takes one name, but 'paraphrases' is a further word. Put a name with blanks "
            "into quotation marks.",
        ),
        (["init"], "contrapose init needs FOLDER, which is missing."),
        (["export", "a"], "contrapose export needs FILE and --format, which are missing."),
        (
            ["annotate", "--make", "many"],
            "--make of contrapose annotate is 'many', but a whole number is expected.",
        ),
        (["batch"], "contrapose batch needs one of these words: write, submit, read."),
        (["annotate"], "contrapose annotate needs one of these words: --make, --read."),
        (
            ["annotate", "--make", "9", "--read", "a"],
            "contrapose annotate does not take --read and --make together. Remove one of them.",
        ),
        (["plan", "--config"], "--config of contrapose plan needs at least one value, which is missing."),
        (
            ["annotate", "--methods", "Span crop", "Dropout"],
            "contrapose annotate has no option '--methods'. Did you mean "
            """`--config 'methods=["Span crop", "Dropout"]'`?""",
        ),
        (
            ["annotate", "--methods=Dropout"],
            "contrapose annotate has no option '--methods'. Did you mean "
            """`--config 'methods=["Dropout"]'`?""",
        ),
        (
            ["explain", "--config", "seeds=2", "steps=2", "Span crop"],
            "'Span crop' was read as a setting, because it follows --config. If it is METHOD, write `--` "
            "before it: contrapose explain --config seeds=2 steps=2 -- 'Span crop'.",
        ),
        (
            ["preview", "--config", "seeds=2", "writer", "--sentences", "5"],
            "'writer' was read as a setting, because it follows --config. If it is LLM, write `--` before "
            "it: contrapose preview --config seeds=2 --sentences 5 -- writer.",
        ),
        (["init", "a", "--dev", "b", "--dev", "c"], "contrapose init: --dev can be given only once."),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(call, says, capsys):
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{says} See `contrapose {call[0]} --help`.\n"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            ["llm-cache", "forget", "--config", "seeds=2", "writer", "talking"],
            "'writer' was read as a setting, because it follows --config. If it is LLM, write `--` before "
            "it: contrapose llm-cache forget --config seeds=2 -- writer talking. "
            "See `contrapose llm-cache forget --help`.\n",
        ),
        (
            ["batch", "write", "--methods", "Dropout", "Span crop", "writer"],
            "'writer' was read as a method, because it follows --methods. If it is LLM, write `--` before "
            "it: contrapose batch write --methods Dropout 'Span crop' -- writer. "
            "See `contrapose batch write --help`.\n",
        ),
        (
            ["llm-cache", "--directory", "l1", "inspect", "writer"],
            "Write the command first: contrapose llm-cache inspect --directory l1 writer. "
            "See `contrapose llm-cache --help`.\n",
        ),
        (
            ["batch", "--directory=read", "write", "writer"],
            "Write the command first: contrapose batch write --directory=read writer. "
            "See `contrapose batch --help`.\n",
        ),
        (
            ["batch", "--directory", "l1"],
            "contrapose batch needs one of these words before all options: write, submit, read. "
            "See `contrapose batch --help`.\n",
        ),
    ],
)
def test_a_second_word_is_found_wherever_it_stands(call, says, capsys):
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code == 2
    assert capsys.readouterr().err == says


@pytest.mark.parametrize("project", [".", "examples/wiki"])
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--method", "Dropout"], "contrapose run has no option '--method'. Did you mean '--methods'?"),
        (["--seeds", "3"], "contrapose run has no option '--seeds'. Did you mean '--config seeds=3'?"),
        (["--seed=3"], "contrapose run has no option '--seed'. Did you mean '--config seeds=3'?"),
        (["--raport", "x"], "contrapose run has no option '--raport'. Did you mean '--report'?"),
        (["--learning-rate", "1"], "contrapose run has no option '--learning-rate'."),
    ],
)
def test_a_wrong_option_of_a_run_is_compared_with_ours_and_settings_first(
    words, says, project, capfd, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path if project == "." else HOME / project)
    with pytest.raises(SystemExit) as ended:
        main(["run", *words])
    assert ended.value.code
    assert capfd.readouterr().err == f"{says} See `contrapose run --help`.\n"


def test_targets_on_both_sides_of_options_are_told_where_they_belong(capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["run", "keep", "-n", "--", "compare"])
    assert ended.value.code
    assert capfd.readouterr().err == (
        "Targets are expected after one `--` at the end of the command, and the folder of a project after "
        "--directory, as in `contrapose run --directory FOLDER -- TARGETS`. See `contrapose run --help`.\n"
    )


@pytest.mark.parametrize("folder", ["mine", "my own"])
@pytest.mark.parametrize(
    "call",
    [["run"], ["run", "-n"], ["run", "--"], ["plan"], ["check"], ["download"], ["explain"]],
    ids=" ".join,
)
def test_a_project_in_the_place_of_a_target_is_told_to_be_named_by_its_option(
    call, folder, capsys, monkeypatch, tmp_path
):
    (tmp_path / folder / "config").mkdir(parents=True)
    (tmp_path / folder / "config/config.yaml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*call, folder])
    assert ended.value.code == 1
    quoted = "'my own'" if folder == "my own" else folder
    assert capsys.readouterr().err == f"{folder} is a project. Name it with --directory {quoted}.\n"
    place = str(tmp_path / folder)
    with pytest.raises(SystemExit):
        main([*call, place])
    assert (
        capsys.readouterr().err == f"{place} is a project. Name it with --directory {shlex.quote(place)}.\n"
    )


def test_a_study_may_have_the_name_of_a_project(capsys, monkeypatch, tmp_path):
    (tmp_path / "thesis/config").mkdir(parents=True)
    (tmp_path / "thesis/config/config.yaml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["plan", "--config", "catalog=moon", "--", "thesis"])
    assert "catalogs has no entry 'moon'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["clean", "status", "explain", "report"])
def test_what_looks_at_results_says_that_a_folder_is_no_project(verb, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([verb, *(["Dropout"] if verb == "explain" else [])])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        f"{tmp_path}: this folder is not a project, because it has no config/config.yaml. Name the folder of "
        f"a project (contrapose {verb} --directory FOLDER), or create one (contrapose init FOLDER).\n"
    )


@pytest.mark.parametrize("folder", [True, False])
@pytest.mark.parametrize("verb", ["status", "report"])
def test_the_status_or_report_of_a_project_without_results_says_how_to_build_some(
    folder, verb, capsys, monkeypatch, tmp_path
):
    (tmp_path / "mine").mkdir()
    for part in ("config", "data"):
        (tmp_path / "mine" / part).symlink_to(HOME / "examples/wiki" / part)
    if folder:
        (tmp_path / "mine/results/tables").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([verb, "--directory", "mine"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "mine/results has no finished table or figure yet. Build one first: "
        "contrapose run --directory mine -- compare\n"
    )
    assert not (tmp_path / "mine/results/report.html").exists()


def test_a_mistyped_method_of_a_run_is_named_alone(capsys, monkeypatch):
    monkeypatch.chdir(HOME / "examples/wiki")
    with pytest.raises(SystemExit) as ended:
        main(["run", "--methods", "Span corp", "--", "compare"])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said == (
        "--methods: there is no method 'Span corp'. Did you mean 'Span crop'? `contrapose list` shows all 40 "
        "methods.\n"
    )


def test_hints_name_the_directory_that_a_command_was_given(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my folder").symlink_to(HOME / "examples/wiki")
    with suppress(SystemExit):
        main(["list", "--directory", "my folder"])
    assert capsys.readouterr().out.endswith("Build one: contrapose run --directory 'my folder' -- TARGET\n")
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        main(["pairs", "--read", "nowhere.csv", "-d", "my folder"])
    assert "`contrapose annotate --directory 'my folder' --make 200` writes one" in capsys.readouterr().err
    monkeypatch.chdir(HOME / "examples/wiki")
    with suppress(SystemExit):
        main(["list"])
    assert capsys.readouterr().out.endswith("Build one: contrapose run -- TARGET\n")
    with suppress(SystemExit):
        main(["list", "--config", "seeds=2"])
    listed = capsys.readouterr().out
    assert "    contrapose check --config seeds=2\n" in listed
    assert listed.endswith("Build one: contrapose run --config seeds=2 -- TARGET\n")


def test_files_are_named_as_they_are_seen_where_a_command_was_called(capsys, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    for call, says in (
        (["export", "a.parquet", "b.csv"], "'mine/b.csv': the name of"),
        (["export", "a.parquet", "b.jsonl"], "mine/a.parquet: there is no such file."),
    ):
        monkeypatch.chdir(tmp_path)
        with suppress(SystemExit):
            main([*call, "--directory", "mine", "--format", "flag-embedding"])
        assert capsys.readouterr().err.startswith(says)


@pytest.mark.parametrize("call", [["list"], ["--help"]], ids=" ".join)
def test_a_verb_is_silent_if_what_reads_its_output_has_ended(call):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "contrapose", *call]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, cwd=HOME)
    os.close(write)
    assert (done.stderr, done.returncode) == ("", 141)  # as shells have it for SIGPIPE


def test_a_row_that_is_not_there_is_told_with_the_nearest_alone(capsys, monkeypatch):
    monkeypatch.chdir(HOME / "examples/wiki")
    with suppress(SystemExit):
        main(["why", "Dropuot"])
    said = capsys.readouterr().err
    assert said.startswith("No method is called 'Dropuot'. Similar names are 'Dropout'")
    assert len(said) < 200


SAID = """
import sys
from contrapose.command import VERBS, main
for call in (["list"], *([verb, "--help"] for verb in VERBS), ["plan", "--config", "sedes=3"],
             ["why", "--tabel", "x"], ["run", "--config", "sedes=3", "--", "thesis"]):
    try:
        main(call)
    except SystemExit:
        heavy = {"snakemake", "pandas", "numpy", "pyarrow", "torch"} & sys.modules.keys()
        print(f"{call}: {sorted(heavy)}" if heavy else "at once", file=sys.stderr)
"""


def test_a_list_help_and_mistyped_words_load_neither_snakemake_nor_pandas(tmp_path):
    """Nobody waits the second that importing a verb takes to be told of a typing error."""
    command = [sys.executable, "-c", SAID]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    said = done.stderr.splitlines()
    assert said.count("at once") == len(VERBS) + 4
    assert sum("Did you mean 'seeds'?" in line for line in said) == 2
    assert not [line for line in said if line.startswith("[")]


def test_a_list_has_what_a_run_builds(monkeypatch):
    monkeypatch.chdir(HOME)
    config = {"studies": ["thesis", "esimcse"], "catalog": "hub"}
    project = Project(config, HOME)
    built = {study: [study, *pages.reports_of(project, study)] for study in project.studies}
    _, known = targets(ConfigFolder(config, HOME))
    assert [*known] == [file.replace("<results>", "results") for files in built.values() for file in files]
    shown = {**project.tables, **project.figures}
    captions = {file: about for file, about in known.items() if "/tables/" in file or "/figures/" in file}
    assert [*captions.values()] == [shown[Path(file).stem][1].caption for file in captions]


PLANNED = """
import sys
from contrapose.command import main
try:
    main(["plan", "--", "results/tables/table4_1.csv"])
except SystemExit:
    heavy = {"torch", "transformers", "scipy", "matplotlib", "huggingface_hub", "httpx"}
    print(*sorted(heavy & sys.modules.keys()))
"""


def test_a_plan_loads_no_model_library_and_nothing_that_talks_to_the_hub(tmp_path):
    command = [sys.executable, "-c", PLANNED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "", done.stdout
