"""Which rows comparisons have, and that only their tables change by it."""

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.project import Project, reports
from contrapose.project.methods import (
    lost_baselines,
    nothing_to_compare,
    said_of_curves,
    said_of_lost_encoders,
    said_of_skipped,
)
from contrapose.report.row_settings import Row
from contrapose.settings.cli_config import given_config
from contrapose.settings.config_folder import ConfigFolder
from contrapose.tools import command_line, outline, plan
from contrapose.tools.check import check_comparisons, check_methods
from contrapose.tools.dry_run import Job
from contrapose.tools.finding import report
from contrapose.tools.new import write
from contrapose.tools.start import check_nothing_will_fail
from tests.checkout import forked_snakemake
from tests.unit.project.conftest import HOME as REPOSITORY

CROP = "Span crop"


@pytest.fixture
def wiki(monkeypatch) -> None:
    monkeypatch.chdir(REPOSITORY / "examples/wiki")


def project(*methods: str, **config: object) -> Project:
    return Project({**given_config([]), "methods": [*methods], **config}, HOME)


def models(found: Project, table: str = "compare_pairs") -> list[str]:
    return [row.model for row in found.tables[table][1].rows]


def test_rows_without_training_and_baselines_stay_and_the_order_is_that_of_the_table(wiki):
    assert models(project("Word shuffling", CROP)) == ["No training", "Dropout", CROP, "Word shuffling"]
    assert models(project("Dropout")) == ["No training", "Dropout"]
    assert models(project()) == models(Project(given_config([]), HOME))


def test_trainings_and_tables_of_other_rows_are_as_they_were(wiki):
    every, some = project(), project(CROP)
    runs = set(reports.trained_runs(some))
    assert runs < set(reports.trained_runs(every))
    about = {run.model: run for run in every.about("compare_pairs").rows}
    assert [about[row.model] for row in some.about("compare_pairs").rows] == some.about("compare_pairs").rows
    samples = some.about("compare_samples").rows
    assert [row.model for row in samples] == ["No training", "Dropout", CROP]


def test_a_learning_curve_loses_the_rows_that_its_comparison_loses(wiki):
    assert models_of_curve(project("Word shuffling", learning_curve_methods=["Word shuffling"])) == [
        "Dropout",
        "Word shuffling",
    ]
    with pytest.raises(ConfigError, match=f"has no entry '{CROP}'"):
        project("Word shuffling", learning_curve_methods=[CROP])


def test_methods_that_a_learning_curve_does_not_show_are_told_if_no_comparison_is_built(wiki, monkeypatch):
    curve = Job(
        "report_learning_curve", {"table": "more_sentences"}, outputs=["t"], reason="Missing output files"
    )
    says = (
        "more_sentences: a learning curve takes its methods from learning_curve_methods, so --methods has no "
        f"effect on it. Write --config 'learning_curve_methods=[\"{CROP}\"]'"
    )
    assert f"Warnings (1)\n  {says}\n" in report(
        list(check_comparisons(project(CROP), [curve.wildcards["table"]]))
    )
    monkeypatch.setattr(outline, "machine", lambda project: None)
    assert says in outline.outline(project(CROP), [curve])
    for methods, tables in (
        ([CROP], ["more_sentences", "compare_pairs"]),
        (["Dropout"], ["more_sentences"]),
        ([], ["more_sentences"]),
    ):
        assert said_of_curves(project(*methods), tables) == {}
    assert said_of_curves(project(CROP, learning_curve_methods=[CROP]), ["more_sentences"]) == {}


def models_of_curve(found: Project) -> list[str]:
    rows: list[Row] = found.about("more_sentences").rows
    return list(dict.fromkeys(row.group for row in rows if row.group))


def test_a_mistyped_name_is_told_with_the_nearest_and_all_that_are_known(wiki):
    says = re.escape(
        "there is no method 'Span corp'. Did you mean 'Span crop'? `contrapose list` shows all 40"
    )
    with pytest.raises(ConfigError, match=says):
        project("Span corp")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("compare", "--methods: compare is a target, not a method. Write `--` before it."),
        ("results/tables/x.csv", "--methods: results/tables/x.csv is a target, not a method. Write `--` "),
        (
            "Word shuffling,Span crop",
            "Separate methods by blanks, not by commas: --methods 'Word shuffling' '",
        ),
        ("No training", "--methods: 'No training' is always included. Remove it from the names."),
        ("SimCSE", "--methods: SimCSE is called Dropout here. Write --methods Dropout."),
    ],
)
def test_a_target_commas_and_a_method_that_is_always_included_are_told(wiki, name, says):
    for check in (
        project,
        lambda *names: ConfigFolder({**given_config([]), "methods": names}, HOME).check_methods(),
    ):
        with pytest.raises(ConfigError, match=f"^{re.escape(says)}"):
            check("Dropout", name)


def test_tables_of_papers_are_no_comparisons(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"these studies have none: thesis\. Remove --methods"):
        project("Dropout", studies=["thesis"])


