"""Other settings of language models of a catalog, in config.yaml or by `--config llms.ROLE.SETTING=VALUE`."""

from pathlib import Path

import pytest
from snakemake.cli import parse_config

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.project.cards import card_facts
from contrapose.settings.cli_config import given_config, snakemake_config
from contrapose.tools.command_line import RunArguments
from tests.checkout import HOME

SERVED = ["llms.chatgpt.endpoint=http://localhost:8000/v1", "llms.chatgpt.model=Qwen/Qwen3-14B"]

IN_FILES = (
    "^--config {}: only a setting of a language model can be named with dots. `--config` takes the keys of "
    "config.yaml without dots, as in `--config steps={}`. All other settings are edited in their file, such "
    "as config/recipes.yaml.$"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Is a folder with settings of its own for a language model, in the hub catalog."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    text = "{catalog: hub, studies: [thesis], llms: {chatgpt: {max_attempts: 2, extra_body: {a: true}}}}"
    (tmp_path / "config/config.yaml").write_text(text)
    return tmp_path


def test_what_is_given_is_merged_and_another_endpoint_gets_no_key_or_price_of_the_catalogs(folder: Path):
    catalog = Project({"catalog": "hub", "studies": ["thesis"]}, HOME)
    project = Project(given_config([*SERVED, "llms.chatgpt.max_tokens=900"]), HOME)
    found = project.llm("chatgpt")
    assert (found.model, found.endpoint, found.max_tokens) == (
        "Qwen/Qwen3-14B",
        "http://localhost:8000/v1",
        900,
    )
    assert (found.max_attempts, found.extra_body, found.temperature) == (
        2,
        {"a": True},
        None,
    )
    assert (found.key, found.completion_price, found.max_tokens_name) == (None, 0, "max_tokens")
    assert found.budget == catalog.llm("chatgpt").budget
    assert project.llm("vicuna") == catalog.llm("vicuna")
    same = Project(given_config(["llms.chatgpt.model=gpt-7"]), HOME).llm("chatgpt")
    assert (same.key, same.completion_price) == ("OPENAI_API_KEY", catalog.llm("chatgpt").completion_price)
    recorded = ["llms={chatgpt: {kind: recorded, path: ./a.jsonl, answers: {'2': answer}}}"]
    assert Project(given_config(recorded), HOME).llm("chatgpt").kind == "recorded"


def test_a_run_passes_them_on_to_snakemake_as_they_are(folder: Path):
    given = ["seeds=2", *SERVED, "llms.vicuna.extra_body={a: true, b: it's}", "llms.vicuna.temperature=null"]
    call = RunArguments.of(["-n", "--config", *given, "--cores", "2", "--", "table"])
    passed = RunArguments.of(call.with_config(snakemake_config(call.config)))
    assert passed.options == ["-n", "--cores", "2", "--config", "seeds=2", passed.config[-1]]
    assert passed.targets == ["table"]
    seen = parse_config(passed.config)
    file = {"catalog": "hub", "studies": ["thesis"]}
    theirs, ours = Project(file | seen, HOME).config, Project(given_config(given), HOME).config
    assert theirs == ours
    assert ours.llms["vicuna"] == {"extra_body": {"a": True, "b": "it's"}, "temperature": None}
    assert RunArguments.of(["-n", "--config", "seeds=2"]).with_config(["seeds=2"])[-1] == "seeds=2"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("llms.chatgtp.model=x", "no entry 'chatgtp'. Did you mean 'chatgpt'"),
        (
            "llms.chatgpt.modle=x",
            "with llms of config/config.yaml or --config: llms.chatgpt: there is no key 'modle'. Did you "
            "mean 'model'\\? Known: accept, budget, completion_price, concurrency, endpoint, extra_body, "
            "key, kind and 18 more.$",
        ),
        (
            "llms.chatgpt=x",
            "^--config llms.chatgpt: only a setting of a language model can be named with dots. Write "
            "llms.NAME.SETTING=VALUE, for example llms.chatgpt.model=NAME.$",
        ),
        (
            "shards.corpus=2",
            "^--config shards.corpus: only a setting of a language model can be named with dots. Write "
            "--config shards='{corpus: 2}'.$",
        ),
        ("recipes.compare.steps=16", IN_FILES.format("recipes.compare.steps", 16)),
        ("recipes.compare.batch_size=8", IN_FILES.format("recipes.compare.batch_size", 32)),
        ("seeds.all=8", IN_FILES.format("seeds.all", 32)),
        ("llms=x", "llms: give settings under the name of a language model, for example"),
        ("llms.chatgpt.key=sk-1", "name the environment variable"),
    ],
)
def test_a_wrong_one_says_what_is_allowed(folder: Path, given: str, message: str):
    with pytest.raises(ConfigError, match=message) as error:
        Project(given_config([given]), HOME)
    assert "sk-1" not in str(error.value)


def test_tables_and_cards_name_the_model_that_wrote_the_paraphrases(folder: Path):
    project, note = Project(given_config(SERVED), HOME), "chatgpt is Qwen/Qwen3-14B"
    for table in ("table4_1", "table4_3", "controls"):
        rows = [row for row in project.about(table).rows if row.group.startswith("ChatGPT")]
        assert rows
        assert all((note, [note]) == (row.note, row.asked) for row in rows)
        assert note in project.tables[table][1].stand_ins(project, table)  # for the claims
    assert card_facts(project, "paraphrase", "paraphrase").asked == [note]
    assert card_facts(project, "dropout", "simcse").asked == []


def test_the_open_models_have_rows_in_the_form_of_table_4_1(monkeypatch):
    monkeypatch.chdir(HOME / "examples/openllms")
    project = Project({"catalog": "hub", "studies": ["thesis", "openllms"]}, HOME)
    ours, table = project.about("openllms_sts").rows, project.about("table4_1").rows
    assert {row.encoder: row.runs for row in ours[:2]}.items() <= {
        row.encoder: row.runs for row in table if row.group == "Unsupervised SimCSE"
    }.items()
    assert [row.asked for row in ours if row.asked] == [
        [f"{role} is {project.llm(role).model}"] for role in ("qwen", "llama", "gemma") for _ in range(2)
    ]
