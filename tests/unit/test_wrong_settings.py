"""What a person can get wrong in YAML ends in a message: the place, the value and what is allowed."""

from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from contrapose.errors import ConfigError
from contrapose.generate.endpoint import Endpoint
from contrapose.project import Project
from contrapose.project.documents import Recipes, Study
from contrapose.project.given import given_config
from contrapose.project.yaml_files import read_yaml
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
from contrapose.settings.worlds import LLM, World

HOME = Path(__file__).parents[2]
FILES = {
    "config.yaml": Config,
    "recipes.yaml": Recipes,
    "worlds/mini.yaml": World,
    "studies/rise/study.yaml": Study,
}
WRONG = [None, True, -1, "", "no\0", [1], {"kind": [1]}, {1: 2}, 10**400, float("nan")]
PAIRS = {"corpora": {"a": {"method": 1}}, "recipes": {}, "pairs": {}}


def refused(kind, content) -> str:
    with pytest.raises(ConfigError) as raised:
        validated(kind, content, "file.yaml")
    return str(raised.value)


def content_of(file: str) -> dict:
    return yaml.safe_load((HOME / "config" / file).read_text())


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_a_value_of_the_wrong_kind_in_any_place_is_never_a_traceback(file, value):
    content, kind = content_of(file), FILES[file]
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
    assert len(refused(Config, {"world": ["x" * 10_000]})) < 400


@pytest.mark.parametrize("name", ["", "a/b", "a,b", "a=b", "a b", "../x", ".", "(", "{x}", "a\nb", "x" * 64])
def test_a_name_that_would_break_ids_or_paths_is_refused(name):
    text = refused(Recipes, {**PAIRS, "corpora": {name: {"method": 1}}})
    assert "file.yaml: corpora." in text
    assert "a name" in text
    assert "tables." in refused(Study, {**content_of("studies/rise/study.yaml"), "tables": {name: {}}})


@pytest.mark.parametrize("key", ["sk-live-51Hx", "hf_abcDEF123", "AIzaSyD", "gsk_9", " MY_KEY"])
def test_a_key_in_the_place_of_its_variable_is_refused_and_never_shown(key):
    world = content_of("worlds/mini.yaml")
    world["llms"]["chatgpt"]["key"] = key
    text = refused(World, world)
    assert text.startswith(
        "file.yaml: llms.chatgpt.endpoint.key: name the environment variable that holds the key"
    )
    assert key not in text


def test_a_key_of_the_wrong_kind_is_not_shown_either():
    world = content_of("worlds/mini.yaml")
    world["llms"]["chatgpt"]["key"] = ["sk-live-51Hx"]
    assert "sk-live" not in refused(World, world)


@pytest.mark.parametrize(
    "address", ["http://me:hunter2@host/v1", "http:/me:hunter2@host", "https://h/v1?key=hunter2"]
)
def test_an_address_with_a_password_is_refused_and_never_shown(address, tmp_path):
    world = content_of("worlds/mini.yaml")
    world["llms"]["chatgpt"]["endpoint"] = address
    (tmp_path / "server.url").write_text(f"{address}\n")
    reached = LLM(model="m", endpoint=f"file:{tmp_path}/server.url").connection("chatgpt")
    with pytest.raises(ConfigError) as from_file:
        Endpoint(reached).locate()
    texts = [refused(World, world), refused(Config, {"endpoint": address}), str(from_file.value)]
    for text, place in zip(
        texts, ("llms.chatgpt.endpoint.endpoint", "endpoint", "llms.chatgpt.endpoint"), strict=True
    ):
        assert f"{place}: the address holds a user name, a password or parameters" in text
        assert "hunter2" not in text


def test_names_of_any_script_are_names():
    known = validated(Recipes, {**PAIRS, "corpora": {"é漢-1.5_a": {"method": 1}}}, "file.yaml")
    assert list(known.corpora) == ["é漢-1.5_a"]


def test_an_entry_that_names_what_is_not_there_is_refused_also_if_nobody_asks_for_it():
    text = refused(Recipes, PAIRS | {"pairs": {"new": {"kind": "dropout", "corpus": "b"}}})
    assert "pairs.new.corpus: corpora has no entry 'b'" in text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": 10**12}, "seeds: Input should be less than or equal to 10000"),
        ({"seedz": True}, "has no entry 'seedz'. Did you mean 'seeds'"),
        ({"seeds": True}, "seeds is True, as YAML reads yes"),
        ({"bootstrap": 10**400}, "whole numbers are smaller than 2^63"),
        ({"data": "x" * 300}, "data: a path may not contain NUL, nor more than 255 bytes"),
    ],
)
def test_a_number_or_a_path_out_of_all_bounds_is_refused(change, says):
    assert says in refused(Config, change)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"a: 1\nb: 2\na: 3\n", "key 'a' occurs twice"),
        (b"a: {b: 1, b: 2}\n", "key 'b' occurs twice"),
        (b"a: 2024-13-01\n", "not valid YAML"),
        (b"a: \xe9\n", "not UTF-8"),
        (b"a: \0\n", "not valid YAML"),
    ],
)
def test_a_file_that_is_no_yaml_or_says_a_thing_twice_is_refused(text, says, tmp_path):
    (tmp_path / "x.yaml").write_bytes(text)
    with pytest.raises(ConfigError, match=says) as raised:
        read_yaml(tmp_path / "x.yaml")
    assert "x.yaml" in str(raised.value)


def test_a_merged_mapping_may_replace_keys(tmp_path):
    (tmp_path / "x.yaml").write_text("a: &a {x: 1, y: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, y: 3}\n")
    assert read_yaml(tmp_path / "x.yaml") == {
        "a": {"x": 1, "y": 1},
        "b": {"x": 1, "y": 2},
        "c": {"x": 1, "y": 3},
    }


@pytest.mark.parametrize(("text", "given"), [("[1]", []), ("seeds: [", []), ("", ["seeds=["])])
def test_the_config_of_a_command_is_checked_like_snakemake_s(text, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"config/config\.yaml: |--config seeds: "):
        given_config(given)


def test_two_studies_with_one_name_for_two_tables_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for study in ("one", "two"):
        folder = tmp_path / "config/studies" / study
        folder.mkdir(parents=True)
        table = {"kind": "machine", "caption": "c"}
        about = {"title": "t", "source": "s", "prefix": "", "tables": {"machine": table}}
        (folder / "study.yaml").write_text(yaml.safe_dump(about))
    with pytest.raises(ConfigError, match=r"'machine' is in both one and two.*prefix"):
        Project({"studies": ["one", "two"]}, HOME)


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ("claim_id,claim\na,b\n", "line 2: tables: Field required"),
        ("claim_id,claim,tables\na,b,c,d\n", "line 2: .*has no entry 'None'"),
        ("claim_id,claim,tables\na,b,c\na,b,c\n", "line 3: claim_id 'a' occurs twice"),
        ("claim_id,claim,tables\na,b,\xe9\n", "not a CSV file in UTF-8"),
    ],
)
def test_a_wrong_file_of_claims_is_refused(claims, says, tmp_path, monkeypatch):
    project = Project({"studies": ["rise"]}, HOME)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config/studies/rise").mkdir(parents=True)
    (tmp_path / "config/studies/rise/claims.csv").write_bytes(claims.encode("latin-1"))
    with pytest.raises(ConfigError, match=rf"claims\.csv.*{says}"):
        project.files.claims("rise")
