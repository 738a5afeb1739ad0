ENGLISH = {"group": "English", "model": "0.4", "rewrites": "ppdb-en", "threshold": 0.4}
JAPANESE = {"group": "Japanese", "model": "0.1", "rewrites": "ehimerppdb-ja", "threshold": 0.1}
REWRITES = {"kind": "rewrites", "caption": "c", "rows": [ENGLISH, JAPANESE, ENGLISH]}
EXAMPLES = {"kind": "examples", "caption": "c", "pairs": "ppdb-en+threshold=0.2"}
CATALOG = {
    "dictionaries.ppdb": {"kind": "ppdb", "files": ["p.gz"], "note": "small"},
    "dictionaries.ehimerppdb": None,
    "language_models.gpt2": {"kind": "hub", "model": "gpt2", "revision": "a" * 40},
}


def test_a_table_reads_each_threshold_once_and_leaves_out_what_the_catalog_lacks(build, inputs, job):
    project = build({"t": REWRITES, "e": EXAMPLES}, catalog=CATALOG)
    files = inputs(project, "own_t")["statistics"]
    assert files == ["<results>/score/rewrites/ppdb-en/statistics-0.4.parquet"]
    assert inputs(project, "own_e")["pairs"] == ["<results>/pairs/ppdb-en+threshold=0.2.parquet"]
    english, japanese, _ = project.about("own_t").sources
    assert english.note == "ppdb: small"
    assert japanese.note == "skipped: this catalog has no dictionary 'ehimerppdb'"
    found = job(project, "score_rewrite_statistics", rewrites="ppdb-en", threshold="0.4")
    assert (found.threshold, found.max_candidates, found.language) == (0.4, 64, "english")
    # The language model is that of the rewrites, and the same for every shard.
    shards = [
        job(project, "score_rewrite_perplexities", rewrites="ppdb-en", shard=each, shards="2")
        for each in "01"
    ]
    assert shards[0] == shards[1]
    assert shards[0].hub.model == "gpt2"


UNSCORED = {"corpus": "wiki40b-en", "dictionary": "ppdb", "language": "english", "lm": None}


def test_without_a_language_model_no_perplexities_are_read(build):
    project = build({"e": EXAMPLES}, recipes={"rewrites.ppdb-en": UNSCORED}, catalog=CATALOG)
    files = project.pairs("ppdb-en").inputs(project.paths)
    assert files["perplexities"] == []
    note = project.entry("rewrites", "ppdb-en").note(project, "ppdb-en")
    assert note == (
        "ppdb: small; ppdb-en: without a language model, the most probable candidates are used "
        "instead of the most fluent ones"
    )
