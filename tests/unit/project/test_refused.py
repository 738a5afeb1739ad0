"""What a person can get wrong in YAML ends in a message: the place, the value and what is allowed."""

import re
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

from contrapose.base.errors import ConfigError
from contrapose.evaluate import mteb_files
from contrapose.generate.endpoint import Endpoint
from contrapose.project import Project, steps
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.retrieve import data_files, suites
from contrapose.settings.catalogs import LLM
from contrapose.settings.cli_config import given_config
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
from contrapose.settings.yaml_files import read_yaml
from tests.unit.project.conftest import HOME, content_of, edit, write_text

CASES = yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text())
OF_MODULES = (data_files, mteb_files, steps, suites)
MODULES = {module.__name__.rpartition(".")[2]: module for module in OF_MODULES}
CATALOGS, STUDIES = ("mini", "files"), ("thesis", "rise", "ppdbcse")
FILES = {
    "recipes": "recipes.yaml",
    **{name: f"catalogs/{name}.yaml" for name in CATALOGS},
    **{name: f"studies/{name}/study.yaml" for name in STUDIES},
}
KINDS = {
    "config.yaml": Config,
    "recipes.yaml": Recipes,
    "catalogs/mini.yaml": Catalog,
    "studies/rise/study.yaml": Study,
}
WRONG = [None, True, -1, "", "no\0", [1], {"kind": [1]}, {1: 2}, 10**400, float("nan")]


def planned(case: dict) -> None:
    """Make the project of a case, and call a method of it or a function about it in one of MODULES."""
    for name in FILES.keys() & case.keys():
        edit(FILES[name], case[name])
    studies = [name for name in case if name in STUDIES] or ["thesis"]
    project = Project({"studies": studies, **case.get("config", {})}, HOME)
    what, *arguments = case["call"]
    module, _, name = what.partition(".")
    if module == "files":  # of an entry of the catalog
        section, role = (*arguments, "")[:2]
        project.source(section, role).read_by_jobs(project, role)
    elif module in MODULES:
        getattr(MODULES[module], name)(project, *arguments)
    else:
        attrgetter(what)(project)(*arguments)


@pytest.mark.parametrize("case", CASES, ids=[case["says"][:60] for case in CASES])
def test_a_wrong_setting_is_refused_with_its_place_and_value(case, here):
    with pytest.raises(ConfigError) as raised:
        planned(case)
    assert case["says"] in str(raised.value)


def test_a_missing_data_folder_is_named_itself(here):
    with pytest.raises(ConfigError, match="data is 'nowhere', which is not a folder"):
        Project({"catalog": "files", "data": "nowhere", "studies": ["thesis"]}, HOME)


def refused(kind, content) -> str:
    with pytest.raises(ConfigError) as raised:
        validated(kind, content, "file.yaml")
    return str(raised.value)


@pytest.mark.parametrize("file", KINDS)
@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_a_value_of_a_wrong_kind_is_never_a_traceback(file, value):
    content, kind = content_of(file), KINDS[file]
    for key, old in content.items():
        places = [(content, key)]
        if isinstance(old, dict):
            places += [(old, name) for name in list(old)[:2]]
        for where, name in places:
            before, where[name] = where[name], value
            with suppress(ConfigError):  # an empty or a long text may be right
                validated(kind, content, file)
            where[name] = before
    validated(kind, content, file)


def test_a_long_wrong_value_is_shown_by_its_beginning():
    assert len(refused(Config, {"catalog": ["x" * 10_000]})) < 400


@pytest.mark.parametrize("name", ["", "a/b", "a,b", "a=b", "a b", "../x", ".", "(", "{x}", "a\nb", "x" * 64])
def test_a_name_that_would_break_ids_or_paths_is_refused(name):
    text = refused(Recipes, {**content_of("recipes.yaml"), "corpora": {name: {"method": 1}}})
    assert "file.yaml: corpora." in text
    assert "a name" in text
    assert "tables." in refused(Study, {**content_of("studies/rise/study.yaml"), "tables": {name: {}}})


def test_names_of_any_script_are_names():
    entries = {"corpora": {"é漢-1.5_a": {"method": 1}}, "recipes": {}, "pairs": {}}
    assert list(validated(Recipes, entries, "file.yaml").corpora) == ["é漢-1.5_a"]


@pytest.mark.parametrize(
    "key",
    [
        *(
            "sk-live-51Hx",
            "hf_abcDEF123",
            "AIzaSyD",
            "gsk_9",
            " MY_KEY",
            "SKLIVE1234567890ABCDEF",
            ["sk-live"],
        ),
        *("SK_LIVE_1234567890ABCDEF", "DEADBEEFDEADBEEFDEADBEEF", "QWERTYUIOPASDFGHJKLZXCVB", "A1B2C3D4E5F6"),
    ],
)
def test_a_key_in_place_of_its_variable_is_never_shown(key):
    catalog = content_of("catalogs/mini.yaml")
    catalog["llms"]["chatgpt"]["key"] = key
    text = refused(Catalog, catalog)
    assert text.startswith(
        ("file.yaml: llms.chatgpt.key: ", "file.yaml: llms.chatgpt.key has another value, ")
    )
    assert isinstance(key, list) or "name the environment variable that holds the key" in text
    assert "".join(key) not in text


