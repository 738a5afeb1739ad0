# Make the mini world: its data folder, and the encoders and language models that are checked in below resources/.

if project.catalog.mini:

    rule mini_world:
        output:
            data=directory(data_files.MADE),
        log:
            "<logs>/retrieve/mini_world.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("mini_world"),
        params:
            **params_of("mini_world"),
        script:
            "../scripts/run.py"


rule mini_encoder:
    output:
        encoder=directory("<results>/retrieve/mini_encoders/{name}"),
    log:
        "<logs>/retrieve/mini_encoders/{name}.log",
    wildcard_constraints:
        name=r"[^/]+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("mini_encoder")
    resources:
        **resources_of("mini_encoder"),
        device="cpu",
    params:
        **params_of("mini_encoder"),
    script:
        "../scripts/run.py"


# To be checked in by hand, as the encoders are.
rule mini_language_model:
    output:
        language_model=directory("<results>/retrieve/mini_language_models/{name}"),
    log:
        "<logs>/retrieve/mini_language_models/{name}.log",
    wildcard_constraints:
        name=r"[^/]+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("mini_language_model")
    resources:
        **resources_of("mini_language_model"),
        device="cpu",
    params:
        **params_of("mini_language_model"),
    script:
        "../scripts/run.py"


rule mini_encoders:
    input:
        expand(
            "<results>/retrieve/mini_encoders/{name}",
            name=of_mini_world("encoders"),
        ),


rule mini_language_models:
    input:
        expand(
            "<results>/retrieve/mini_language_models/{name}",
            name=of_mini_world("language_models"),
        ),
