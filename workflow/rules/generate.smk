# Texts that chat models make of sentences: five paraphrases of every sentence, or one hard negative, in shards that
# a further job joins, which replaces sentences that could not be paraphrased if there are articles; translations,
# back-translations and texts by label; what all that costs. By models on this machine: generate_local.smk.


roles = project.llm_requests.llm_roles
embedders = project.llm_requests.embedders
reached = project.llm_requests.reached()
connections_of_llms = {
    "journals": canonical({llm: journal(llm) for llm in roles}),
    "connections": canonical(
        {llm: project.llm_requests.connection(llm).model_dump(mode="json") for llm in roles}
    ),
}
# What all answers cost: of models that are asked, or were before the settings changed.
cost_of_answers = (
    ["<results>/generate/cost.parquet"] if reached or any(Path(state("generate")).glob("*/*.jsonl")) else []
)


rule generate_paraphrase:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        recorded=recorded_of("generate_paraphrase"),
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
        unpack(input_from(lambda project, corpus, prompt, **others: merge.pool(project, corpus, prompt))),
        sentences="<results>/corpus/{corpus}.parquet",
        paraphrases=input_from(lambda project, **asked: project.paths.answered(**asked, table="paraphrases")),
        completions=input_from(lambda project, **asked: project.paths.answered(**asked, table="completions")),
        recorded=recorded_of("generate_merge"),
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


# The sentences of a corpus that a language model writes.
rule generate_sentences:
    input:
        recorded=recorded_of("generate_sentences"),
    output:
        sentences="<results>/corpus/{corpus}.parquet",
        completions="<results>/generate/sentences/{corpus}/completions.parquet",
    log:
        "<logs>/corpus/{corpus}.log",
    wildcard_constraints:
        corpus=of_kind("llm_generated", project.recipes.corpora),
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_sentences"),
    params:
        **params_of("generate_sentences"),
    script:
        "../scripts/run.py"


rule generate_translate:
    input:
        sentences="<results>/corpus/untranslated.parquet",
        recorded=recorded_of("generate_translate"),
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
rule generate_llm_backtranslation:
    input:
        sentences="<results>/corpus/{corpus}.parquet",
        recorded=recorded_of("generate_llm_backtranslation"),
    output:
        translations="<results>/generate/backtranslation/{corpus}/{translator}/translations.parquet",
        backtranslations="<results>/generate/backtranslation/{corpus}/{translator}/backtranslations.parquet",
        completions="<results>/generate/backtranslation/{corpus}/{translator}/completions.parquet",
    log:
        "<logs>/generate/backtranslation/{corpus}/{translator}/backtranslations.log",
    wildcard_constraints:
        translator=of_kind("llm", project.catalog.back_translators),
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_llm_backtranslation"),
    params:
        **params_of("generate_llm_backtranslation"),
    script:
        "../scripts/run.py"


# Scores of a chat model for the pairs of texts of a pair set.
rule generate_judgements:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        recorded=recorded_of("generate_judgements"),
    output:
        relevance="<results>/generate/judgements/{pairs}/{llm}-prompt{prompt}.parquet",
        completions="<results>/generate/judgements/{pairs}/{llm}-prompt{prompt}/completions.parquet",
    log:
        "<logs>/generate/judgements/{pairs}/{llm}-prompt{prompt}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_judgements"),
    params:
        **params_of("generate_judgements"),
    script:
        "../scripts/run.py"


# Texts of a chat model for the sentences of a corpus, by label, with the instructions of generate_dino.
rule generate_chat_texts:
    input:
        sentences=sentences_of_texts,
        recorded=recorded_of("generate_chat_texts"),
    output:
        texts="<results>/generate/synthetic/{texts}.parquet",
        completions="<results>/generate/synthetic/{texts}/completions.parquet",
    log:
        "<logs>/generate/synthetic/{texts}.log",
    wildcard_constraints:
        texts=of_kind("llm_generated", project.recipes.synthetic),
    conda:
        "../../envs/llm.yaml"
    resources:
        **asking_of("generate_chat_texts"),
    params:
        **params_of("generate_chat_texts"),
    script:
        "../scripts/run.py"


# Prints an estimate of all requests; none is sent, and only the corpora are made.
rule generate_estimate:
    input:
        sentences=expand("<results>/corpus/{corpus}.parquet", corpus=project.llm_requests.corpora()),
    log:
        "<logs>/generate/estimate.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        **connections_of_llms,
        pairs=PATHVARS.apply(
            canonical({name: project.paths.pairs(name) for name, *_ in project.llm_requests.judged})
        ),
        step="contrapose.generate.estimate",
    params:
        **params_of("generate_estimate"),
    script:
        "../scripts/generate/estimate.py"


rule generate_cost:
    input:
        completions=project.llm_requests.completions(),
        vectors=expand("<results>/evaluate/text_vectors/{role}.parquet", role=embedders),
    output:
        cost="<results>/generate/cost.parquet",
        markdown="<results>/generate/cost.md",
    log:
        "<logs>/generate/cost.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        journals=canonical({role: state(f"generate/{journal}") for role, (journal, _) in reached.items()}),
        connections=canonical(
            {role: connection.model_dump(mode="json") for role, (_, connection) in reached.items()}
        ),
        asked=state("generate"),
        step="contrapose.generate.cost",
    params:
        **params_of("generate_cost"),
    script:
        "../scripts/run.py"