@pytest.fixture
def mine(tmp_path: Path, monkeypatch) -> Path:
    """Go to a folder of `contrapose init`; return its file of sentences."""
    files = {
        "sentences": "".join(f"Sentence {each}.\n" for each in range(20)),
        "test": "sentence1,sentence2,score\n"
        + "".join(f"A {each}.,B {each}.,{each}\n" for each in range(30)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    encoder = str(REPOSITORY / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {name: tmp_path / name for name in files})
    monkeypatch.chdir(tmp_path / "mine")
    return Path("data/sentences.txt")


def test_a_baseline_that_is_skipped_is_told_if_another_method_is_not(mine):
    name = "compare_pairs"
    assert lost_baselines(project(), [name]) == {}
    mine.unlink()
    assert lost_baselines(project(), [name]) == {}  # nothing is compared at all, which is told already
    Path("data/pairs.csv").write_text("sent0,sent1\nA b.,C d.\n")
    says = (
        "the baseline 'Dropout' is skipped, because sentences.txt is missing. So no method is compared "
        "with it."
    )
    assert lost_baselines(project(), [name]) == {name: says}
    assert ("warning", name, says) in [*check_comparisons(project(), [name])]


def test_a_comparison_of_which_every_trained_row_is_skipped_stops_a_run_and_is_missing(mine, monkeypatch):
    table = Job("report_sts_table", {"table": "compare_pairs"}, outputs=["t"], reason="Missing output files")
    jobs = [table, Job("report_samples_table", {"table": "compare_samples"}), Job("compare", {})]
    assert nothing_to_compare(project(), ["compare_pairs"]) == {}
    begun = [
        SimpleNamespace(rule=SimpleNamespace(name=job.rule), wildcards=job.wildcards, output=job.outputs)
        for job in jobs
    ]  # as Snakemake has them
    check_nothing_will_fail(project(), begun, here=True)
    mine.unlink()
    says = (
        "compare_pairs: all trained methods are skipped, so nothing can be compared: sentences.txt is "
        "missing. Provide this input, which config/catalogs/own.yaml names and looks for in the folder data."
    )
    assert report(list(check_comparisons(project(), ["compare_pairs"]))) == (
        f"Errors (1)\n  {says}\n\n1 error, so a run would fail."
    )
    with pytest.raises(ConfigError, match=f"^{re.escape(says)} No job was started[.]$"):
        check_nothing_will_fail(project(), begun, here=True)
    monkeypatch.setattr(outline, "machine", lambda project: None)
    assert f"A run would fail. {says}" in outline.outline(project(), [table])


OTHER = "results/retrieve/benchmarks/own.parquet"
NAMED = ("Back-translation", "LLM paraphrases", "Filtered LLM paraphrases")
SKIPPED = (
    "--methods: 'Back-translation' is skipped, because translators/there is missing "
    "(back_translators.there_and_back). Save two translation models in the folders at "
    "back_translators.there_and_back of config/catalogs/own.yaml. docs/reference/models-and-data.md says "
    "how. 'LLM paraphrases', 'Filtered LLM paraphrases' are skipped, because answers.jsonl is missing. "
    "docs/how-to/connect-a-model.md says how to connect a language model."
)


def test_named_methods_that_are_skipped_are_told_in_every_command(mine, capsys):
    assert said_of_skipped(project(CROP)) == ""
    assert said_of_skipped(project(*NAMED, CROP)) == SKIPPED
    (finding,) = check_methods(project(*NAMED, CROP))
    assert (finding.level, f"{finding.what}: {finding.text}") == ("warning", SKIPPED)
    plan.main(["--methods", *NAMED, CROP, "--", OTHER])
    assert capsys.readouterr().out.split("\n\n")[1] == SKIPPED
    done = planned("--config", command_line.methods_setting([*NAMED, CROP]), "--", OTHER)
    assert (done.returncode, done.stdout.splitlines().count(SKIPPED)) == (0, 1)


def test_if_every_named_method_is_skipped_that_is_an_error(mine):
    says = f"{SKIPPED} No named method is left to compare."
    with pytest.raises(ConfigError, match=f"^{re.escape(says)}$"):
        said_of_skipped(project(*NAMED))
    (finding,) = check_methods(project(*NAMED))
    assert (finding.level, f"{finding.what}: {finding.text}") == ("missing", says)
    with pytest.raises(ConfigError, match=f"^{re.escape(says)}$"):
        plan.main(["--methods", *NAMED, "--", OTHER])
    done = planned("--config", command_line.methods_setting(NAMED), "--", OTHER)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, says)


def planned(*arguments: str) -> subprocess.CompletedProcess:
    """Return a dry run of the workflow in the current folder."""
    call = ("--directory", str(Path.cwd()), "--cores", "1", "--dry-run", *arguments)
    return forked_snakemake(REPOSITORY, *call, check=False)


def test_two_methods_with_one_name_are_refused_with_both_rows(mine):
    study = Path("config/studies/compare/study.yaml")
    study.write_text(study.read_text().replace("{model: Word shuffling", "{model: Prefix"))
    with pytest.raises(ConfigError, match=r"table compare_pairs: rows \d+ and \d+ are both called 'Prefix'"):
        command_line.project_of([])


def test_a_plan_names_a_test_file_that_cannot_be_read_and_fails(mine, capsys):
    Path("data/test_pairs/test.csv").write_text("a,b\nc,d\n")
    assert plan.main(["--", "compare"])
    assert "A run would fail. benchmarks.similarity: data/test_pairs/test.csv: " in capsys.readouterr().out


def test_an_encoder_that_has_scores_but_no_folder_any_more_is_named(tmp_path: Path):
    lost = ConfigError("encoders.mine: 'gone' is not a folder.")

    def encoder(role: str) -> SimpleNamespace:
        if role == "mine":
            raise lost
        return SimpleNamespace(files=[])

    project = SimpleNamespace(
        catalog=SimpleNamespace(encoders={"mine": 1, "here": 1, "unscored": 1}),
        encoder=encoder,
    )
    assert [*said_of_lost_encoders(project, tmp_path)] == []  # without results the jobs say what is missing
    for role in ("mine", "here"):
        (tmp_path / "evaluate/own/released" / role).mkdir(parents=True)
    said = "'gone' is not a folder. Finished results of this encoder are kept, and no new ones can be made."
    assert [*said_of_lost_encoders(project, tmp_path)] == [("encoders.mine", said)]
