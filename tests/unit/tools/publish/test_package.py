from contrapose.jobs.status import REASON
from contrapose.project import Project
from contrapose.tools.dry_run import Job
from contrapose.tools.publish import upload as module
from contrapose.tools.publish.chain import Chain
from tests.checkout import HOME

RUN = "dropout/simcse/seed42"


def test_a_run_that_had_too_few_pairs_is_left_out_and_said_to_be(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(HOME)
    encoder = tmp_path / "results" / "train" / RUN / "encoder"
    encoder.mkdir(parents=True)
    (encoder / REASON).write_text("pairs 'dropout' has none\n")
    wildcards = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}
    job = Job("train_encoder", wildcards, outputs=[str(encoder)])
    chain = Chain(Project({}, HOME), tmp_path / "results", {}, [job])
    monkeypatch.setattr(module, "built_chain", lambda *_: chain)
    module.main(["--to", str(tmp_path / "made"), "--encoders", "all"])
    assert not (tmp_path / "made" / "encoders").exists()
    assert f"left out: encoders/{RUN} (pairs 'dropout' has none)\n" in capsys.readouterr().out
    card = (tmp_path / "made" / "README.md").read_text()
    assert f"- left out: encoders/{RUN} (pairs 'dropout' has none)\n" in card
    assert f"- `encoders/{RUN}/`" not in card
