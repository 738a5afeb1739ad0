# Score encoders on a suite of evaluation sets: the runs of the studies, encoders as they are, any folder.
# Beside the scores: how the vectors of runs and of encoders as they are lie on the sphere, what a length
# that means nothing does to their cosines, and the cosines of given texts.


rule evaluate_run:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks=benchmarks_of("{suite}"),
    output:
        scores="<results>/evaluate/{suite}/{pairs}/{recipe}/seed{seed}.parquet",
        cosines="<results>/evaluate/{suite}/{pairs}/{recipe}/seed{seed}-cosines.parquet",
    log:
        "<logs>/evaluate/{suite}/{pairs}/{recipe}/seed{seed}.log",
    wildcard_constraints:
        suite=SCORED_SUITES,
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_run")
    resources:
        **needs_of("evaluate_run"),
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_run"),
        code=code_of("evaluate_run"),
    script:
        "../scripts/evaluate/run.py"


rule evaluate_released:
    input:
        encoder=input_from(lambda role, **others: project.role_inputs(role)),
        benchmarks=benchmarks_of("{suite}"),
    output:
        scores="<results>/evaluate/{suite}/released/{role}/{pooling}.parquet",
        cosines="<results>/evaluate/{suite}/released/{role}/{pooling}-cosines.parquet",
    log:
        "<logs>/evaluate/{suite}/released/{role}/{pooling}.log",
    wildcard_constraints:
        suite=SCORED_SUITES,
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_released")
    resources:
        **needs_of("evaluate_released"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: place_of(wildcards.role),
    params:
        settings=settings_of("evaluate_released"),
        code=code_of("evaluate_released"),
    script:
        "../scripts/evaluate/run.py"


rule evaluate_geometry:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks=benchmarks_of("english"),
    output:
        geometry="<results>/evaluate/geometry/{pairs}/{recipe}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/geometry/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_geometry")
    resources:
        **needs_of("evaluate_geometry"),
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
        benchmarks=benchmarks_of("english"),
    output:
        geometry="<results>/evaluate/geometry/released/{role}/{pooling}.parquet",
    log:
        "<logs>/evaluate/geometry/released/{role}/{pooling}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_geometry_released")
    resources:
        **needs_of("evaluate_geometry_released"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: place_of(wildcards.role),
    params:
        settings=settings_of("evaluate_geometry_released"),
        code=code_of("evaluate_geometry_released"),
    script:
        "../scripts/evaluate/geometry.py"


rule evaluate_length_bias:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks=input_from(
            lambda probe, **others: benchmarks_of(project.suite_of_probe(probe))
        ),
    output:
        bias="<results>/evaluate/length_bias/{probe}/{pairs}/{recipe}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/length_bias/{probe}/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_length_bias")
    resources:
        **needs_of("evaluate_length_bias"),
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_length_bias"),
        code=code_of("evaluate_length_bias"),
    script:
        "../scripts/evaluate/length_bias.py"


rule evaluate_length_bias_released:
    input:
        encoder=input_from(lambda role, **others: project.role_inputs(role)),
        benchmarks=input_from(
            lambda probe, **others: benchmarks_of(project.suite_of_probe(probe))
        ),
    output:
        bias="<results>/evaluate/length_bias/{probe}/released/{role}/{pooling}.parquet",
    log:
        "<logs>/evaluate/length_bias/{probe}/released/{role}/{pooling}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_length_bias_released")
    resources:
        **needs_of("evaluate_length_bias_released"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: place_of(wildcards.role),
    params:
        settings=settings_of("evaluate_length_bias_released"),
        code=code_of("evaluate_length_bias_released"),
    script:
        "../scripts/evaluate/length_bias.py"


rule evaluate_similarities:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
    output:
        similarities="<results>/evaluate/similarities/{table}/{pairs}/{recipe}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/similarities/{table}/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_similarities")
    resources:
        **needs_of("evaluate_similarities"),
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_similarities"),
        code=code_of("evaluate_similarities"),
    script:
        "../scripts/evaluate/similarities.py"


