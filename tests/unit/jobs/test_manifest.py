"""The ways in which results change by hand: `verify` finds all, `run` those at the end of a file."""

import json
import os
import shutil
from contextlib import chdir, nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.drills.corruptions import CORRUPTIONS, corrupt
from contrapose.base.errors import TableError
from contrapose.jobs import step
from contrapose.jobs.manifest import END_BYTES, is_draft, made_now, manifest_files, read_manifest
from contrapose.tables import SENTENCES, read_table, write_table
from contrapose.tables.parquet import draft_of
from contrapose.tools import verify
from contrapose.tools.command_line import RunArguments
from contrapose.tools.unchanged import check_unchanged


class Named(dict):
    __getattr__ = dict.__getitem__


MADE = {"rule": "a_rule", "wildcards": {}, "settings": {}, "code": "0"}


def texts(seed: int) -> pd.DataFrame:
    """Return rows that fill more than the end of a file, as zstd can hardly shorten them."""
    numbers = np.random.default_rng(seed).integers(0, 2**62, (9_000, 2))
    rows = pd.DataFrame({"text": [f"{one} {other}" for one, other in numbers], "position": 0, "words": 2})
    return rows.assign(id=rows.index.astype(str), article_id="a")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Results of two rows: pairs, a trained encoder and its log, scores, a printed table."""
    folder = tmp_path_factory.mktemp("built")
    with chdir(folder):
        for seed, row in enumerate("ab"):
            encoder, table = Path(f"results/train/{row}/r/seed1/encoder"), Path(f"results/tables/{row}.csv")
            for place in (encoder, table.parent):
                place.mkdir(parents=True, exist_ok=True)
            (encoder / "config.json").write_text("{}")
            (encoder / "model.safetensors").write_bytes(np.random.default_rng(seed).bytes(3 * END_BYTES))
            shown = [table.with_suffix(end) for end in (".csv", ".md", ".tex", ".svg", ".png")]
            for file in shown:
                file.write_text(f"{row}, 82.4{seed}, {file.suffix}")
            for *others, parquet in (
                [Path(f"results/pairs/{row}.parquet")],
                [encoder, encoder.with_name("history.parquet")],
                [Path(f"results/evaluate/english/{row}/r/seed1.parquet")],
                [*shown, table.with_suffix(".parquet")],
            ):
                write_table(texts(seed), parquet, SENTENCES, MADE)
                made_now([*others, parquet], MADE).write()
    return folder


@pytest.fixture
def folder(built, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(shutil.copytree(built, tmp_path / "project"))
    monkeypatch.setattr(verify, "_compared", lambda *_: ())  # with settings of today: test_verify.py
    return Path("results")


def verified() -> set[Path]:
    project = SimpleNamespace(config=SimpleNamespace(save_models=True))
    return {finding.path for finding in verify.findings(Path("results"), project)}


def seen_by_run() -> set[Path]:
    read = map(read_manifest, manifest_files(Path("results")))
    return {path for manifest in read for path, _ in manifest.changes(Path("results"), whole=False)}


# In the middle of a file of more than 64 kB; and what Snakemake makes again.
LEFT_BY_RUN = ("a bit inside a page of pairs", "a bit in the middle of weights", "a CSV file removed")


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_every_change_by_hand_is_found_though_the_time_of_the_file_is_kept(folder, name):
    touched = corrupt(folder, name, np.random.default_rng(1))
    assert verified() == {touched}
    assert seen_by_run() == (set() if name in LEFT_BY_RUN else {touched})


def moved(stage: Path, elsewhere: Path) -> None:
    """Move a stage's folder to another disk and leave a link, as people do on clusters."""
    shutil.move(stage, elsewhere)
    stage.symlink_to(elsewhere)


def test_a_stage_on_another_disk_is_looked_at_through_its_link_once(folder, tmp_path):
    moved(folder / "train", tmp_path / "disk")
    (folder / "again").symlink_to(folder.resolve() / "pairs")  # other paths to what is there already
    (folder / "train/disk").symlink_to(tmp_path / "disk")
    (folder / "train/up").symlink_to(tmp_path)
    assert verified() == set()
    weights = folder / "train/a/r/seed1/encoder/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"!")
    assert verified() == seen_by_run() == {folder / "train/a/r/seed1/encoder"}
    says = "Results have changed since their jobs wrote them, so nothing was started"
    with pytest.raises(TableError, match=says):
        check_unchanged(".", RunArguments.of([]))
    with pytest.raises(TableError, match="contrapose run --config seeds=2 --force -- results/train"):
        check_unchanged(".", RunArguments.of(["--config", "seeds=2"]))


def test_a_part_of_an_encoder_on_another_disk_is_a_part_of_it(folder, tmp_path):
    encoder = folder / "train/a/r/seed1/encoder"
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/config.json").write_text("{}")
    (encoder / "1_Pooling").symlink_to(tmp_path / "disk")
    assert verified() == {encoder}


def test_a_stage_whose_disk_is_not_there_is_named(folder, tmp_path):
    moved(folder / "train", tmp_path / "disk")
    shutil.move(tmp_path / "disk", tmp_path / "unplugged")
    assert folder / "train" in verified()
    with pytest.raises(TableError, match=r"results/train: it is a link to .*/disk, which does not exist"):
        check_unchanged(".", RunArguments.of([]))