@pytest.mark.parametrize(
    "address",
    [
        *("http://me:hunter2@host/v1", "http:/me:hunter2@host", "https://h/v1?key=hunter2"),
        *(
            "https://h/v1#hunter2",
            "https://h/sk-hunter2/v1",
            "https://h/xhunter2x0123456789ab",
            "https://h/v1%23hunter2",
        ),
        *("https://h/v1;key=hunter2", "https://h/glpat-hunter2/v1", "https://h/Token-hunter2/v1"),
        *("https://h/api-key/hunter2/v1", "https://h/eyJhunter2.A"),
    ],
)
def test_an_address_with_a_password_is_refused_and_never_shown(address, tmp_path):
    catalog = content_of("catalogs/mini.yaml")
    catalog["llms"]["chatgpt"]["endpoint"] = address
    (tmp_path / "server.url").write_text(f"{address}\n")
    reached = LLM(model="m", endpoint=f"file:{tmp_path}/server.url").connection("chatgpt")
    with pytest.raises(ConfigError) as from_file:
        Endpoint(reached).locate()
    places = {
        "file.yaml: llms.chatgpt.endpoint": refused(Catalog, catalog),
        "endpoint": refused(Config, {"endpoint": address}),
        "llms.chatgpt.endpoint": str(from_file.value),
    }
    for place, text in places.items():
        assert f"{place}: the address contains a user name, a password, parameters" in text
        assert "hunter2" not in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"a: 1\nb: 2\na: 3\n", "key 'a' occurs twice"),
        (b"a: {b: 1, b: 2}\n", "key 'b' occurs twice"),
        (b"a: 2024-13-01\n", "not valid YAML"),
        (b"a: \xe9\n", "not in UTF-8"),
        (b"a: \0\n", "not valid YAML"),
        (b"a: &a [1, {b: *a}]\n", "this value contains itself"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, "more than 50 lists or mappings inside"),
        (b"seeds: 1:30\n", "YAML 1.1 reads 1:30 as 90. Write 90"),
        (b"seeds: 010\n", "YAML 1.1 reads 010 as 8"),
        (b"a: 1\nseeds 3\nb: 2\n", "line 2, `seeds 3`, is not valid YAML: a colon is missing"),
        (b"a:\n\t- b\n", "line 2, `- b`, is not valid YAML: it begins with a tab"),
        (b"a: 1\n\tb: 2\n", "line 2, `b: 2`, is not valid YAML: it begins with a tab"),
        (b"a: 1\nb: [1, 2\nc: 3\n", "line 2, `b: .1, 2`, is not valid YAML: a bracket . is missing"),
        (b"a: {b: 1\nc: 3\n", "line 1, `a: .b: 1`, is not valid YAML: a brace . is missing"),
        (b"a: 'x\nb: 3\n", "line 1, `a: 'x`, is not valid YAML: a quotation mark is missing"),
        (b"a:\n    b: 1\n  c: 2\n", "line 3, `c: 2`, is not valid YAML: the indentation differs"),
        (b"a: 1\n  b: 2\n", "line 2, `b: 2`, is not valid YAML: the indentation differs"),
        (b"a: *x\n", "line 1, `a: .x`, is not valid YAML: no line above it defines this anchor"),
        (b"a: [\n", "is not valid YAML: a value is missing"),
    ],
)
def test_a_file_that_is_no_yaml_or_says_a_thing_twice_is_refused(text, says, tmp_path):
    (tmp_path / "x.yaml").write_bytes(text)
    with pytest.raises(ConfigError, match=rf"x\.yaml.*{says}|{says}.*x\.yaml"):
        read_yaml(tmp_path / "x.yaml")


def test_a_line_that_may_hold_a_secret_is_not_shown(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1\napi_key hunter2\nb: 2\n")
    with pytest.raises(ConfigError, match=r"x\.yaml: line 2 is not valid YAML: a colon is missing"):
        read_yaml(tmp_path / "x.yaml")


def test_a_merged_mapping_may_replace_keys(tmp_path):
    (tmp_path / "x.yaml").write_text("a: &a {x: 1, y: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, y: 3}\n")
    found = read_yaml(tmp_path / "x.yaml")
    assert found == {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}}


@pytest.mark.parametrize(("text", "given"), [("[1]", []), ("seeds: [", []), ("seeds: 1", ["seeds=["])])
def test_the_config_of_a_command_is_checked_like_snakemake_s(text, given, here):
    write_text("config.yaml", text)
    with pytest.raises(ConfigError, match=r"config/config\.yaml: |--config seeds: "):
        given_config(given)


