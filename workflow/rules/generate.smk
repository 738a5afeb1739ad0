# Ask a language model for five paraphrases of every sentence: one job per shard, then one that joins them
# and replaces the sentences that could not be paraphrased. Likewise for translations, which a model on this
# machine may make, too. What it will cost, and what it has cost.


rule generate_paraphrase:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        knowledge=input_from(lambda llm, **others: project.knowledge_inputs(llm, MADE)),
    output:
        paraphrases="<results>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}/paraphrases.parquet",
        completions="<results>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}/completions.parquet",
    log:
        "<logs>/generate/{corpus}/{llm}-prompt{prompt}/{shard}-of-{shards}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **resources_of("generate_paraphrase"),
        journal=lambda wildcards: state(f"generate/{project.journal_of(wildcards.llm)}"),
        connection=lambda wildcards: canonical(project.connection(wildcards.llm)),
    params:
        **params_of("generate_paraphrase"),
    script:
        "../scripts/generate/paraphrase.py"


rule generate_merge:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        paraphrases=expand(
            "<results>/generate/{{corpus}}/{{llm}}-prompt{{prompt}}/{shard}/paraphrases.parquet",
            shard=shards_of("generate"),
        ),
        completions=expand(
            "<results>/generate/{{corpus}}/{{llm}}-prompt{{prompt}}/{shard}/completions.parquet",
            shard=shards_of("generate"),
        ),
        articles="<results>/retrieve/articles.parquet",
        punkt="<results>/corpus/punkt.parquet",
        knowledge=input_from(lambda llm, **others: project.knowledge_inputs(llm, MADE)),
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
        **resources_of("generate_merge"),
        journal=lambda wildcards: state(f"generate/{project.journal_of(wildcards.llm)}"),
        connection=lambda wildcards: canonical(project.connection(wildcards.llm)),
    params:
        **params_of("generate_merge"),
    script:
        "../scripts/generate/merge.py"


rule generate_translate:
    input:
        sentences="<results>/corpus/untranslated.parquet",
        knowledge=input_from(lambda llm, **others: project.knowledge_inputs(llm, MADE)),
    output:
        translations="<results>/generate/translation/{llm}/{shard}-of-{shards}/translations.parquet",
        completions="<results>/generate/translation/{llm}/{shard}-of-{shards}/completions.parquet",
    log:
        "<logs>/generate/translation/{llm}/{shard}-of-{shards}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **resources_of("generate_translate"),
        journal=lambda wildcards: state(f"generate/{project.journal_of(wildcards.llm)}"),
        connection=lambda wildcards: canonical(project.connection(wildcards.llm)),
    params:
        **params_of("generate_translate"),
    script:
        "../scripts/generate/translate.py"


rule generate_seq2seq:
    input:
        sentences="<results>/corpus/untranslated.parquet",
        translator=input_from(project.translator_inputs),
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
        batch_size=project.config.batch_size,
        folder=project.translator_folder,
    params:
        **params_of("generate_seq2seq"),
    script:
        "../scripts/generate/seq2seq.py"


# Texts of a chat model for the sentences of a corpus, by label, behind the instructions that generate_dino has.
rule generate_asked:
    input:
        sentences=input_from(project.source_of),
        knowledge=input_from(
            lambda texts: project.knowledge_inputs(project.asked_llm(texts), MADE)
        ),
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
        **resources_of("generate_asked"),
        journal=lambda wildcards: state(
            f"generate/{project.journal_of(project.asked_llm(wildcards.texts))}"
        ),
        connection=lambda wildcards: canonical(
            project.connection(project.asked_llm(wildcards.texts))
        ),
    params:
        **params_of("generate_asked"),
    script:
        "../scripts/generate/asked.py"


# Texts of a causal language model for the sentences of a corpus, by label. Finished blocks of sentences
# survive a kill.
rule generate_dino:
    input:
        sentences=input_from(lambda texts, **shard: project.source_of(texts)),
        language_model=input_from(
            lambda texts, **shard: project.language_model_inputs(
                project.synthetic(texts).lm
            )
        ),
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
        **resources_of("generate_dino"),
        device=project.config.device,
        language_model=lambda wildcards: place_of_language_model(
            project.synthetic(wildcards.texts).lm
        ),
        state=state_of(
            "generate_dino", "generate/synthetic/{texts}/{shard}-of-{shards}"
        ),
    params:
        **params_of("generate_dino"),
    script:
        "../scripts/generate/dino.py"


rule generate_synthetic:
    input:
        texts=expand(
            "<results>/generate/synthetic/{{texts}}/{shard}.parquet",
            shard=shards_of("synthetic"),
        ),
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
        "../scripts/generate/synthetic.py"


# All that a paraphrase dictionary can make of the sentences of one shard of a corpus.
rule generate_rewrites:
    input:
        files=input_from(lambda rewrites, **shard: project.rewrites_inputs(rewrites)),
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
        "../scripts/generate/rewrites.py"


# Prints what the asking will take; nothing is asked, and nothing is made but the corpora.
rule generate_estimate:
    input:
        sentences=expand(
            "<results>/corpus/{corpus}.parquet", corpus=project.asked_corpora()
        ),
        knowledge=input_from(lambda: project.all_knowledge_inputs(MADE)),
    log:
        "<logs>/generate/estimate.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        journals=journals_of_llms(),
        connections=connections_of_llms(),
    params:
        **params_of("generate_estimate"),
    script:
        "../scripts/generate/estimate.py"


rule generate_cost:
    input:
        completions=project.completion_inputs(),
        knowledge=input_from(lambda: project.all_knowledge_inputs(MADE)),
    output:
        cost="<results>/generate/cost.parquet",
        markdown="<results>/generate/cost.md",
    log:
        "<logs>/generate/cost.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        journals=journals_of_llms(),
        connections=connections_of_llms(),
    params:
        **params_of("generate_cost"),
    script:
        "../scripts/generate/cost.py"
