import csv
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from contrapose.schema import generated, schema

HOME = Path(__file__).parents[2]


def test_the_generated_files_are_current():
    for path, text in generated(HOME).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not current: run make schema"


@pytest.mark.parametrize(
    ("file", "definition"),
    [
        ("config.yaml", "Config"),
        ("worlds/mini.yaml", "World"),
        ("worlds/files.yaml", "World"),
        ("worlds/hub.yaml", "World"),
        ("recipes.yaml", "Recipes"),
        ("studies/thesis/study.yaml", "Study"),
    ],
)
def test_the_settings_that_come_with_the_project_fit_the_schema(file, definition):
    content = json.loads(json.dumps(yaml.safe_load((HOME / "config" / file).read_text()), default=str))
    whole = schema()
    jsonschema.validate(content, {"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]})


def test_every_row_of_the_rerun_table_names_a_setting_that_exists():
    definitions = schema()["$defs"]
    with (HOME / "config" / "reruns.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            model, key = row["key"].split(".")
            assert key in definitions[model]["properties"], row["key"]