CLAIMS = "studies/thesis/claims.csv"
HEAD = "claim_id,claim,tables\n"


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("prompts/2.txt", "Say it again.", "config/prompts/2.txt has no {sentence}"),
        ("prompts/2.txt", "Sag es sch\xf6ner: {sentence}", "2.txt: the file is not in UTF-8"),
        (CLAIMS, "claim_id,claim\na,b\n", "claims.csv, line 2: the key tables is missing."),
        (CLAIMS, f"{HEAD}a,b,c,d\n", "claims.csv, line 2: there is no key 'None'"),
        (CLAIMS, f"{HEAD}a,b,c\na,b,c\n", "claims.csv, line 3: claim_id 'a' occurs twice"),
        (CLAIMS, f"{HEAD}a,b,\xe9\n", "claims.csv: the file is not CSV in UTF-8"),
        (CLAIMS, f"{HEAD}thesis_01,b,table9_9\n", "config/studies/thesis/published/table9_9.csv"),
    ],
)
def test_a_wrong_file_beside_the_settings_is_refused(file, text, says, here):
    write_text(file, text)
    with pytest.raises(ConfigError, match=re.escape(says)):
        Project({}, HOME)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "has no config.json. Name a folder that transformers or sentence-transformers"),
        (
            ["config.json"],
            "has no weights in safetensors format (*.safetensors). Pickled weights (.bin) are not read",
        ),
    ],
)
def test_a_folder_without_a_model_is_refused(files, says, here):
    Path("mine").mkdir()
    for name in (*files, "pytorch_model.bin"):
        Path("mine", name).touch()
    with pytest.raises(ConfigError, match=re.escape(f"encoder: 'mine' {says}")):
        Project({"encoder": "mine"}, HOME).runs.scored("folder")


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        ({"api_key": "hunter2"}, "api_key"),
        ({"a": [{"extra_headers": {"X": "hunter2"}}]}, "a.0.extra_headers"),
        ({"Authorization": "hunter2"}, "Authorization"),
        ({"user": "sk-hunter2"}, "user"),
        ({"user": "Bearer sk-hunter2"}, "user"),
        ({"stop": ["a key=hunter2"]}, "stop.0"),
        *(({"user": f"{begin}-hunter2"}, "user") for begin in ("glpat", "xoxb")),
        *(
            ({name: "hunter2"}, name)
            for name in ("jwt", "pass", "pwd", "sig", "ApiKeyValue", "x-functions-key")
        ),
    ],
)
def test_a_secret_among_further_fields_is_refused_by_name(extra, name):
    catalog = content_of("catalogs/mini.yaml")
    catalog["llms"]["chatgpt"]["extra_body"] = extra
    text = refused(Catalog, catalog)
    assert f"extra_body: {name} looks like a secret" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"prompt_price": 1e18}, "a number from 0 to 100000"),
        ({"completion_price": 1e300}, "a number from 0 to 100000"),
        ({"requests_per_minute": 1e-9}, "a number from 0.001 to 1000000000"),
        ({"tokens_per_minute": 1e-9}, "a number from 1 to 1000000000000"),
        ({"concurrency": 3_000_000}, "a whole number from 1 to 10000"),
        ({"timeout": 1e300}, "a number above 0 and at most 86400"),
    ],
)
def test_a_number_that_means_years_of_waiting_is_refused(settings, allowed):
    text = refused(LLM, {"model": "m", "endpoint": "http://h/v1", **settings})
    ((key, value),) = settings.items()
    assert text == f"file.yaml: {key} is {value!r}, but {allowed} is expected."


def test_null_on_the_command_line_is_nothing_at_all():
    assert Config(endpoint="null", data="null", encoder="null", container="null") == Config()


def test_a_mark_in_front_of_a_prompt_is_not_sent(here):
    write_text("prompts/1.txt", "\xef\xbb\xbfSay five: {sentence}")
    assert Project({}, HOME).files.prompt("1").texts == ["Say five: {sentence}"]


@pytest.mark.parametrize("name", ["HF_TOKEN", "AZURE_OPENAI_API_KEY_20240601", "MY_TEAM_OPENROUTER_KEY_2"])
def test_usual_names_of_variables_are_allowed(name):
    assert LLM(model="m", endpoint="http://h/v1", key=name).key == name


def test_usual_further_fields_and_addresses_are_allowed():
    fields = {
        "stop_token_ids": [1],
        "min_tokens": 2,
        "prompt_cache_key": "a",
        "thinking": {"budget_tokens": 3},
    }
    azure = "https://sk-9.example.org/openai/deployments/gpt-4o-mini-2024-07-18/v1"
    assert (
        LLM(model="m", endpoint=azure, key="AZURE_OPENAI_API_KEY_2", extra_body=fields).extra_body == fields
    )
