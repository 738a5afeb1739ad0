# One trained encoder per run: pairs x recipe x seed.


rule train_encoder:
    input:
        pairs="<results>/pairs/{pairs}.parquet",
        benchmarks="<results>/retrieve/benchmarks.parquet",
        encoder=input_from(lambda recipe, **others: project.encoder_inputs(recipe)),
    output:
        encoder=directory("<results>/train/{pairs}/{recipe}/seed{seed}/encoder"),
        history="<results>/train/{pairs}/{recipe}/seed{seed}/history.parquet",
    log:
        "<logs>/train/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
        encoder=lambda wildcards: project.encoder(
            project.recipe(wildcards.recipe).encoder
        ).folder
        or "",
        state=lambda wildcards: state(project.checkpoint_of(**dict(wildcards.items()))),
        checkpoint_seconds=60,
    params:
        settings=settings_of("train_encoder"),
        code=code_of("train_encoder"),
    script:
        "../scripts/train/encoder.py"
