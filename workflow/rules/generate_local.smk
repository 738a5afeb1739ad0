# Texts that models on this machine make of sentences: translations, back-translations, queries, entailments and
# contradictions, other words in a sentence, texts by label. Last, rewrites with a paraphrase dictionary.


rule generate_seq2seq:
    input:
        sentences="<results>/corpus/untranslated.parquet",
        translator=input_from(lambda project: project.source("translator").read_by_jobs(project)),
    output:
        translations="<results>/generate/translation/seq2seq.parquet",
    log:
        "<logs>/generate/translation/seq2seq.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_seq2seq")
    resources:
        **resources_of("generate_seq2seq"),
        device=project.config.device,
        folder=input_from(lambda project: project.source("translator").folder(project)),
        state=state_of("generate_seq2seq", "generate/translation/seq2seq"),
    params:
        **params_of("generate_seq2seq"),
    script:
        "../scripts/run.py"


# Sentences of a corpus, translated into another language and back by two models on this machine.
rule generate_backtranslation:
    input:
        unpack(
            input_from(
                lambda project, corpus, translator: back_translator(translator).both(project, translator)
            )
        ),
        sentences="<results>/corpus/{corpus}.parquet",
    output:
        translations="<results>/generate/backtranslation/{corpus}/{translator}/translations.parquet",
        backtranslations="<results>/generate/backtranslation/{corpus}/{translator}/backtranslations.parquet",
    log:
        "<logs>/generate/backtranslation/{corpus}/{translator}/backtranslations.log",
    wildcard_constraints:
        translator=unlike(names_of_kind("llm", project.catalog.back_translators)),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_backtranslation")
    resources:
        **resources_of("generate_backtranslation"),
        device=project.config.device,
        there=folder_of_way("there"),
        back=folder_of_way("back"),
        state=state_of("generate_backtranslation", "generate/backtranslation/{corpus}/{translator}"),
    params:
        **params_of("generate_backtranslation"),
    script:
        "../scripts/run.py"


# Queries that a model on this machine writes for the documents of a corpus, for pairs of kind queries.
rule generate_queries:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        language_model=files_of_model("generate_queries"),
    output:
        queries="<results>/generate/queries/{corpus}/{writer}/{queries}.parquet",
    log:
        "<logs>/generate/queries/{corpus}/{writer}/{queries}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_queries")
    resources:
        **running_of("generate_queries", "language_model"),
        state=state_of("generate_queries", "generate/queries/{corpus}/{writer}/{queries}"),
    params:
        **params_of("generate_queries"),
    script:
        "../scripts/run.py"


# A sentence that each sentence of a corpus entails, and one that contradicts it, by a model on this machine that
# also says how likely that is.
rule generate_entailments:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        language_model=files_of_model("generate_entailments"),
    output:
        entailments="<results>/generate/entailments/{corpus}/{writer}.parquet",
    log:
        "<logs>/generate/entailments/{corpus}/{writer}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_entailments")
    resources:
        **running_of("generate_entailments", "language_model"),
        state=state_of("generate_entailments", "generate/entailments/{corpus}/{writer}"),
    params:
        **params_of("generate_entailments"),
    script:
        "../scripts/run.py"


# Sentences of a corpus with some words replaced by those of a masked language model on this machine.
rule generate_masked_words:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        encoder=files_of_model("generate_masked_words"),
    output:
        paraphrases="<results>/generate/masked_words/{corpus}/{filler}/{rate}-{choice}-draw{draw}-slots{slots}.parquet",
    log:
        "<logs>/generate/masked_words/{corpus}/{filler}/{rate}-{choice}-draw{draw}-slots{slots}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_masked_words")
    resources:
        **running_of("generate_masked_words", "encoder"),
        state=state_of(
            "generate_masked_words",
            "generate/masked_words/{corpus}/{filler}/{rate}-{choice}-draw{draw}-slots{slots}",
        ),
    params:
        **params_of("generate_masked_words"),
    script:
        "../scripts/run.py"


# Texts of a causal language model for the sentences of a corpus, by label. Finished blocks of sentences
# survive a kill.
rule generate_dino:
    input:
        sentences=sentences_of_texts,
        language_model=files_of_model("generate_dino"),
    output:
        texts="<results>/generate/synthetic/{texts}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/generate/synthetic/{texts}/{shard}-of-{shards}.log",
    wildcard_constraints:
        texts=of_kind("dino", project.recipes.synthetic),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("generate_dino")
    resources:
        **running_of("generate_dino", "language_model"),
        state=state_of("generate_dino", "generate/synthetic/{texts}/{shard}-of-{shards}"),
    params:
        **params_of("generate_dino"),
    script:
        "../scripts/run.py"


rule generate_synthetic:
    input:
        texts=input_from(lambda project, texts: project.paths.written(texts)),
    output:
        texts="<results>/generate/synthetic/{texts}.parquet",
    log:
        "<logs>/generate/synthetic/{texts}.log",
    wildcard_constraints:
        texts=of_kind("dino", project.recipes.synthetic),
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("generate_synthetic"),
    params:
        **params_of("generate_synthetic"),
    script:
        "../scripts/run.py"


# All rewrites of the sentences of one shard of a corpus with a paraphrase dictionary.
rule generate_rewrites:
    input:
        files=input_from(
            lambda project, rewrites, **shard: project.paths.rewritten(project.entry("rewrites", rewrites))
        ),
    output:
        rewrites="<results>/generate/rewrites/{rewrites}/{shard}-of-{shards}.parquet",
    log:
        "<logs>/generate/rewrites/{rewrites}/{shard}-of-{shards}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("generate_rewrites"),
    params:
        **params_of("generate_rewrites"),
    script:
        "../scripts/run.py"
