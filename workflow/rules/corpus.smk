# Sample sentences from the articles: one job per shard of the articles, then one that joins them. Or take
# published sentences.
NOT_SAMPLED = [name for name, each in project.recipes.corpora.items() if each.kind != "sampled"]


rule corpus_punkt:
    input:
        # Texts that the splitter can be trained on if it is neither fetched nor installed.
        articles=(
            ["<results>/retrieve/articles.parquet"]
            if project.world.articles and not project.world.punkt
            else []
        ),
    output:
        punkt="<results>/corpus/punkt.parquet",
    log:
        "<logs>/corpus/punkt.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_punkt"),
    params:
        **params_of("corpus_punkt"),
    script:
        "../scripts/run.py"


rule corpus_draw:
    input:
        articles="<results>/retrieve/articles.parquet",
        punkt="<results>/corpus/punkt.parquet",
    output:
        draws="<results>/corpus/{corpus}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/corpus/{corpus}/{shard}-of-{shards}.log",
    wildcard_constraints:
        corpus=unlike(NOT_SAMPLED),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_draw"),
    params:
        **params_of("corpus_draw"),
    script:
        "../scripts/run.py"


rule corpus_sample:
    input:
        draws=input_from(
            lambda project, corpus: project.places.drawn(
                corpus, "<results>/retrieve/articles.parquet", project.places.punkt
            )
        ),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        # An unknown corpus matches too: the error lists the known ones.
        corpus=unlike([UNTRANSLATED, *NOT_SAMPLED]),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_sample"),
    params:
        **params_of("corpus_sample"),
    script:
        "../scripts/run.py"


# All sentences of a collection in one shuffle: each shard of the articles keeps those that come first.
rule corpus_segments:
    input:
        articles=lambda wildcards: collection_of(wildcards.corpus),
    output:
        segments="<results>/corpus/{corpus}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/corpus/{corpus}/{shard}-of-{shards}.log",
    wildcard_constraints:
        corpus=of_kind("segmented", project.recipes.corpora),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_segments"),
    params:
        **params_of("corpus_segments"),
    script:
        "../scripts/run.py"


rule corpus_segmented:
    input:
        segments=input_from(lambda project, corpus: project.places.drawn(corpus, collection_of(corpus))),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=of_kind("segmented", project.recipes.corpora),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_segmented"),
    params:
        **params_of("corpus_segmented"),
    script:
        "../scripts/run.py"


rule corpus_published_lines:
    input:
        files=input_from(
            lambda project, corpus: data.inputs(project, "sentence_files", project.corpus(corpus).file)
        ),
        punkt="<results>/corpus/punkt.parquet",
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=of_kind("published", project.recipes.corpora),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_published_lines"),
        data=data_folder,
    params:
        **params_of("corpus_published_lines"),
    script:
        "../scripts/run.py"


rule corpus_divided:
    input:
        sentences=input_from(lambda project, corpus: project.places.corpus(project.corpus(corpus).corpus)),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=of_kind("divided", project.recipes.corpora),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_divided"),
    params:
        **params_of("corpus_divided"),
    script:
        "../scripts/run.py"


rule corpus_task_sentences:
    input:
        benchmarks=input_from(
            lambda project, corpus: project.places.benchmarks(TASKS[project.corpus(corpus).tasks[0]].suite)
        ),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=of_kind("tasks", project.recipes.corpora),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_task_sentences"),
    params:
        **params_of("corpus_task_sentences"),
    script:
        "../scripts/run.py"


# The sentences of the Chinese evaluation sets that the world's translator gets.
rule corpus_untranslated:
    input:
        benchmarks=project.places.benchmarks("chinese"),
    output:
        sentences="<results>/corpus/untranslated.parquet",
    log:
        "<logs>/corpus/untranslated.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("corpus_untranslated"),
    params:
        **params_of("corpus_untranslated"),
    script:
        "../scripts/run.py"
