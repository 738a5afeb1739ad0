from contrapose.jobs.fingerprint import canonical

PARAPHRASES = {"kind": "prompts", "caption": "c", "scorer": "scorer", "parascore": "scorer"}
PARAPHRASES["rows"] = [
    {"label": "asked", "corpus": "wiki-1-1-prompts", "prompt": "1"},
    {"label": "own", "pairs": "nli+seed=1"},
]
JAPANESE = {"triplet_files.nli.language": "japanese", "triplet_files.nli.note": "a note"}


def test_a_row_of_prompts_may_be_pairs_of_a_file_and_asks_nobody(build, inputs, job):
    project = build({"t": PARAPHRASES}, catalog=JAPANESE)
    found = inputs(project, "own_t")
    for table in ("sentences", "slots", "parascores"):
        assert found[table] == [
            f"<results>/score/wiki-1-1-prompts/chatgpt-prompt1/scorer/{table}.parquet",
            f"<results>/score/pairs/nli/scorer-{table}.parquet",
        ]
    assert project.llm_requests.questions == [("wiki-1-1-prompts", "chatgpt", "1")]
    notes = project.about("own_t").notes
    assert notes[2:] == ["own: a note", "own: words as split by MeCab with IPADIC for Japanese"]
    asked = {"corpus": "wiki-1-1-prompts", "llm": "chatgpt", "prompt": "1"}
    assert job(project, "score_paraphrase_quality", scorer="scorer", **asked).language == "english"
    assert job(project, "score_paraphrase_quality", scorer="scorer", pairs="nli").language == "japanese"
    assert "japanese" not in canonical(job(project, "retrieve_triplet_files", source="nli"))  # the same there


def test_lengths_of_corpora_need_no_evaluation_sets(build, inputs):
    table = {"kind": "statistics", "statistic": "words_per_sentence", "caption": "c"}
    own = {"label": "own", "corpus": "simcse"}
    alone = build({"t": {**table, "rows": [own]}}, catalog={"sentence_files.simcse.language": "german"})
    assert inputs(alone, "own_t")["sets"] == inputs(alone, "own_t")["punkt"] == []
    (source,) = alone.about("own_t").sources
    assert source.note.endswith("words as split by Moses's rules for German")
    both = build({"t": {**table, "rows": [own, {"label": "set", "task": "stsb"}]}})
    assert inputs(both, "own_t")["sets"] == ["<results>/retrieve/benchmarks/english.parquet"]
