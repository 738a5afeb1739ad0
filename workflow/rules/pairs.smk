# Every strategy ends in a table of pairs: the trainer reads it and knows no strategy.


rule pairs_dropout:
    input:
        sentences=input_from(
            lambda pairs: f"<results>/corpus/{project.pairs(pairs).corpus}.parquet",
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("dropout"),
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("pairs_dropout"),
        code=code_of("pairs_dropout"),
    script:
        "../scripts/pairs/dropout.py"


rule pairs_paraphrase:
    input:
        sentences=input_from(
            lambda pairs: f"{project.generated_by(pairs)}/sentences.parquet"
        ),
        paraphrases=input_from(
            lambda pairs: f"{project.generated_by(pairs)}/paraphrases.parquet"
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("paraphrase"),
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("pairs_paraphrase"),
        code=code_of("pairs_paraphrase"),
    script:
        "../scripts/pairs/paraphrase.py"
