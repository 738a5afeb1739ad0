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
    resources:
        **resources_of("pairs_dropout"),
    params:
        **params_of("pairs_dropout"),
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
    resources:
        **resources_of("pairs_paraphrase"),
    params:
        **params_of("pairs_paraphrase"),
    script:
        "../scripts/pairs/paraphrase.py"


rule pairs_triples:
    input:
        triples=input_from(
            lambda pairs: f"<results>/retrieve/triples/{project.pairs(pairs).source}.parquet"
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("triples"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_triples"),
    params:
        **params_of("pairs_triples"),
    script:
        "../scripts/pairs/triples.py"


rule pairs_punctuation:
    input:
        sentences=input_from(
            lambda pairs: f"<results>/corpus/{project.pairs(pairs).corpus}.parquet",
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("punctuation"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_punctuation"),
    params:
        **params_of("pairs_punctuation"),
    script:
        "../scripts/pairs/punctuation.py"


rule pairs_prefix:
    input:
        sentences=input_from(
            lambda pairs: f"<results>/corpus/{project.pairs(pairs).corpus}.parquet",
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("prefix"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_prefix"),
    params:
        **params_of("pairs_prefix"),
    script:
        "../scripts/pairs/prefix.py"


rule pairs_dino:
    input:
        texts=input_from(
            lambda pairs: f"<results>/generate/synthetic/{project.pairs(pairs).texts}.parquet"
        ),
        sentences=input_from(
            lambda pairs: f"<results>/corpus/{project.corpus_of(project.pairs(pairs))}.parquet"
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("dino"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_dino"),
    params:
        **params_of("pairs_dino"),
    script:
        "../scripts/pairs/dino.py"


rule pairs_reweighted:
    input:
        pairs=input_from(
            lambda pairs: f"<results>/pairs/{project.pairs(pairs).of}.parquet"
        ),
        identified=input_from(project.weighing_inputs),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("reweighted"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_reweighted"),
    params:
        **params_of("pairs_reweighted"),
    script:
        "../scripts/pairs/reweighted.py"


rule pairs_dictionary:
    input:
        sentences=input_from(
            lambda pairs: f"<results>/corpus/{project.corpus_of(project.pairs(pairs))}.parquet"
        ),
        rewrites=input_from(
            lambda pairs: rewrites_files("generate", project.pairs(pairs).rewrites)
        ),
        perplexities=input_from(
            lambda pairs: rewrites_files("score", project.pairs(pairs).rewrites)
        ),
    output:
        pairs="<results>/pairs/{pairs}.parquet",
    log:
        "<logs>/pairs/{pairs}.log",
    wildcard_constraints:
        pairs=of_kind("dictionary"),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("pairs_dictionary"),
    params:
        **params_of("pairs_dictionary"),
    script:
        "../scripts/pairs/dictionary.py"


# Makes nothing: asked for a pair set that is not there, it says which there are.
rule pairs_unknown:
    input:
        input_from(lambda pairs: project.pairs(pairs).kind),
    output:
        "<results>/pairs/{pairs}.parquet",
    wildcard_constraints:
        pairs=unlike(project.recipes.pairs),
