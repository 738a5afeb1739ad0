import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contrapose.base.errors import ConfigError, ContraposeError
from contrapose.jobs.manifest import made_now, manifest_file, read_manifest
from contrapose.models import matmul
from contrapose.project import Project, staleness, steps
from contrapose.project.staleness import made_today
from contrapose.tables import PAIRS, write_table
from contrapose.tools import verify
from contrapose.tools.accept import _refused
from contrapose.tools.verify import VerifyFinding, differences, findings, in_words, main, repeated
from tests.checkout import HOME

WILDCARDS = {"pairs": "dropout"}


@pytest.fixture
def project() -> Project:
    return Project({}, HOME)


def settings(project: Project) -> dict:
    return json.loads(steps.settings(project, "pairs_dropout", WILDCARDS))


@pytest.fixture
def made(tmp_path: Path, project: Project):
    """Write a pairs table as the workflow would, with some of its provenance changed."""

    def write(**changes) -> Path:
        provenance = {"rule": "pairs_dropout", "wildcards": WILDCARDS, "settings": settings(project)}
        provenance["code"] = steps.code(project, "pairs_dropout", {})
        frame = pd.DataFrame(columns=PAIRS.columns)
        file = tmp_path / "pairs" / "dropout.parquet"
        write_table(frame, file, PAIRS, provenance | changes)
        made_now([file], provenance | changes).write()
        return tmp_path

    return write


def test_a_file_of_todays_settings_and_code_is_up_to_date(made, project):
    assert list(findings(made(), project)) == []


OTHER_SETTINGS = {"spec": {"corpus": "wiki-2-2"}}


@pytest.mark.parametrize(
    ("changes", "kind", "reason"),
    [
        ({"settings": OTHER_SETTINGS}, "settings", 'corpus from "wiki-2-2" to "wiki-1-1-small"'),
        ({"code": "0" * 16}, "code", "its code has changed"),
        ({"wildcards": {"pairs": "gone"}}, "foreign", "no entry 'gone'"),
    ],
)
def test_a_file_of_other_settings_code_or_names_says_which(made, project, changes, kind, reason):
    (found,) = findings(made(**changes), project)
    assert found.kind == kind
    assert reason in found.reason


def test_a_changed_file_of_a_person_makes_what_was_read_from_it_out_of_date(made, project, tmp_path):
    made()
    file, table = tmp_path / "data/sentences.txt", tmp_path / "results/pairs/dropout.parquet"
    file.parent.mkdir()
    file.write_text("One.\nTwo.\n")
    table.parent.parent.mkdir()
    (tmp_path / "pairs").rename(table.parent)
    made_now([table], read_manifest(manifest_file(table)).made, [file]).write()
    assert list(findings(tmp_path / "results", project)) == []
    file.write_text("One.\n")
    (found,) = findings(tmp_path / "results", project)
    assert found == (table, "input", f"{file} has changed")
    file.unlink()  # of results that were copied without their data
    assert list(findings(tmp_path / "results", project)) == []


def test_another_precision_of_auto_on_this_processor_is_a_change_of_settings(made, project, monkeypatch):
    folder = made(auto_precision={"cpu": "float32"})
    verify._auto_precision.cache_clear()
    monkeypatch.setattr(matmul, "matmul_backend", lambda: matmul.Backend(onednn=True, bf16=True))
    (found,) = findings(folder, project)
    assert found[1:] == ("settings", "precision auto meant float32 then, but on this processor it means bf16")
    assert list(findings(made(auto_precision={"cpu": "bf16", "cuda": "float32"}), project)) == []
    verify._auto_precision.cache_clear()


def test_settings_that_came_or_went_are_told(made, project, monkeypatch):
    monkeypatch.setattr(staleness, "settings", lambda *_: '{"corpus": "z", "new": 2}')
    (found,) = findings(made(settings={"corpus": "a", "gone": [1]}), project)
    assert (
        found.reason
        == 'its settings have changed: corpus from "a" to "z"; gone from [1] to none; new from none to 2'
    )


def test_long_settings_are_cut_before_they_differ_and_many_are_counted(made, project, monkeypatch):
    old, new = ({f"k{n}": f"{'x' * 500}{end}" for n in range(7)} for end in ("old", "new"))
    monkeypatch.setattr(staleness, "settings", lambda *_: json.dumps(new))
    (found,) = findings(made(settings=old), project)
    assert f'k0 from ...{"x" * 20}old" to ...{"x" * 20}new"; k1 from ' in found.reason
    assert found.reason.endswith("; and 2 more")


def test_a_long_list_is_told_by_its_entries_and_not_by_a_piece_of_json():
    rows = [{"model": name, "recipe": "compare", "grid": {}, "choices": []} for name in ("a", "b", "c")]
    other = [*rows[:1], {**rows[1], "model": "z"}, rows[2]]
    assert [*differences({"rows": rows}, {"rows": other})] == ['rows (entry 2).model: "b" -> "z"']
    assert [*differences({"rows": rows}, {"rows": rows[:2]})] == ["rows: 3 entries -> 2 entries"]
    assert [*differences({"seeds": [42]}, {"seeds": [42, 43]})] == ["seeds: [42] -> [42,43]"]


ROWS = [
    {"group": "", "model": model, "trained": trained, "note": "x" * 40}
    for model, trained in (("No training", False), ("Dropout", True), ("Span crop", True))
]
TABLE = {"about": {"seeds": [42, 43], "rows": ROWS}, "spec": {"costs": True, "rows": ROWS}}
TODAY = {"about": {"seeds": [42, 43, 44], "rows": ROWS * 9}, "spec": {"costs": True, "rows": ROWS * 9}}
TRAINED = {"recipe": {"steps": 2, "dev_every": 2}}


