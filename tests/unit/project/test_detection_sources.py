QQP = [{"name": "QQP", "pairs": "dino-qqp"}]
LINGUISTICS = {"kind": "linguistics", "caption": "c", "measures": {"BLEU-N": "bleu"}, "sources": QQP}
TENTHS = {"kind": "tenths", "caption": "c", "sources": QQP}
ROW = {"model": "STSb", "pairs": "dino-stsb"}
DETECTION = {"kind": "detection", "caption": "c", "rows": [ROW]}
PANELS = [{"label": "STSb", "pairs": "dino-stsb", "temperature": 0.5}]
PANELS.append({"label": "same", "pairs": "dino-stsb+seed=42"})
RELIABILITY = {"kind": "calibration", "caption": "c", "panels": PANELS}
GLUE = {"benchmarks.stsb_glue": {"kind": "stsb", "task": "stsb_glue", "path": "STS/STSBenchmark"}}
WITHOUT = {**GLUE, "language_models.gpt2-xl": None}
LACKING = "this catalog has no model at language_models.gpt2-xl"


def test_a_source_is_read_where_a_catalog_has_its_model_and_left_out_where_it_has_not(build, inputs, job):
    lacking = build({"t": LINGUISTICS}, {"f": TENTHS}, {"language_models.gpt2-xl": None})
    assert inputs(lacking, "own_t")["measured"] == inputs(lacking, "own_f")["tenths"] == []
    assert lacking.about("own_f").sources[0].note == LACKING
    hub = {"kind": "hub", "model": "gpt2", "revision": "a" * 40}
    qqp = {"kind": "qqp", "task": "qqp", "path": "qqp", "form": "raw"}
    found = build({"t": LINGUISTICS}, {"f": TENTHS}, {"language_models.gpt2-xl": hub, "benchmarks.qqp": qqp})
    assert inputs(found, "own_t")["measured"] == ["<results>/score/linguistics/dino-qqp/sdi.parquet"]
    assert inputs(found, "own_f")["tenths"] == ["<results>/score/linguistics/dino-qqp/sdi-tenths.parquet"]
    measured = job(found, "score_linguistics", pairs="dino-qqp", detector="sdi")
    assert (measured.tasks, measured.split) == (["qqp"], "train")


def test_human_texts_are_those_of_the_splits_that_the_pairs_and_their_dev_pairs_are_made_of(build, job):
    recipes = {
        "synthetic.dino-wiki": {"corpus": "simcse"},
        "pairs.wiki": {"kind": "dino", "texts": "dino-wiki"},
    }
    project = build({"sdi": DETECTION}, catalog=GLUE, recipes=recipes)
    found = job(project, "score_detection", pairs="dino-stsb", detector="sdi")
    human = [(which.tasks, which.split) for which in found.human]
    assert human == [(["stsb_glue"], "train"), (["stsb_glue"], "dev")]
    assert project.pairs("dino-stsb").with_dev(project, "dino-stsb") == ["dino-stsb", "dino-stsb-dev"]
    # The mini world's encoders take larger steps.
    assert found.detector.learning_rate == 10 * project.recipes.identifiers["sdi"].learning_rate
    # Pairs of another corpus have its sentences, and no dev pairs if they name none.
    other = job(project, "score_detection", pairs="wiki", detector="sdi")
    assert [which.tasks for which in other.human] == [[]]


def test_texts_for_a_corpus_are_measured_in_the_language_of_its_file(build, inputs, job):
    recipes = {
        "synthetic.dino-own": {"corpus": "simcse"},
        "pairs.own": {"kind": "dino", "texts": "dino-own"},
    }
    table = {**LINGUISTICS, "sources": [{"name": "Ours", "pairs": "own"}]}
    project = build({"t": table}, catalog={"sentence_files.simcse.language": "german"}, recipes=recipes)
    assert inputs(project, "own_t")["measured"] == ["<results>/score/linguistics/own/sdi.parquet"]
    measured = job(project, "score_linguistics", pairs="own", detector="sdi")
    assert (measured.tasks, measured.language) == ([], "german")
    assert job(project, "corpus_published_lines", corpus="simcse").language == "german"
    assert "Ours: words as split by Moses's rules for German" in project.about("own_t").notes
    # Evaluation sets are English, whatever language the model has read.
    assert job(project, "score_linguistics", pairs="dino-qqp", detector="sdi").language == "english"


def test_tables_and_figures_read_each_classifier_once_as_far_as_the_catalog_has_its_texts(build, inputs):
    project = build({"sdi": DETECTION}, {"reliability": RELIABILITY}, GLUE)
    files = ["<results>/score/identification/dino-stsb/sdi-held_out.parquet"]
    assert inputs(project, "own_sdi")["held_out"] == inputs(project, "own_reliability")["held_out"] == files
    lacking = build({"sdi": DETECTION}, {"reliability": RELIABILITY}, WITHOUT)
    (source,) = lacking.about("own_sdi").sources
    assert (source.id, source.note) == (None, f"skipped: {LACKING}")
    assert inputs(lacking, "own_sdi")["held_out"] == []
