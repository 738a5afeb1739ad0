# Score paraphrases: close to their sentence in meaning (an encoder's cosine), far in wording (BLEU).

encoder_of_scorer = input_from(lambda project, scorer, **others: project.encoder(scorer).files)
corpus_within = input_from(
    lambda project, within, **others: [project.places.corpus(within[1:])] if within else []
)


ANSWERS = "{corpus}/{llm}-prompt{prompt}"  # of a language model
# The paraphrases of a language model, and those of a pair set: their files, the place of their scores, and how
# the names of their rules end.
for texts, scores, ending in (
    (
        [f"<results>/generate/{ANSWERS}/{name}.parquet" for name in ("sentences", "paraphrases")],
        f"{ANSWERS}/{{scorer}}/",
        "",
    ),
    ("<results>/pairs/{pairs}.parquet", "pairs/{pairs}/{scorer}-", "_of_pairs"),
):

    rule:
        name:
            f"score_paraphrase_similarities{ending}"
        input:
            texts=texts,
            encoder=encoder_of_scorer,
        output:
            similarities=f"<results>/score/{scores}similarities.parquet",
        log:
            f"<logs>/score/{scores}similarities.log",
        conda:
            "../../envs/train.yaml"
        threads: threads_of("score_paraphrase_similarities")
        resources:
            **scoring_of("score_paraphrase_similarities"),
        params:
            **params_of("score_paraphrase_similarities"),
        script:
            "../scripts/run.py"

    rule:
        name:
            f"score_paraphrase_quality{ending}"
        input:
            texts=texts,
            similarities=f"<results>/score/{scores}similarities.parquet",
        output:
            sentences=f"<results>/score/{scores}sentences.parquet",
            slots=f"<results>/score/{scores}slots.parquet",
        log:
            f"<logs>/score/{scores}paraphrases.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("score_paraphrase_quality"),
        params:
            **params_of("score_paraphrase_quality"),
        script:
            "../scripts/run.py"

    # Only for tables that ask for this column.
    rule:
        name:
            f"score_parascores{ending}"
        input:
            texts=texts,
            encoder=encoder_of_scorer,
        output:
            parascores=f"<results>/score/{scores}parascores.parquet",
        log:
            f"<logs>/score/{scores}parascores.log",
        conda:
            "../../envs/train.yaml"
        threads: threads_of("score_parascores")
        resources:
            **scoring_of("score_parascores"),
        params:
            **params_of("score_parascores"),
        script:
            "../scripts/run.py"


rule score_detection:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        dev=input_from(
            lambda project, pairs, **others: [
                project.places.pairs(each) for each in project.with_dev(pairs)[1:]
            ]
        ),
        human=input_from(
            lambda project, pairs, **others: [human_texts(each) for each in project.with_dev(pairs)]
        ),
        encoder=input_from(lambda project, detector, **others: encoder_of_detector(detector).files),
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
        **resources_of("score_detection"),
        device=project.config.device,
        encoder=lambda wildcards: place_of(encoder_of_detector(wildcards.detector)),
        state=state_of("score_detection", "score/identification/{pairs}/{detector}"),
        checkpoint_seconds=60,
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
        language_model=input_from(lambda project, rewrites, **shard: model_of_rewrites(rewrites).files),
    output:
        perplexities="<results>/score/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/score/rewrites/{rewrites}/{shard}-of-{shards}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_rewrite_perplexities")
    resources:
        **resources_of("score_rewrite_perplexities"),
        device=project.config.device,
        language_model=lambda wildcards: place_of(model_of_rewrites(wildcards.rewrites)),
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


# Only for pair sets of kind mined.
rule score_neighbours:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        corpus=corpus_within,
        encoder=encoder_of_scorer,
    output:
        neighbours="<results>/score/neighbours/{pairs}/{scorer}/{nearest}{within}.parquet",
    log:
        "<logs>/score/neighbours/{pairs}/{scorer}/{nearest}{within}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_neighbours")
    resources:
        **scoring_of("score_neighbours"),
    params:
        **params_of("score_neighbours"),
    script:
        "../scripts/run.py"


# Only for pair sets of kind mined with a cross-encoder.
rule score_reranked:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        neighbours="<results>/score/neighbours/{pairs}/{retriever}/{nearest}{within}.parquet",
        corpus=corpus_within,
        encoder=encoder_of_scorer,
    output:
        neighbours="<results>/score/reranked/{pairs}/{retriever}/{nearest}{within}/{scorer}.parquet",
    log:
        "<logs>/score/reranked/{pairs}/{retriever}/{nearest}{within}/{scorer}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_reranked")
    resources:
        **scoring_of("score_reranked"),
    params:
        **params_of("score_reranked"),
    script:
        "../scripts/run.py"


# Only for pair sets of kind margins and scored, and those of a judge.
rule score_relevance:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=encoder_of_scorer,
    output:
        relevance="<results>/score/relevance/{pairs}/{scorer}.parquet",
    log:
        "<logs>/score/relevance/{pairs}/{scorer}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_relevance")
    resources:
        **scoring_of("score_relevance"),
    params:
        **params_of("score_relevance"),
    script:
        "../scripts/run.py"


# Only for pair sets of kind scored.
rule score_pair_cosines:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=encoder_of_scorer,
    output:
        cosines="<results>/score/pair_cosines/{pairs}/{scorer}.parquet",
    log:
        "<logs>/score/pair_cosines/{pairs}/{scorer}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_pair_cosines")
    resources:
        **scoring_of("score_pair_cosines"),
    params:
        **params_of("score_pair_cosines"),
    script:
        "../scripts/run.py"


# Only for pairs that are to be graded, by a language model or by hand.
rule score_stratified:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        encoder=encoder_of_scorer,
    output:
        relevance="<results>/score/stratified/{corpus}/{scorer}/{number}-{draw}.parquet",
    log:
        "<logs>/score/stratified/{corpus}/{scorer}/{number}-{draw}.log",
    wildcard_constraints:
        number=r"\d+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_stratified")
    resources:
        **scoring_of("score_stratified"),
    params:
        **params_of("score_stratified"),
    script:
        "../scripts/run.py"


# Only for tables of kind samples.
rule score_pair_samples:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=encoder_of_scorer,
    output:
        samples="<results>/score/pair_samples/{pairs}/{scorer}.parquet",
    log:
        "<logs>/score/pair_samples/{pairs}/{scorer}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_pair_samples")
    resources:
        **scoring_of("score_pair_samples"),
    params:
        **params_of("score_pair_samples"),
    script:
        "../scripts/run.py"


# Only for pair sets that change English sentences by rule.
rule score_grammar:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        files=input_from(lambda project, grammar, **others: data.inputs(project, "grammars", grammar)),
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
