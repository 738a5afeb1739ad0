import csv
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import TypeAdapter

from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project.documents import Catalog, Recipes
from contrapose.report.row_settings import Row
from contrapose.settings.recipes import AveragedRecipe
from contrapose.tools.reference import papers, strategies
from contrapose.tools.reference.configuration import FILES, described, models, summary
from contrapose.tools.schema import generated, schema

HOME = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def whole() -> dict:
    return schema()


def test_the_generated_files_are_current():
    for path, text in generated(HOME).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not current: run make schema"


def test_each_strategy_is_on_its_page_and_its_results_are_found():
    groups = yaml.safe_load(strategies.FACTS.read_text(encoding="utf-8"))
    methods = [method for group in groups.values() for method in group]
    assert {method["kind"] for method in methods if "kind" in method} == {*STRATEGIES}
    page = (HOME / "docs/reference/strategies.md").read_text(encoding="utf-8")
    assert page.count("**Our result**") == sum("row" in method for method in methods)


def test_the_example_of_each_kind_of_file_fits_its_settings():
    pages = HOME / "docs/reference/configuration"
    for page, model in zip(("config", "catalogs", "recipes", "study"), FILES.values(), strict=True):
        example = re.search(
            r"```yaml\n(.*?)```", (pages / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL
        )
        model.model_validate(yaml.safe_load(example[1]))


def test_both_examples_of_training_recipes_fit_their_settings():
    page = (HOME / "docs/reference/configuration/training.md").read_text(encoding="utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    empty: dict[str, dict] = {"corpora": {}, "pairs": {}}
    recipes = [Recipes.model_validate({**empty, **yaml.safe_load(example)}) for example in examples]
    assert recipes[1].pairs["contradicted"].negative_prompt
    assert recipes[1].recipes["weighted"].hard_negative_weight == 1.0


def blocks(page: str) -> list[dict]:
    text = (HOME / "docs/reference/configuration" / page).read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]


def recipes_with(**sections: dict) -> Recipes:
    """Return the recipes of examples/wiki with further entries."""
    wiki = yaml.safe_load((HOME / strategies.RECIPES).read_text(encoding="utf-8"))
    return Recipes.model_validate(
        wiki | {name: {**wiki.get(name, {}), **more} for name, more in sections.items()}
    )


def test_the_examples_of_encoders_fit_their_settings():
    _, encoders, recipes = blocks("catalog-encoders.md")
    kinds = TypeAdapter(Catalog.model_fields["encoders"].annotation).validate_python(encoders["encoders"])
    assert {type(entry).__name__ for entry in kinds.values()} == {
        "EncoderHub",
        "EncoderFolder",
        "EmbeddingEndpoint",
    }
    assert recipes_with(**recipes).recipes["adapted"].lora.rank == 16


def test_each_kind_of_pairs_has_an_example_that_fits_its_settings():
    _, *examples = blocks("pairs.md")
    kinds = [recipes_with(**one).pairs[name].kind for one in examples for name in one["pairs"]]
    assert sorted(kinds) == sorted(STRATEGIES)


def test_each_method_shows_entries_and_a_row_that_fit_their_settings():
    page = (HOME / "docs/reference/strategies.md").read_text(encoding="utf-8")
    _, *methods = re.split(r"\n### ", page)
    for method in methods:
        sections: dict[str, dict] = {}
        for section, entries in re.findall(r"- \*\*Under `(\w+)`\*\*: (.*)", method):
            for entry in re.findall("`(.*?)`", entries):
                sections.setdefault(section, {}).update(yaml.safe_load(entry))
        recipes = recipes_with(**sections)
        found = re.search(r"- \*\*Row\*\*: `(.*)`", method)
        assert found or method.startswith("Pairs to grade\n")  # which are not trained on
        if found:
            # `*rates` of other rows is what the row Dropout defines.
            row = Row.model_validate(yaml.safe_load(found[1].replace("*rates", "{learning_rate: [1]}")))
            assert row.pairs.partition("+")[0] in recipes.pairs
            assert row.recipe.partition("+")[0] in recipes.recipes


def test_a_point_in_which_contrapose_differs_from_a_paper_is_not_among_the_open_ones():
    study = yaml.safe_load((HOME / "config/studies/syncse/study.yaml").read_text(encoding="utf-8"))
    page = (HOME / "docs/papers/syncse-details.md").read_text(encoding="utf-8")
    still_open, differs = page.split("## The paper leaves open")[1].split(
        "## Contrapose differs from the paper or from code"
    )
    assert {one.get("differs", False) for one in study["deviations"]} == {True, False}
    for one in study["deviations"]:
        subject, _, place = one["where"].partition(", ")
        text = f"{subject[1:]}** ({place}; "  # the page begins it with a capital
        assert (text in still_open, text in differs) == (not one.get("differs"), bool(one.get("differs")))


def test_differences_from_the_authors_code_are_listed_apart_from_those_from_the_paper():
    page = (HOME / "docs/papers/syncse-details.md").read_text(encoding="utf-8")
    of_paper, of_code = page.split("### From the paper")[1].split("### From code")
    assert "- **Prompts** (generation of texts; " in of_paper
    assert "- **Loss and checkpoint** (sup_train_mp.sh; " in of_code


PAPERS = sorted(yaml.safe_load(papers.FACTS.read_text(encoding="utf-8")))


def test_each_study_has_a_page_and_a_page_of_details():
    assert sorted(file.parent.name for file in HOME.glob("config/studies/*/study.yaml")) == PAPERS
    index = (HOME / "docs/papers/index.md").read_text(encoding="utf-8")
    assert re.findall(r"^\{\w+\}$", index, re.MULTILINE) == []
    for name in PAPERS:
        page, details = (
            (HOME / "docs/papers" / file).read_text(encoding="utf-8")
            for file in (f"{name}.md", f"{name}-details.md")
        )
        assert f"]({name}.md)" in index
        assert f"]({name}-details.md)" in page
        assert f"]({name}.md)" in details
        assert re.findall(r"^\{\w+\}$", page + details, re.MULTILINE) == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_a_paper_is_short_apart_from_its_claims_and_commands(name):
    page = (HOME / "docs/papers" / f"{name}.md").read_text(encoding="utf-8")
    prose = re.sub(r"(?s)```.*?```|^\|.*?$", "", page, flags=re.MULTILINE)
    assert len(prose.split()) < 900


@pytest.mark.parametrize("name", PAPERS)
def test_the_numbers_of_a_paper_in_the_index_are_on_its_page(name):
    facts = yaml.safe_load(papers.FACTS.read_text(encoding="utf-8"))[name]
    page = (HOME / "docs/papers" / f"{name}.md").read_text(encoding="utf-8")
    said = re.findall(r"\d+\.\d+", f"{facts['claims']} {facts['found']}")
    assert said
    assert set(said) <= set(re.findall(r"\d+\.\d+", page))


def test_a_difference_is_shown_in_three_cells():
    assert papers._apart("+0.09 [-0.08, +0.27], p 1.000 ≈") == ["+0.09", "[-0.08, +0.27]", "1.000"]
    assert papers._apart("+3.63 [+2.31, +4.96], p below 0.001") == ["+3.63", "[+2.31, +4.96]", "below 0.001"]
    assert papers._apart("") == ["–"] * 3


def test_a_key_that_only_contrapose_sets_is_on_no_page():
    assert "resample_per_seed" in AveragedRecipe.model_fields
    assert "resample_per_seed" not in dict(described(AveragedRecipe))


def test_a_description_links_the_tables_that_it_names():
    page = (HOME / "docs/reference/tables/evaluate.md").read_text(encoding="utf-8")
    assert "| `task` | `string` | The task of the pair in [benchmark](retrieve.md#benchmark) |" in page


def test_every_key_is_described_once_in_its_section_or_among_the_common_keys():
    text = "".join(
        file.read_text(encoding="utf-8") for file in HOME.glob("docs/reference/configuration/*.md")
    )
    sections = {part.partition("\n")[0]: part for part in re.split(r"\n#+ ", text)}
    for kind, model in STRATEGIES.items():
        section, common = sections[f"pairs: `{kind}`"], sections["pairs: common keys"]
        for key, _ in described(settings_class(model)):
            own, shared = f"\n- `{key}`: " in section, re.search(rf"Common keys\].*`{key}`", section)
            assert own != bool(shared), (kind, key)
            assert own or f"\n- `{key}`: " in common, (kind, key)


def test_no_page_of_the_reference_is_left_from_before():
    pages = {path for path in generated(HOME) if path.suffix == ".md"}
    assert {*HOME.glob("docs/reference/**/*.md"), *HOME.glob("docs/papers/*.md")} == pages


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


SETTINGS = list(dict.fromkeys(inner for root in FILES.values() for inner in models(root)))
# A dot that ends no sentence: of an abbreviation, a file or a number.
SENTENCE_END = re.compile(r"(?<!et al)(?<!\bv)[.:;] ")
LONGEST = 35  # words of a sentence


@pytest.mark.parametrize("model", SETTINGS, ids=lambda model: model.__name__)
def test_every_key_is_described_in_short_sentences(model):
    texts = {name: field.description or "" for name, field in described(model)}
    for name, text in {"": summary(model), **texts}.items():
        where = f"{model.__name__}.{name}: {text}"
        assert re.match("[A-Z`]", text), where
        assert text.endswith("."), where
        assert max(len(sentence.split()) for sentence in SENTENCE_END.split(text)) <= LONGEST, where


def test_every_row_of_the_rerun_table_names_a_setting_that_exists(whole):
    definitions = whole["$defs"]
    with (HOME / "config" / "reruns.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            model, key = row["key"].split(".")
            assert key in definitions[model]["properties"], row["key"]
