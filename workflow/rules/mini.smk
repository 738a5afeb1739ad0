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


def of_mini_world(section):
    """Folders of the models that the mini world makes; of encoders, of the roles with a folder of their name."""
    entries = getattr(project.catalog, section).items() if project.catalog.mini else ()
    names = {role: path.name for role, source in entries if source and (path := source.disk_path(project))}
    return sorted(name for role, name in names.items() if section != "encoders" or name == role)


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
