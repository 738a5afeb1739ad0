# Score encoders on every benchmark of the world: the runs of the studies, encoders as they are, any folder.
# Beside the scores: how the vectors of runs and of encoders as they are lie on the sphere.


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


rule evaluate_geometry:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks="<results>/retrieve/benchmarks.parquet",
    output:
        geometry="<results>/evaluate/{pairs}/{recipe}/seed{seed}-geometry.parquet",
    log:
        "<logs>/evaluate/{pairs}/{recipe}/seed{seed}-geometry.log",
    conda:
        "../../envs/train.yaml"
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_geometry"),
        code=code_of("evaluate_geometry"),
    script:
        "../scripts/evaluate/geometry.py"


rule evaluate_geometry_released:
    input:
        encoder=input_from(lambda role, pooling: project.role_inputs(role)),
        benchmarks="<results>/retrieve/benchmarks.parquet",
    output:
        geometry="<results>/evaluate/released/{role}/{pooling}-geometry.parquet",
    log:
        "<logs>/evaluate/released/{role}/{pooling}-geometry.log",
    conda:
        "../../envs/train.yaml"
    resources:
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: project.encoder(wildcards.role).folder or "",
    params:
        settings=settings_of("evaluate_geometry_released"),
        code=code_of("evaluate_geometry_released"),
    script:
        "../scripts/evaluate/geometry.py"


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
