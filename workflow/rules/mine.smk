# What pair sets of kind mined and margins need of models.


# Only for pair sets of kind mined.
rule score_neighbours:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        encoder=encoder_of_scorer,
    output:
        neighbours="<results>/score/neighbours/{pairs}/{scorer}/{nearest}.parquet",
    log:
        "<logs>/score/neighbours/{pairs}/{scorer}/{nearest}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("score_neighbours")
    resources:
        **scoring_of("score_neighbours"),
    params:
        **params_of("score_neighbours"),
    script:
        "../scripts/score/neighbours.py"


# Only for pair sets of kind margins.
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
        "../scripts/score/relevance.py"
