# Score encoders on every benchmark of the world: the runs of the studies, encoders as they are, any folder.


rule evaluate_run:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks="<results>/retrieve/benchmarks.parquet",
    output:
        scores="<results>/evaluate/{pairs}/{recipe}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_run"),
        code=code_of("evaluate_run"),
    script:
        "../scripts/evaluate/run.py"


rule evaluate_released:
    input:
        encoder=input_from(lambda role, pooling: project.role_inputs(role)),
        benchmarks="<results>/retrieve/benchmarks.parquet",
    output:
        scores="<results>/evaluate/released/{role}/{pooling}.parquet",
    log:
        "<logs>/evaluate/released/{role}/{pooling}.log",
    conda:
        "../../envs/train.yaml"
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: project.encoder(wildcards.role).folder or "",
    params:
        settings=settings_of("evaluate_released"),
        code=code_of("evaluate_released"),
    script:
        "../scripts/evaluate/run.py"


rule evaluate_folder:
    input:
        encoder=input_from(project.scored_encoder_inputs),
        benchmarks="<results>/retrieve/benchmarks.parquet",
    output:
        scores="<results>/evaluate/folder.parquet",
    log:
        "<logs>/evaluate/folder.log",
    conda:
        "../../envs/train.yaml"
    threads: 64
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=project.config.encoder or "",
    params:
        settings=settings_of("evaluate_folder"),
        code=code_of("evaluate_folder"),
    script:
        "../scripts/evaluate/run.py"