def test_nothing_is_found_where_nothing_has_changed_or_all_of_a_job_is_removed(folder):
    assert verified() == set()
    shutil.rmtree(folder / "tables")
    assert verified() == set()


def test_a_run_does_not_start_on_changed_results_unless_it_makes_them_again(folder):
    check_unchanged(".", RunArguments.of(["-n"]))
    (folder / "tables/a.csv").write_text("99.99")
    with pytest.raises(TableError, match=r"a.csv: it has 5 bytes.*\n.*run --force -- results/tables/a.csv\n"):
        check_unchanged(".", RunArguments.of(["-n"]))
    for again in (["--force", "--", "results/tables/a.csv"], ["-R", "a_rule"], ["--forceall"], ["--unlock"]):
        check_unchanged(".", RunArguments.of(again))


def test_what_a_killed_job_has_left_is_no_change(folder, monkeypatch):
    monkeypatch.setattr(step, "log_to", lambda *_: nullcontext())
    monkeypatch.setattr(step, "result", lambda job: (folder / "pairs/a.parquet").write_bytes(b"half") / 0)
    resources = {"step": "contrapose.pairs.dropout"}
    outputs = {"pairs": str(folder / "pairs/a.parquet")}
    with pytest.raises(ZeroDivisionError):
        step.run(SimpleNamespace(output=outputs, resources=Named(resources), log=[""], threads=1))
    assert seen_by_run() == set()


def test_a_flipped_bit_stops_whoever_reads_the_table(folder):
    with pytest.raises(TableError, match="the file is damaged"):
        read_table(corrupt(folder, "a bit inside a page of pairs", np.random.default_rng(1)), SENTENCES)


OUTPUT = {".": {"bytes": 1, "end": "0"}}
PIPE = "a pipe"
DAMAGED = {
    "it has wrong content: the key made is missing": '{"place": "x"}',
    "it has wrong content: the whole content is [], but a mapping (`key: value`) is expected": "[]",
    "maximum recursion depth": "[" * 100_000,
    "it is not a file": PIPE,
    "rule has the value [1]": {"made": {**MADE, "rule": [1]}},
    "wildcards has the value 'pairs'": {"made": {**MADE, "wildcards": "pairs"}},
    "auto_precision has the value [1]": {"made": {**MADE, "auto_precision": [1]}},
    "names '../etc/hostname', which is not in the folder results": {
        "outputs": {"../../../etc/hostname": OUTPUT}
    },
    "names '/usr', which is not in the folder results": {"outputs": {"/usr": OUTPUT}},
    "a path cannot contain a NUL character": {"outputs": {"b\0": OUTPUT}},
}


@pytest.mark.parametrize("why", DAMAGED)
def test_a_manifest_that_is_damaged_or_names_other_folders_is_refused_unread(folder, why):
    file, content = Path("results/pairs/.a.parquet.manifest.json"), DAMAGED[why]
    if content == PIPE:
        file.unlink()
        os.mkfifo(file)
    elif isinstance(content, str):
        file.write_text(content)
    else:
        made = json.loads(file.read_text())
        # Beside the output that is there: manifests of results that are all gone are not looked at.
        outputs = made["outputs"] | content.get("outputs", {})
        file.write_text(json.dumps(made | content | {"outputs": outputs}))
    with pytest.raises(TableError) as error:
        check_unchanged(".", RunArguments.of([]))
    (sentence,) = str(error.value).splitlines()
    assert sentence.startswith(f"{file}: this file is not the manifest of a job (")
    assert why in sentence
    project = SimpleNamespace(config=SimpleNamespace(save_models=True))
    assert any(why in found.reason for found in verify.findings(folder, project))


@pytest.mark.parametrize("name", ["tables/x.csv", "tables/sub/x.md", "figures/x.png", "claims/x.csv"])
def test_a_file_of_strangers_beside_the_tables_is_a_finding(folder, name):
    before = verified()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("1")
    # Such as Snakemake's time stamps.
    (folder / name).with_name(".hidden").write_text("1")
    assert verified() - before == {folder / name}


def test_a_pipe_in_the_place_of_a_result_is_named_as_one_and_not_opened(folder):
    (folder / "tables/a.csv").unlink()
    os.mkfifo(folder / "tables/a.csv")
    with pytest.raises(
        TableError, match=r"tables/a\.csv: it is a pipe or a device, but the job wrote a file"
    ):
        check_unchanged(".", RunArguments.of([]))


def test_names_with_escapes_of_a_terminal_are_printed_as_text(folder, monkeypatch, capsys):
    project = SimpleNamespace(config=SimpleNamespace(save_models=True))
    monkeypatch.setattr(verify, "project_of", lambda _: project)
    shutil.copy(folder / "pairs/a.parquet", folder / "pairs/\x1b[2J\n.parquet")
    assert verify.main([])
    assert r"results/pairs/\x1b[2J\n.parquet: it has no manifest" in capsys.readouterr().out


def test_what_a_writer_has_not_finished_is_a_draft():
    """The suffix stands in two modules, as one of them takes half a second to import."""
    draft = draft_of(Path("results/x.parquet"))
    assert is_draft(draft)
    assert is_draft(draft / "inside")
    assert not is_draft(Path("results/x.draft.parquet"))
