# Sample sentences from the articles: one job per shard of the articles, then one that joins them. Or take what
# somebody published.


rule corpus_punkt:
    input:
        articles="<results>/retrieve/articles.parquet",
    output:
        punkt="<results>/corpus/punkt.parquet",
    log:
        "<logs>/corpus/punkt.log",
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("corpus_punkt"),
        code=code_of("corpus_punkt"),
    script:
        "../scripts/corpus/punkt.py"


rule corpus_draw:
    input:
        articles="<results>/retrieve/articles.parquet",
        punkt="<results>/corpus/punkt.parquet",
    output:
        draws="<results>/corpus/{corpus}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/corpus/{corpus}/{shard}-of-{shards}.log",
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("corpus_draw"),
        code=code_of("corpus_draw"),
    script:
        "../scripts/corpus/draw.py"


rule corpus_sample:
    input:
        draws=expand(
            "<results>/corpus/{{corpus}}/{part}.parquet", part=shards_of("corpus")
        ),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=unlike(project.published_corpora),
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("corpus_sample"),
        code=code_of("corpus_sample"),
    script:
        "../scripts/corpus/sample.py"


rule corpus_published:
    input:
        files=input_from(lambda corpus: project.sentence_inputs(corpus, MADE)),
        punkt="<results>/corpus/punkt.parquet",
    output:
        sentences="<results>/corpus/{corpus}.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus="|".join(project.published_corpora) or "none",
    conda:
        "../../envs/data.yaml"
    resources:
        data=data_folder,
    params:
        settings=settings_of("corpus_published"),
        code=code_of("corpus_published"),
    script:
        "../scripts/corpus/published.py"
