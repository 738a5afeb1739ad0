"""`make schema`: the files that are generated from code, a JSON schema and pages of docs/."""

import csv
import json
from pathlib import Path

from contrapose.tools.reference import (
    command_line,
    configuration,
    models,
    outcomes,
    papers,
    strategies,
    tables,
)
from contrapose.tools.reference.configuration import FILES
from contrapose.tools.reference.markdown import one_blank_line


def schema() -> dict:
    """Return one JSON schema (draft 2020-12) with a definition for each kind of file."""
    definitions: dict = {}
    for model in FILES.values():
        one = model.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= one.pop("$defs", {})
        definitions[model.__name__] = one
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Contrapose settings",
        "description": "config.yaml. Catalog, Recipes and Study below $defs are the other files.",
        "$ref": "#/$defs/Config",
        "$defs": dict(sorted(definitions.items())),
    }


def generated(home: Path) -> dict[Path, str]:
    """Return the generated files below `home` and what they should hold."""
    with (home / "config" / "reruns.csv").open(encoding="utf-8", newline="") as file:
        reruns = {row["key"]: row["reruns"] for row in csv.DictReader(file)}
    pages = {
        "command-line.md": command_line.page(),
        "strategies.md": strategies.page(home),
        "outcomes.md": outcomes.page(),
        "models-and-data.md": models.page(home),
        **{f"tables/{name}": text for name, text in tables.pages().items()},
        **{f"configuration/{name}": text for name, text in configuration.pages(home, reruns).items()},
    }
    return {
        home / "config" / "schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
        **{home / "docs/reference" / name: one_blank_line(text) for name, text in pages.items()},
        **{home / "docs/papers" / name: one_blank_line(text) for name, text in papers.pages(home).items()},
    }


if __name__ == "__main__":
    home = Path(__file__).parents[3]
    for path, text in generated(home).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(home)}")
