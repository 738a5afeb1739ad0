# Ask a language model for five paraphrases of every sentence, or one hard negative: one job per shard, then
# one that joins them and, if there are articles, replaces sentences that could not be paraphrased. Likewise
# for translations, back-translations and texts by label. Also the estimated and the actual cost.


recorded_of_llm = input_from(
    lambda project, **names: project.asking.recorded(steps.asked_llm(project, names))
)


rule generate_paraphrase:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        recorded=recorded_of_llm,
    output:
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}/paraphrases.parquet",
        completions="<results>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}/completions.parquet",
    log:
        "<logs>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_paraphrase"),
    params:
        **params_of("generate_paraphrase"),
    script:
        "../scripts/run.py"


rule generate_merge:
    input:
        unpack(input_from(lambda project, corpus, prompt, **others: project.asking.pool(corpus, prompt))),
        sentences="<results>/corpus/{corpus}.parquet",
        paraphrases=input_from(lambda project, **asked: project.places.answered(**asked, table="paraphrases")),
        completions=input_from(lambda project, **asked: project.places.answered(**asked, table="completions")),
        recorded=recorded_of_llm,
    output:
        sentences="<results>/generate/{corpus}/{llm}-prompt{prompt}/sentences.parquet",
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/paraphrases.parquet",
        completions="<results>/generate/{corpus}/{llm}-prompt{prompt}/completions.parquet",
        replacements="<results>/generate/{corpus}/{llm}-prompt{prompt}/replacements.parquet",
    log:
        "<logs>/generate/{corpus}/{llm}-prompt{prompt}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_merge"),
    params:
        **params_of("generate_merge"),
    script:
        "../scripts/run.py"


rule generate_translate:
    input:
        sentences="<results>/corpus/untranslated.parquet",
        recorded=recorded_of_llm,
    output:
        translations="<results>/generate/translation/{llm}/{shard}-of-{shards}/translations.parquet",
        completions="<results>/generate/translation/{llm}/{shard}-of-{shards}/completions.parquet",
    log:
        "<logs>/generate/translation/{llm}/{shard}-of-{shards}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_translate"),
    params:
        **params_of("generate_translate"),
    script:
        "../scripts/run.py"


# Back-translation by a chat model: all sentences, then all of their translations.
rule generate_asked_backtranslation:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        recorded=recorded_of_llm,
    output:
        translations="<results>/generate/backtranslation/{corpus}/{translator}/translations.parquet",
        backtranslations="<results>/generate/backtranslation/{corpus}/{translator}/backtranslations.parquet",
        completions="<results>/generate/backtranslation/{corpus}/{translator}/completions.parquet",
    log:
        "<logs>/generate/backtranslation/{corpus}/{translator}/backtranslations.log",
    wildcard_constraints:
        translator=of_kind("llm", project.world.back_translators),
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_asked_backtranslation"),
    params:
        **params_of("generate_asked_backtranslation"),
    script:
        "../scripts/run.py"


# Texts of a chat model for the sentences of a corpus, by label, with the instructions of generate_dino.
rule generate_asked:
    input:
        sentences=sentences_of_texts,
        recorded=recorded_of_llm,
    output:
        texts="<results>/generate/synthetic/{texts}.parquet",
        completions="<results>/generate/synthetic/{texts}/completions.parquet",
    log:
        "<logs>/generate/synthetic/{texts}.log",
    wildcard_constraints:
        texts=of_kind("asked", project.recipes.synthetic),
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_asked"),
    params:
        **params_of("generate_asked"),
    script:
        "../scripts/run.py"


# Prints an estimate of all requests; none is sent, and only the corpora are made.
rule generate_estimate:
    input:
        sentences=expand("<results>/corpus/{corpus}.parquet", corpus=project.asking.corpora()),
    log:
        "<logs>/generate/estimate.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        journals=all_llms(journal),
        connections=all_llms(lambda llm: project.asking.connection(llm).model_dump(mode="json")),
    params:
        **params_of("generate_estimate"),
    script:
        "../scripts/generate/estimate.py"


rule generate_cost:
    input:
        completions=project.asking.completions(),
    output:
        cost="<results>/generate/cost.parquet",
        markdown="<results>/generate/cost.md",
    log:
        "<logs>/generate/cost.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        journals=all_llms(journal),
        connections=all_llms(lambda llm: project.asking.connection(llm).model_dump(mode="json")),
    params:
        **params_of("generate_cost"),
    script:
        "../scripts/run.py"