def test_changes_are_told_by_the_names_that_people_know():
    assert in_words(TABLE, TODAY) == ["methods from 3 to 27", "seeds from 2 to 3"]
    assert in_words(TRAINED, {"recipe": {"steps": 16, "dev_every": 16}}) == ["steps from 2 to 16"]
    both = ["dev_every from 2 to 4", "steps from 2 to 16"]  # the second does not explain the first
    assert in_words(TRAINED, {"recipe": {"steps": 16, "dev_every": 4}}) == both
    assert in_words({"recipe": {"dev_every": 2}}, {"recipe": {"dev_every": 4}}) == ["dev_every from 2 to 4"]
    assert in_words({"about": {"seeds": [42]}}, {"about": {"seeds": [43]}}) == ["seeds from [42] to [43]"]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (TABLE, TODAY, """catalog=x seeds=2 'methods=["Dropout", "Span crop"]'"""),
        (TRAINED, {"recipe": {"steps": 16, "dev_every": 16}}, "catalog=x seeds=5 steps=2"),
        ({"about": {"bootstrap": 200}}, {"about": {"bootstrap": 1000}}, "catalog=x seeds=5 bootstrap=200"),
        ({"spec": {"corpus": "a"}}, {"spec": {"corpus": "b"}}, ""),
        ({"recipe": None, "about": "a"}, {"recipe": "b"}, ""),
    ],
)
def test_the_config_of_the_run_is_repeated_from_what_it_has_made(
    before, after, says, made, project, monkeypatch
):
    stale = list(findings(made(settings=before), project))
    monkeypatch.setattr(staleness, "settings", lambda *_: json.dumps(after))
    lines = list(repeated(stale, project, ["catalog=x", "seeds=5"], "status"))
    start = (
        "If these results are from a run with --config or --methods, repeat those here: contrapose status "
    )
    assert lines == ([f"{start}--config {says}"] if says else [])


def test_what_a_rule_of_another_catalog_has_made_is_named():
    made = {"rule": "mini_world", "wildcards": {}}
    with pytest.raises(ConfigError, match=r"the current settings no longer build this result$"):
        made_today(Project({"catalog": "hub"}, HOME), made)


def test_a_file_of_somebody_else_is_foreign(tmp_path, project):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    (tmp_path / "broken.parquet").write_text("no parquet")
    assert [found.kind for found in findings(tmp_path, project)] == ["foreign", "foreign"]


def test_drafts_that_killed_jobs_have_left_are_passed_over(tmp_path, project):
    (tmp_path / "train" / ".data.here-17.draft").mkdir(parents=True)
    for draft in (".x.parquet.here-17.draft", ".data.here-17.draft/half.parquet"):
        (tmp_path / "train" / draft).write_text("torn")
    (tmp_path / "train" / "half.draft.parquet").write_text("torn")
    assert [found.path.name for found in findings(tmp_path, project)] == ["half.draft.parquet"]


def test_only_a_folder_that_a_job_made_may_hold_files_of_somebody_else(tmp_path, project):
    for folder in ("retrieve/data", "retrieve/other"):
        (tmp_path / folder).mkdir(parents=True)
        pq.write_table(pa.table({"x": [1]}), tmp_path / folder / "x.parquet")
    provenance = {
        "rule": "mini_world",
        "wildcards": {},
        "settings": json.loads(steps.settings(project, "mini_world", {})),
    }
    made_now(
        [tmp_path / "retrieve/data"], provenance | {"code": steps.code(project, "mini_world", {})}
    ).write()
    assert [found.path for found in findings(tmp_path, project)] == [tmp_path / "retrieve/other/x.parquet"]


def test_a_folder_or_a_config_that_is_not_there_is_named(made, monkeypatch):
    monkeypatch.chdir(HOME)
    with pytest.raises(ContraposeError, match="'none' is not a folder"):
        main(["--results", "none"])
    with pytest.raises(ContraposeError, match="no-such-catalog"):
        main(["--results", str(made()), "--config", "catalog=no-such-catalog"])


def test_the_command_ends_with_1_if_anything_is_stale(made, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(HOME)
    assert main(["--results", str(made())]) == 0
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    assert main(["--results", str(made(code="0" * 16))]) == 1
    said = capsys.readouterr().out
    assert "Of 2 files, 2 are out of date, changed or from elsewhere." in said
    assert "results stay the same: contrapose mark-valid --reason REASON\n" in said


def test_of_many_files_with_one_reason_some_are_named(made, capsys, monkeypatch):
    monkeypatch.chdir(HOME)
    results = str(made(code="0" * 16))
    alike = [VerifyFinding(Path(f"{number}.parquet"), "code", "why") for number in range(9)]
    monkeypatch.setattr("contrapose.tools.verify.findings", lambda folder, project: alike)
    assert main(["--results", results]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[4:6] == ["4.parquet: why", "and 4 more files for the same reason"]


def test_claims_of_a_study_that_a_call_leaves_out_are_not_made_today():
    made = {"rule": "report_claims_table", "wildcards": {"study": "prdsimcse"}}
    with pytest.raises(ConfigError, match="studies has no entry 'prdsimcse'"):
        made_today(Project({"studies": ["thesis"]}, HOME), made)


def test_a_refusal_to_mark_a_result_has_the_config_of_the_call_and_that_of_the_run():
    said = str(_refused("a.csv", "its settings have changed", ["seeds=2"], "If these"))
    assert said.endswith("Build it again: contrapose run --config seeds=2\nIf these")
