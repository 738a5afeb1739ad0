# One trained encoder per run: pairs x recipe x seed. The kind of the recipe decides how it is trained.


encoder_of_recipe = input_from(
    lambda project, recipe, **others: project.encoder(project.recipe(recipe).encoder).files
)
card_of_run = input_from(
    lambda project, pairs, recipe, **others: canonical(cards.card_facts(project, pairs, recipe))
)
dev_of_run = input_from(lambda project, pairs, recipe, **others: project.runs.dev_file(pairs, recipe))


rule train_encoder:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        dev=dev_of_run,
        encoder=encoder_of_recipe,
        frozen=input_from(lambda project, recipe, **others: files_of_frozen(recipe)),
    output:
        encoder=kept(directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder")),
        history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
    log:
        "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
    wildcard_constraints:
        # An unknown recipe matches too: the error lists the known ones.
        recipe=unlike(
            name for name, recipe in project.recipes.recipes.items() if recipe.kind != "contrastive"
        ),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_encoder")
    resources:
        **resources_of("train_encoder"),
        processes=lambda wildcards: project.config.processes_of(wildcards.recipe),
        device=project.config.device,
        recompute=int(project.config.recompute),
        card=card_of_run,
        encoder=place_of_encoder,
        frozen=lambda wildcards: canonical([place_of(each) for each in frozen_of(wildcards.recipe)]),
        state=state_of("train_encoder", "train/{pairs}/{recipe}/seed{seed}"),
        checkpoint_seconds=60,
    params:
        **params_of("train_encoder"),
    script:
        "../scripts/run.py"


# What is fitted to the vectors of an encoder. Nothing is random in whitening: the seed is only in the name, as
# for any run, and there are no steps: the history gives the number of pairs.
for kind in ("whitening", "flow"):

    rule:
        name:
            f"train_{kind}"
        input:
            pairs="<results>/pairs/{pairs}.parquet",
            encoder=encoder_of_recipe,
        output:
            encoder=kept(directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder")),
            history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
        log:
            "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
        wildcard_constraints:
            recipe=of_kind(kind, project.recipes.recipes),
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"train_{kind}")
        resources:
            **resources_of(f"train_{kind}"),
            device=project.config.device,
            card=card_of_run,
            encoder=place_of_encoder,
        params:
            **params_of(f"train_{kind}"),
        script:
            "../scripts/run.py"


# Of a soup the seed is only in the name: that of all seeds is the same. It costs no training of its own.
rule train_averaged:
    input:
        trained=input_from(
            lambda project, pairs, recipe, seed: project.runs.averaged_encoders(pairs, recipe, seed)
        ),
        encoder=lambda wildcards: (
            encoder_of_recipe(wildcards) if project.recipe(wildcards.recipe).alpha < 1 else []
        ),
    output:
        encoder=kept(directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder")),
        history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
    log:
        "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
    wildcard_constraints:
        recipe=of_kind("averaged", project.recipes.recipes),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_averaged")
    resources:
        **resources_of("train_averaged"),
        device="cpu",
        card=card_of_run,
        encoder=place_of_encoder,
    params:
        **params_of("train_averaged"),
    script:
        "../scripts/run.py"


rule train_contrastive_tension:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        dev=dev_of_run,
        encoder=encoder_of_recipe,
    output:
        encoder=kept(directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder")),
        history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
    log:
        "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
    wildcard_constraints:
        recipe=of_kind("contrastive_tension", project.recipes.recipes),
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_contrastive_tension")
    resources:
        **resources_of("train_contrastive_tension"),
        processes=lambda wildcards: project.config.processes_of(wildcards.recipe),
        device=project.config.device,
        card=card_of_run,
        encoder=place_of_encoder,
        state=state_of("train_contrastive_tension", "train/{pairs}/{recipe}/seed{seed}"),
        checkpoint_seconds=60,
    params:
        **params_of("train_contrastive_tension"),
    script:
        "../scripts/run.py"


rule train_pretrained:
    input:
        sentences=input_from(lambda project, role: corpus_of_model("encoders", role)),
    output:
        encoder=directory("<results>/train/pretrained/{role}"),
    log:
        "<logs>/train/pretrained/{role}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_pretrained")
    resources:
        **resources_of("train_pretrained"),
        device="cpu",
    params:
        **params_of("train_pretrained"),
    script:
        "../scripts/run.py"


rule train_continued:
    input:
        sentences=input_from(lambda project, role: corpus_of_model("encoders", role)),
        encoder=input_from(lambda project, role: continued_encoder(role).files),
    output:
        encoder=directory("<results>/train/continued/{role}"),
    log:
        "<logs>/train/continued/{role}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_continued")
    resources:
        **resources_of("train_continued"),
        device=project.config.device,
        encoder=lambda wildcards: place_of(continued_encoder(wildcards.role)),
    params:
        **params_of("train_continued"),
    script:
        "../scripts/run.py"


rule train_language_model:
    input:
        texts=input_from(lambda project, role: corpus_of_model("language_models", role)),
    output:
        language_model=directory("<results>/train/language_model/{role}"),
    log:
        "<logs>/train/language_model/{role}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("train_language_model")
    resources:
        **resources_of("train_language_model"),
        device="cpu",
    params:
        **params_of("train_language_model"),
    script:
        "../scripts/run.py"


# Word vectors of a world whose role names a corpus instead of a file.
rule train_glove:
    input:
        sentences=input_from(lambda project, role: corpus_of_model("encoders", role)),
    output:
        vectors="<results>/train/glove/{role}.txt",
    log:
        "<logs>/train/glove/{role}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("train_glove"),
    params:
        **params_of("train_glove"),
    script:
        "../scripts/run.py"
