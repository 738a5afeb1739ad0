# Score paraphrases: near to their sentence in meaning (an encoder's cosine), far in wording (BLEU).


rule score_similarities:
    input:
        sentences="<results>/generate/{corpus}/{llm}-prompt{prompt}/sentences.parquet",
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/paraphrases.parquet",
        encoder=input_from(lambda project, scorer, **others: project.encoder(scorer).files),
    output:
        similarities="<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/similarities.parquet",
    log:
        "<logs>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/similarities.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_similarities")
    resources:
        **resources_of("score_similarities"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        encoder=lambda wildcards: place_of(project.encoder(wildcards.scorer)),
    params:
        **params_of("score_similarities"),
    script:
        "../scripts/score/similarities.py"


rule score_paraphrases:
    input:
        sentences="<results>/generate/{corpus}/{llm}-prompt{prompt}/sentences.parquet",
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/paraphrases.parquet",
        similarities="<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/similarities.parquet",
    output:
        sentences="<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/sentences.parquet",
        slots="<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/slots.parquet",
    log:
        "<logs>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/paraphrases.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_paraphrases"),
    params:
        **params_of("score_paraphrases"),
    script:
        "../scripts/score/paraphrases.py"


# Only for tables that ask for this column.
rule score_parascores:
    input:
        sentences="<results>/generate/{corpus}/{llm}-prompt{prompt}/sentences.parquet",
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/paraphrases.parquet",
        encoder=input_from(lambda project, scorer, **others: project.encoder(scorer).files),
    output:
        parascores="<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/parascores.parquet",
    log:
        "<logs>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/parascores.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_parascores")
    resources:
        **resources_of("score_parascores"),
        device=project.config.device,
        encoder=lambda wildcards: place_of(project.encoder(wildcards.scorer)),
    params:
        **params_of("score_parascores"),
    script:
        "../scripts/score/parascores.py"


# The same of paraphrases in a file of pairs, which nobody was asked for.
use rule score_similarities as score_similarities_of_pairs with:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=input_from(lambda project, scorer, **others: project.encoder(scorer).files),
    output:
        similarities="<results>/score/pairs/{pairs}/{scorer}-similarities.parquet",
    log:
        "<logs>/score/pairs/{pairs}/{scorer}-similarities.log",
    wildcard_constraints:
        pairs=of_kind("triples"),


use rule score_paraphrases as score_paraphrases_of_pairs with:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        similarities="<results>/score/pairs/{pairs}/{scorer}-similarities.parquet",
    output:
        sentences="<results>/score/pairs/{pairs}/{scorer}-sentences.parquet",
        slots="<results>/score/pairs/{pairs}/{scorer}-slots.parquet",
    log:
        "<logs>/score/pairs/{pairs}/{scorer}-paraphrases.log",
    wildcard_constraints:
        pairs=of_kind("triples"),


use rule score_parascores as score_parascores_of_pairs with:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=input_from(lambda project, scorer, **others: project.encoder(scorer).files),
    output:
        parascores="<results>/score/pairs/{pairs}/{scorer}-parascores.parquet",
    log:
        "<logs>/score/pairs/{pairs}/{scorer}-parascores.log",
    wildcard_constraints:
        pairs=of_kind("triples"),


# Only for pair sets of kind mined.
rule score_neighbours:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=input_from(lambda project, scorer, **others: project.encoder(scorer).files),
    output:
        neighbours="<results>/score/neighbours/{pairs}/{scorer}/{nearest}.parquet",
    log:
        "<logs>/score/neighbours/{pairs}/{scorer}/{nearest}.log",
    wildcard_constraints:
        nearest=r"\d+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_neighbours")
    resources:
        **resources_of("score_neighbours"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        encoder=lambda wildcards: place_of(project.encoder(wildcards.scorer)),
    params:
        **params_of("score_neighbours"),
    script:
        "../scripts/score/neighbours.py"


rule score_identification:
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
        encoder=input_from(lambda project, identifier, **others: encoder_of_identifier(identifier).files),
    output:
        identified="<results>/score/identification/{pairs}/{identifier}.parquet",
        held_out="<results>/score/identification/{pairs}/{identifier}-held_out.parquet",
    log:
        "<logs>/score/identification/{pairs}/{identifier}.log",
    wildcard_constraints:
        pairs=of_kind("dino"),
        identifier="|".join(project.recipes.identifiers) or "none",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_identification")
    resources:
        **resources_of("score_identification"),
        device=project.config.device,
        encoder=lambda wildcards: place_of(encoder_of_identifier(wildcards.identifier)),
        state=state_of("score_identification", "score/identification/{pairs}/{identifier}"),
        checkpoint_seconds=60,
    params:
        **params_of("score_identification"),
    script:
        "../scripts/score/identification.py"


# The wording of texts that an identifier has judged, and their labels by p(human).
rule score_linguistics:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        identified="<results>/score/identification/{pairs}/{identifier}.parquet",
        human=input_from(lambda project, pairs, **others: human_texts(pairs)),
    output:
        linguistics="<results>/score/linguistics/{pairs}/{identifier}.parquet",
        tenths="<results>/score/linguistics/{pairs}/{identifier}-tenths.parquet",
    log:
        "<logs>/score/linguistics/{pairs}/{identifier}.log",
    wildcard_constraints:
        pairs=of_kind("dino"),
        identifier="|".join(project.recipes.identifiers) or "none",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_linguistics"),
    params:
        **params_of("score_linguistics"),
    script:
        "../scripts/score/linguistics.py"


rule score_rewrites:
    input:
        rewrites="<results>/generate/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
        language_model=input_from(lambda project, rewrites, **shard: model_of_rewrites(rewrites).files),
    output:
        perplexities="<results>/score/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/score/rewrites/{rewrites}/{shard}-of-{shards}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_rewrites")
    resources:
        **resources_of("score_rewrites"),
        device=project.config.device,
        language_model=lambda wildcards: place_of(model_of_rewrites(wildcards.rewrites)),
        state=state_of("score_rewrites", "score/rewrites/{rewrites}/{shard}-of-{shards}"),
    params:
        **params_of("score_rewrites"),
    script:
        "../scripts/score/rewrites.py"


# For tables: what a threshold leaves, and what the choice by perplexity keeps of it.
rule score_rewrite_statistics:
    input:
        sentences=input_from(
            lambda project, rewrites, **others: project.places.corpus(
                project.entry("rewrites", rewrites).corpus
            )
        ),
        rewrites=input_from(lambda project, rewrites, **others: project.places.rewrites("generate", rewrites)),
        perplexities=input_from(
            lambda project, rewrites, **others: project.places.rewrites("score", rewrites)
        ),
    output:
        statistics="<results>/score/rewrites/{rewrites}/statistics-{threshold}.parquet",
    log:
        "<logs>/score/rewrites/{rewrites}/statistics-{threshold}.log",
    wildcard_constraints:
        threshold=r"[0-9.]+",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("score_rewrite_statistics"),
    params:
        **params_of("score_rewrite_statistics"),
    script:
        "../scripts/score/rewrite_statistics.py"
