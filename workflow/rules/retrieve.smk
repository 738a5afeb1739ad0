# Bring articles and benchmarks into their tables, from the mini world, from files or from the hub.

MADE = "<results>/retrieve/data"  # the data folder of a world that makes or fetches it

if project.world.archive and not project.world.mini:

    rule retrieve_archive:
        output:
            data=directory("<results>/retrieve/data"),
        log:
            "<logs>/retrieve/archive.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("retrieve_archive"),
        params:
            **params_of("retrieve_archive"),
        script:
            "../scripts/retrieve/archive.py"


rule retrieve_articles:
    input:
        files=input_from(lambda: project.article_inputs(MADE)),
    output:
        articles="<results>/retrieve/articles.parquet",
    log:
        "<logs>/retrieve/articles.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_articles"),
    params:
        **params_of("retrieve_articles"),
    script:
        "../scripts/retrieve/articles.py"


# Further articles, by name: the same in the same form.
rule retrieve_collection:
    input:
        files=input_from(lambda collection: project.collection_inputs(collection, MADE)),
    output:
        articles="<results>/retrieve/collections/{collection}.parquet",
    log:
        "<logs>/retrieve/collections/{collection}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_collection"),
    params:
        **params_of("retrieve_collection"),
    script:
        "../scripts/retrieve/articles.py"


rule retrieve_benchmarks:
    input:
        files=input_from(lambda suite: project.benchmark_inputs(suite, MADE)),
    output:
        benchmarks="<results>/retrieve/benchmarks/{suite}.parquet",
    log:
        "<logs>/retrieve/benchmarks/{suite}.log",
    wildcard_constraints:
        suite="|".join(
            suite
            for suite in SUITES
            if suite != "translated" or project.world.translator is None
        ),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_benchmarks"),
        data=data_folder,
    params:
        **params_of("retrieve_benchmarks"),
    script:
        "../scripts/retrieve/benchmarks.py"


if project.world.translator:

    rule retrieve_translated:
        input:
            benchmarks=benchmarks_of("chinese"),
            translations=input_from(project.translation_inputs),
        output:
            benchmarks="<results>/retrieve/benchmarks/translated.parquet",
        log:
            "<logs>/retrieve/benchmarks/translated.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("retrieve_translated"),
        params:
            **params_of("retrieve_translated"),
        script:
            "../scripts/retrieve/translated.py"


# The same files as a reader takes them who knows nothing of their traps: only counted, never evaluated on.
rule retrieve_naive:
    input:
        files=input_from(lambda: project.benchmark_inputs("english", MADE)),
    output:
        naive="<results>/retrieve/naive.parquet",
    log:
        "<logs>/retrieve/naive.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_naive"),
        data=data_folder,
    params:
        **params_of("retrieve_naive"),
    script:
        "../scripts/retrieve/naive.py"


rule retrieve_transfer:
    input:
        files=input_from(lambda: project.transfer_inputs(MADE)),
    output:
        transfer="<results>/retrieve/transfer.parquet",
    log:
        "<logs>/retrieve/transfer.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_transfer"),
        data=data_folder,
    params:
        **params_of("retrieve_transfer"),
    script:
        "../scripts/retrieve/transfer.py"


rule retrieve_triples:
    input:
        files=input_from(lambda source: project.triple_inputs(source, MADE)),
    output:
        triples="<results>/retrieve/triples/{source}.parquet",
    log:
        "<logs>/retrieve/triples/{source}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_triples"),
        data=data_folder,
    params:
        **params_of("retrieve_triples"),
    script:
        "../scripts/retrieve/triples.py"


rule retrieve_dictionary:
    input:
        files=input_from(lambda dictionary: project.dictionary_inputs(dictionary, MADE)),
    output:
        phrases="<results>/retrieve/dictionaries/{dictionary}/phrases.parquet",
        rules="<results>/retrieve/dictionaries/{dictionary}/rules.parquet",
        lines="<results>/retrieve/dictionaries/{dictionary}/lines.parquet",
    log:
        "<logs>/retrieve/dictionaries/{dictionary}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_dictionary"),
        data=data_folder,
    params:
        **params_of("retrieve_dictionary"),
    script:
        "../scripts/retrieve/dictionary.py"


# Models that want more of who uses them than others do: ordinary folders are made of them, once.
rule retrieve_rinna_encoder:
    input:
        files=input_from(project.rinna_encoder_inputs),
    output:
        encoder=directory("<results>/retrieve/encoders/{role}"),
    log:
        "<logs>/retrieve/encoders/{role}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("retrieve_rinna_encoder")
    resources:
        **resources_of("retrieve_rinna_encoder"),
        source=lambda wildcards: project.rinna_encoder_folder(wildcards.role),
    params:
        **params_of("retrieve_rinna_encoder"),
    script:
        "../scripts/retrieve/rinna_encoder.py"


rule retrieve_rinna_language_model:
    input:
        files=input_from(project.rinna_language_model_inputs),
    output:
        language_model=directory("<results>/retrieve/language_models/{role}"),
    log:
        "<logs>/retrieve/language_models/{role}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("retrieve_rinna_language_model")
    resources:
        **resources_of("retrieve_rinna_language_model"),
        source=lambda wildcards: project.rinna_language_model_folder(wildcards.role),
    params:
        **params_of("retrieve_rinna_language_model"),
    script:
        "../scripts/retrieve/rinna_language_model.py"
