# One trained encoder per run: pairs x recipe x seed. The kind of the recipe decides how it is trained.


card_of_run = input_from(
    lambda project, pairs, recipe, **others: canonical(cards.card_facts(project, pairs, recipe))
)
OF_PAIRS = {"pairs": "<results>/pairs/{pairs}.parquet"}
WITH_DEV = OF_PAIRS | {
    "dev": input_from(lambda project, pairs, recipe, **others: project.runs.dev_file(pairs, recipe))
}
IN_STEPS = {
    "processes": lambda wildcards: project.config.processes_of(wildcards.recipe),
    "device": project.config.device,
}
RUN = "train/{pairs}/{recipe}/seed{seed}"
# Of each kind of recipe: the rule, its inputs, and what it takes beside the card and the place of the encoder.
TRAININGS = {
    "contrastive": (
        "encoder",
        WITH_DEV | {"frozen": input_from(lambda project, recipe, **others: files_of_frozen(recipe))},
        {
            **IN_STEPS,
            **checkpoints_of("train_encoder", RUN),
            "gradient_checkpointing": int(project.config.gradient_checkpointing),
            "frozen": lambda wildcards: canonical([place_of(each) for each in frozen_of(wildcards.recipe)]),
        },
    ),
    "contrastive_tension": (
        "contrastive_tension",
        WITH_DEV,
        IN_STEPS | checkpoints_of("train_contrastive_tension", RUN),
    ),
    # What is fitted to the vectors of an encoder. Nothing is random in whitening: the seed is only in the name, as
    # for any run, and there are no steps: the history gives the number of pairs.
    "whitening": ("whitening", OF_PAIRS, {"device": project.config.device}),
    "flow": ("flow", OF_PAIRS, {"device": project.config.device} | checkpoints_of("train_flow", RUN)),
    # Of a soup the seed is only in the name: that of all seeds is the same. It costs no training of its own.
    "weight_average": (
        "averaged",
        {
            "trained": input_from(
                lambda project, pairs, recipe, seed: project.runs.averaged_encoders(pairs, recipe, seed)
            ),
            "encoder": lambda wildcards: (
                files_of_model("train_averaged")(wildcards)
                if project.recipe(wildcards.recipe).alpha < 1
                else []
            ),
        },
        {"device": "cpu"},
    ),
}

for kind, (step, inputs, more) in TRAININGS.items():

    rule:
        name:
            f"train_{step}"
        input:
            **{"encoder": files_of_model(f"train_{step}"), **inputs},
        output:
            encoder=kept(directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder")),
            history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
        log:
            "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
        wildcard_constraints:
            # An unknown recipe is taken for a contrastive one: the error lists the known ones.
            recipe=(
                of_kind(kind, project.recipes.recipes)
                if kind != "contrastive"
                else unlike(name for name, spec in project.recipes.recipes.items() if spec.kind != kind)
            ),
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"train_{step}")
        resources:
            **resources_of(f"train_{step}"),
            **more,
            card=card_of_run,
            encoder=place_of_model(f"train_{step}"),
        params:
            **params_of(f"train_{step}"),
        script:
            "../scripts/run.py"


# Models that are trained from scratch: a small encoder, and a small language model.
for step, section, text, made in (
    ("pretrained", "encoders", "sentences", "encoder"),
    ("language_model", "language_models", "texts", "language_model"),
):

    rule:
        name:
            f"train_{step}"
        input:
            **{text: corpus_of(section)},
        output:
            **{made: directory(f"<results>/train/{step}/{{role}}")},
        log:
            f"<logs>/train/{step}/{{role}}.log",
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"train_{step}")
        resources:
            **resources_of(f"train_{step}"),
            **checkpoints_of(f"train_{step}", f"train/{step}/{{role}}"),
            device="cpu",
        params:
            **params_of(f"train_{step}"),
        script:
            "../scripts/run.py"


rule train_continued:
    input:
        sentences=corpus_of("encoders"),
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
        **checkpoints_of("train_continued", "train/continued/{role}"),
        device=project.config.device,
        encoder=lambda wildcards: place_of(continued_encoder(wildcards.role)),
    params:
        **params_of("train_continued"),
    script:
        "../scripts/run.py"


# Word vectors of a catalog whose role names a corpus instead of a file.
rule train_glove:
    input:
        sentences=corpus_of("encoders"),
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
