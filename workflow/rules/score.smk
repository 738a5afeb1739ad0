# Score texts: paraphrases, which should be close to their sentence in meaning (an encoder's cosine) and far in
# wording (BLEU); pairs of texts, candidates of a dictionary, and sentences word by word.

corpus_within = input_from(
    lambda project, within, **others: [project.paths.corpus(within[1:])] if within else []
)

PAIRS = "<results>/pairs/{pairs}.parquet"
ANSWERS = [  # of a language model
    f"<results>/generate/{{corpus}}/{{llm}}-prompt{{prompt}}/{name}.parquet"
    for name in ("sentences", "paraphrases")
]
# What an encoder, or a cross-encoder, says of texts: the rule, its inputs, its output.
SCORED = []
# The paraphrases of a language model, and those of a pair set.
for texts, place, ending in (
    (ANSWERS, "{corpus}/{llm}-prompt{prompt}/{scorer}/", ""),
    (PAIRS, "pairs/{pairs}/{scorer}-", "_of_pairs"),
):
    SCORED += [
        (
            "paraphrase_similarities",
            {"texts": texts},
            {"similarities": f"<results>/score/{place}similarities.parquet"},
        ),
        # Only for tables that ask for this column.
        (
            "parascores",
            {"texts": texts},
            {"parascores": f"<results>/score/{place}parascores.parquet"},
        ),
    ]

    rule:
        name:
            f"score_paraphrase_quality{ending}"
        input:
            texts=texts,
            similarities=f"<results>/score/{place}similarities.parquet",
        output:
            sentences=f"<results>/score/{place}sentences.parquet",
            slots=f"<results>/score/{place}slots.parquet",
        log:
            f"<logs>/score/{place}paraphrases.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("score_paraphrase_quality"),
        params:
            **params_of("score_paraphrase_quality"),
        script:
            "../scripts/run.py"


SCORED += [
    # Only for pair sets of kind mined, and those with a cross-encoder.
    (
        "neighbours",
        {"pairs": PAIRS, "corpus": corpus_within},
        {"neighbours": "<results>/score/neighbours/{pairs}/{scorer}/{nearest}{within}.parquet"},
    ),
    (
        "reranked",
        {
            "pairs": PAIRS,
            "neighbours": "<results>/score/neighbours/{pairs}/{retriever}/{nearest}{within}.parquet",
            "corpus": corpus_within,
        },
        {"neighbours": "<results>/score/reranked/{pairs}/{retriever}/{nearest}{within}/{scorer}.parquet"},
    ),
    # For pair sets of kind margins and scored, and those of a judge; of kind scored; for tables of kind samples.
    ("relevance", {"pairs": PAIRS}, {"relevance": "<results>/score/relevance/{pairs}/{scorer}.parquet"}),
    ("pair_cosines", {"pairs": PAIRS}, {"cosines": "<results>/score/pair_cosines/{pairs}/{scorer}.parquet"}),
    ("pair_samples", {"pairs": PAIRS}, {"samples": "<results>/score/pair_samples/{pairs}/{scorer}.parquet"}),
    # Only for pairs that are to be graded, by a language model or by hand.
    (
        "stratified",
        {"sentences": "<results>/corpus/{corpus}.parquet"},
        {"relevance": "<results>/score/stratified/{corpus}/{scorer}/{number}-{draw}.parquet"},
    ),
]

for step, texts, outputs in SCORED:
    ending = "_of_pairs" if texts == {"texts": PAIRS} else ""

    rule:
        name:
            f"score_{step}{ending}"
        input:
            **texts,
            encoder=files_of_model(f"score_{step}"),
        output:
            **outputs,
        log:
            log_beside(outputs),
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"score_{step}")
        resources:
            **running_of(f"score_{step}", "encoder"),
        params:
            **params_of(f"score_{step}"),
        script:
            "../scripts/run.py"


rule score_detection:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        dev=input_from(lambda project, pairs, **others: [*map(project.paths.pairs, with_dev(pairs)[1:])]),
        human=input_from(lambda project, pairs, **others: [*map(human_texts, with_dev(pairs))]),
        encoder=files_of_model("score_detection"),
    output:
        detections="<results>/score/identification/{pairs}/{detector}.parquet",
        held_out="<results>/score/identification/{pairs}/{detector}-held_out.parquet",
    log:
        "<logs>/score/identification/{pairs}/{detector}.log",
    wildcard_constraints:
        pairs=of_kind("dino", project.recipes.pairs),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_detection")
    resources:
        **running_of("score_detection", "encoder"),
        **checkpoints_of("score_detection", "score/identification/{pairs}/{detector}"),
    params:
        **params_of("score_detection"),
    script:
        "../scripts/run.py"


# The wording of texts that a detector has judged, and their labels by p(human).
rule score_linguistics:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        detections="<results>/score/identification/{pairs}/{detector}.parquet",
        human=input_from(lambda project, pairs, **others: human_texts(pairs)),
    output:
        linguistics="<results>/score/linguistics/{pairs}/{detector}.parquet",
        deciles="<results>/score/linguistics/{pairs}/{detector}-tenths.parquet",
    log:
        "<logs>/score/linguistics/{pairs}/{detector}.log",
    wildcard_constraints:
        pairs=of_kind("dino", project.recipes.pairs),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_linguistics"),
    params:
        **params_of("score_linguistics"),
    script:
        "../scripts/run.py"


rule score_rewrite_perplexities:
    input:
        rewrites="<results>/generate/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
        language_model=files_of_model("score_rewrite_perplexities"),
    output:
        perplexities="<results>/score/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/score/rewrites/{rewrites}/{shard}-of-{shards}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_rewrite_perplexities")
    resources:
        **running_of("score_rewrite_perplexities", "language_model"),
        state=state_of("score_rewrite_perplexities", "score/rewrites/{rewrites}/{shard}-of-{shards}"),
    params:
        **params_of("score_rewrite_perplexities"),
    script:
        "../scripts/run.py"


# For tables: what a threshold leaves, and what the choice by perplexity keeps of it.
rule score_rewrite_statistics:
    input:
        unpack(input_from(lambda project, rewrites, **others: files_of_rewrites(rewrites))),
    output:
        statistics="<results>/score/rewrites/{rewrites}/statistics-{threshold}.parquet",
    log:
        "<logs>/score/rewrites/{rewrites}/statistics-{threshold}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_rewrite_statistics"),
    params:
        **params_of("score_rewrite_statistics"),
    script:
        "../scripts/run.py"


# Only for pair sets that change English sentences by rule.
rule score_grammar:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        files=input_from(lambda project, grammar, **others: data_files.inputs(project, "grammars", grammar)),
    output:
        tags="<results>/score/grammar/{corpus}/{grammar}/tags.parquet",
        synonyms="<results>/score/grammar/{corpus}/{grammar}/synonyms.parquet",
    log:
        "<logs>/score/grammar/{corpus}/{grammar}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_grammar"),
        data=data_folder,
    params:
        **params_of("score_grammar"),
    script:
        "../scripts/run.py"
