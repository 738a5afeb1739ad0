import csv
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from contrapose.settings.main import Config
from contrapose.tools.schema import FILES, generated, schema

HOME = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def whole() -> dict:
    return schema()


def test_the_generated_files_are_current():
    for path, text in generated(HOME).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not current: run make schema"


@pytest.mark.parametrize(
    ("file", "definition"),
    [
        ("config.yaml", "Config"),
        ("catalogs/mini.yaml", "Catalog"),
        ("catalogs/files.yaml", "Catalog"),
        ("catalogs/hub.yaml", "Catalog"),
        ("recipes.yaml", "Recipes"),
        ("studies/thesis/study.yaml", "Study"),
    ],
)
def test_the_settings_that_come_with_the_project_fit_the_schema(whole, file, definition):
    content = json.loads(json.dumps(yaml.safe_load((HOME / "config" / file).read_text()), default=str))
    jsonschema.validate(content, {"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]})


def test_the_schema_refuses_unknown_keys(whole):
    with pytest.raises(jsonschema.ValidationError, match="'catlog' was unexpected"):
        jsonschema.validate({"catlog": "mini"}, whole)


def test_every_setting_a_person_writes_in_the_config_file_is_explained():
    for name, field in Config.model_fields.items():
        assert field.description, f"Config.{name} has no description"
    assert set(FILES) == {
        "config.yaml",
        "catalogs/<catalog>.yaml",
        "recipes.yaml",
        "studies/<paper>/study.yaml",
    }


def test_every_row_of_the_rerun_table_names_a_setting_that_exists(whole):
    definitions = whole["$defs"]
    with (HOME / "config" / "reruns.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            model, key = row["key"].split(".")
            assert key in definitions[model]["properties"], row["key"]
