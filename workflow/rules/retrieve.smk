# Read texts, evaluation sets and dictionaries into their tables, from files or from the hub.

if project.world.archive and not project.world.mini:

    rule retrieve_archive:
        output:
            data=directory(data.MADE),
        log:
            "<logs>/retrieve/archive.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("retrieve_archive"),
        params:
            **params_of("retrieve_archive"),
        script:
            "../scripts/run.py"


rule retrieve_articles:
    input:
        files=input_from(data.article_inputs),
    output:
        table="<results>/retrieve/articles.parquet",
    log:
        "<logs>/retrieve/articles.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_articles"),
        data=data_folder,
    params:
        **params_of("retrieve_articles"),
    script:
        "../scripts/run.py"


# Further articles, by name, in the same form.
rule retrieve_collection:
    input:
        files=input_from(data.collection_inputs),
    output:
        table="<results>/retrieve/collections/{collection}.parquet",
    log:
        "<logs>/retrieve/collections/{collection}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_collection"),
        data=data_folder,
    params:
        **params_of("retrieve_collection"),
    script:
        "../scripts/run.py"


rule retrieve_benchmarks:
    input:
        files=input_from(data.benchmark_inputs),
    output:
        table="<results>/retrieve/benchmarks/{suite}.parquet",
    log:
        "<logs>/retrieve/benchmarks/{suite}.log",
    wildcard_constraints:
        suite="|".join(suite for suite in SUITES if suite != "translated" or project.world.translator is None),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_benchmarks"),
        data=data_folder,
    params:
        **params_of("retrieve_benchmarks"),
    script:
        "../scripts/run.py"


# The English sets as read by someone unaware of their pitfalls: only counted, never evaluated on.
rule retrieve_naive:
    input:
        files=input_from(lambda project: data.benchmark_inputs(project, "english")),
    output:
        table="<results>/retrieve/naive.parquet",
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
        "../scripts/run.py"


rule retrieve_transfer:
    input:
        files=input_from(data.transfer_inputs),
    output:
        table="<results>/retrieve/transfer.parquet",
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
        "../scripts/run.py"


rule retrieve_triples:
    input:
        files=input_from(data.triple_inputs),
    output:
        table="<results>/retrieve/triples/{source}.parquet",
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
        "../scripts/run.py"


rule retrieve_recorded:
    input:
        files=input_from(data.recorded_inputs),
    output:
        table="<results>/retrieve/recorded/{llm}.parquet",
    log:
        "<logs>/retrieve/recorded/{llm}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_recorded"),
        data=data_folder,
    params:
        **params_of("retrieve_recorded"),
    script:
        "../scripts/run.py"


if project.world.translator:

    rule retrieve_translated:
        input:
            benchmarks=project.places.benchmarks("chinese"),
            translations=input_from(lambda project: project.llm_requests.translations_files()),
        output:
            benchmarks=project.places.benchmarks("translated"),
        log:
            "<logs>/retrieve/benchmarks/translated.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("retrieve_translated"),
        params:
            **params_of("retrieve_translated"),
        script:
            "../scripts/run.py"


rule retrieve_dictionary:
    input:
        files=input_from(data.dictionary_inputs),
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
        "../scripts/run.py"


# Models that need extra steps to be used: they are converted to ordinary folders, once.
for model in ("encoder", "language_model"):

    rule:
        name:
            f"retrieve_rinna_{model}"
        input:
            files=input_from(partial(models.rinna_files, section=f"{model}s")),
        output:
            model=directory(f"<results>/retrieve/{model}s/{{role}}"),
        log:
            f"<logs>/retrieve/{model}s/{{role}}.log",
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"retrieve_rinna_{model}")
        resources:
            **resources_of(f"retrieve_rinna_{model}"),
            device="cpu",
            source=input_from(partial(models.rinna_folder, section=f"{model}s")),
        params:
            **params_of(f"retrieve_rinna_{model}"),
        script:
            "../scripts/run.py"
