# Sample sentences from the articles: one job per shard of the articles, then one that joins them. Or take
# published sentences, or those of evaluation sets.
NOT_SAMPLED = [name for name, each in project.recipes.corpora.items() if each.kind != "sampled"]
ARTICLES, PUNKT = "<results>/retrieve/articles.parquet", project.paths.punkt
WHOLE, SHARD = "{corpus}", "{corpus}/{shard}-of-{shards}"


def corpora_of_kind(kind):
    """Match the ids of the corpora of a kind."""
    return of_kind(kind, project.recipes.corpora)


for step, place, corpora, inputs in (
    # Texts that the splitter can be trained on if it is neither fetched nor installed.
    (
        "punkt",
        "punkt",
        "",
        {"articles": [ARTICLES] if project.catalog.articles and not project.catalog.punkt else []},
    ),
    ("draw", SHARD, unlike(NOT_SAMPLED), {"articles": ARTICLES, "punkt": PUNKT}),
    # An unknown corpus matches too: the error lists the known ones.
    (
        "sample",
        WHOLE,
        unlike([UNTRANSLATED, *NOT_SAMPLED]),
        {"draws": input_from(lambda project, corpus: project.paths.drawn(corpus, ARTICLES, PUNKT))},
    ),
    # All sentences of a collection in one shuffle: each shard of the articles keeps those that come first.
    (
        "segments",
        SHARD,
        corpora_of_kind("segmented"),
        {"articles": lambda wildcards: collection_of(wildcards.corpus)},
    ),
    (
        "segmented",
        WHOLE,
        corpora_of_kind("segmented"),
        {"segments": input_from(lambda project, corpus: project.paths.drawn(corpus, collection_of(corpus)))},
    ),
    (
        "published_lines",
        WHOLE,
        corpora_of_kind("published"),
        {
            "files": input_from(
                lambda project, corpus: data_files.inputs(
                    project, "sentence_files", project.corpus(corpus).file
                )
            ),
            "punkt": PUNKT,
        },
    ),
    (
        "divided",
        WHOLE,
        corpora_of_kind("split"),
        {
            "sentences": input_from(
                lambda project, corpus: project.paths.corpus(project.corpus(corpus).corpus)
            )
        },
    ),
    (
        "task_sentences",
        WHOLE,
        corpora_of_kind("tasks"),
        {
            "benchmarks": input_from(
                lambda project, corpus: benchmarks_of_task(project.corpus(corpus).tasks[0])
            )
        },
    ),
    # The sentences of the Chinese evaluation sets that the catalog's translator gets.
    ("untranslated", UNTRANSLATED, "", {"benchmarks": project.paths.benchmarks("chinese")}),
):

    rule:
        name:
            f"corpus_{step}"
        input:
            **inputs,
        output:
            table=f"<results>/corpus/{place}.parquet",
        log:
            f"<logs>/corpus/{place}.log",
        wildcard_constraints:
            corpus=corpora,
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of(f"corpus_{step}"),
            data=data_folder,
        params:
            **params_of(f"corpus_{step}"),
        script:
            "../scripts/run.py"