rule evaluate_similarities_released:
    input:
        encoder=input_from(lambda role, **others: project.role_inputs(role)),
    output:
        similarities="<results>/evaluate/similarities/{table}/released/{role}/{pooling}.parquet",
    log:
        "<logs>/evaluate/similarities/{table}/released/{role}/{pooling}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_similarities_released")
    resources:
        **needs_of("evaluate_similarities_released"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: place_of(wildcards.role),
    params:
        settings=settings_of("evaluate_similarities_released"),
        code=code_of("evaluate_similarities_released"),
    script:
        "../scripts/evaluate/similarities.py"


rule evaluate_folder:
    input:
        encoder=input_from(lambda suite: project.scored_encoder_inputs()),
        benchmarks=benchmarks_of("{suite}"),
    output:
        scores="<results>/evaluate/{suite}/folder.parquet",
        cosines="<results>/evaluate/{suite}/folder-cosines.parquet",
    log:
        "<logs>/evaluate/{suite}/folder.log",
    wildcard_constraints:
        suite=SCORED_SUITES,
    conda:
        "../../envs/train.yaml"
    threads: 64
    resources:
        **needs_of("evaluate_folder"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=project.config.encoder or "",
    params:
        settings=settings_of("evaluate_folder"),
        code=code_of("evaluate_folder"),
    script:
        "../scripts/evaluate/run.py"


rule evaluate_transfer:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        transfer="<results>/retrieve/transfer.parquet",
    output:
        scores="<results>/evaluate/transfer/{pairs}/{recipe}/seed{seed}.parquet",
        predictions="<results>/evaluate/transfer/{pairs}/{recipe}/seed{seed}-predictions.parquet",
    log:
        "<logs>/evaluate/transfer/{pairs}/{recipe}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_transfer")
    resources:
        **needs_of("evaluate_transfer"),
        device=project.config.device,
        batch_size=project.config.batch_size,
    params:
        settings=settings_of("evaluate_transfer"),
        code=code_of("evaluate_transfer"),
    script:
        "../scripts/evaluate/transfer.py"


rule evaluate_transfer_released:
    input:
        encoder=input_from(lambda role, pooling: project.role_inputs(role)),
        transfer="<results>/retrieve/transfer.parquet",
    output:
        scores="<results>/evaluate/transfer/released/{role}/{pooling}.parquet",
        predictions="<results>/evaluate/transfer/released/{role}/{pooling}-predictions.parquet",
    log:
        "<logs>/evaluate/transfer/released/{role}/{pooling}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_transfer_released")
    resources:
        **needs_of("evaluate_transfer_released"),
        device=project.config.device,
        batch_size=project.config.batch_size,
        folder=lambda wildcards: project.encoder(wildcards.role).folder or "",
    params:
        settings=settings_of("evaluate_transfer_released"),
        code=code_of("evaluate_transfer_released"),
    script:
        "../scripts/evaluate/transfer.py"


# Each job fine-tunes an encoder on one task and scores it there.
rule evaluate_fine_tuned:
    input:
        encoder="<results>/train/{pairs}/{recipe}/seed{seed}/encoder",
        benchmarks=input_from(
            lambda task, **others: benchmarks_of(project.suite_of_task(task))
        ),
    output:
        scores="<results>/evaluate/fine_tuned/{fine_tuning}/{task}/{pairs}/{recipe}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/fine_tuned/{fine_tuning}/{task}/{pairs}/{recipe}/seed{seed}.log",
    wildcard_constraints:
        pairs=unlike(["released"]),
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_fine_tuned")
    resources:
        **needs_of("evaluate_fine_tuned"),
        device=project.config.device,
        state=state_of(
            "evaluate_fine_tuned",
            "evaluate/fine_tuned/{fine_tuning}/{task}/{pairs}/{recipe}/seed{seed}",
        ),
        checkpoint_seconds=60,
    params:
        settings=settings_of("evaluate_fine_tuned"),
        code=code_of("evaluate_fine_tuned"),
    script:
        "../scripts/evaluate/fine_tuned.py"


rule evaluate_fine_tuned_released:
    input:
        encoder=input_from(lambda role, **others: project.role_inputs(role)),
        benchmarks=input_from(
            lambda task, **others: benchmarks_of(project.suite_of_task(task))
        ),
    output:
        scores="<results>/evaluate/fine_tuned/{fine_tuning}/{task}/released/{role}/seed{seed}.parquet",
    log:
        "<logs>/evaluate/fine_tuned/{fine_tuning}/{task}/released/{role}/seed{seed}.log",
    conda:
        "../../envs/train.yaml"
    threads: cpus_of("evaluate_fine_tuned_released")
    resources:
        **needs_of("evaluate_fine_tuned_released"),
        device=project.config.device,
        state=state_of(
            "evaluate_fine_tuned_released",
            "evaluate/fine_tuned/{fine_tuning}/{task}/released/{role}/seed{seed}",
        ),
        checkpoint_seconds=60,
        folder=lambda wildcards: place_of(wildcards.role),
    params:
        settings=settings_of("evaluate_fine_tuned_released"),
        code=code_of("evaluate_fine_tuned_released"),
    script:
        "../scripts/evaluate/fine_tuned.py"
