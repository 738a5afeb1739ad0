# Score encoders.  A run is one trained here, PAIRS/RECIPE/seedN; a pretrained encoder, released/ROLE/POOLING
# (released/ROLE/seedN if fine-tuned); or the folder of `--config encoder=`.  Besides scores: how vectors lie
# on the sphere, the effect of meaningless length on cosines, and the cosines of given texts.


rule evaluate_suite:
    input:
        encoder=encoder_of_run,
        benchmarks=project.places.benchmarks("{suite}"),
    output:
        scores="<results>/evaluate/{suite}/{run}.parquet",
        cosines="<results>/evaluate/{suite}/{run}-cosines.parquet",
    log:
        "<logs>/evaluate/{suite}/{run}.log",
    wildcard_constraints:
        suite=SCORED_SUITES,
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_suite")
    resources:
        **encoding_of("evaluate_suite"),
    params:
        **params_of("evaluate_suite"),
    script:
        "../scripts/run.py"


# The vectors of all texts of evaluation sets, by an encoder behind an endpoint.
rule evaluate_text_vectors:
    input:
        benchmarks=input_from(lambda project, role: project.llm_requests.embedded(role)),
    output:
        vectors="<results>/evaluate/text_vectors/{role}.parquet",
    log:
        "<logs>/evaluate/text_vectors/{role}.log",
    conda:
        "../../envs/llm.yaml"
    resources:
        **resources_of("evaluate_text_vectors"),
        journal=lambda wildcards: state(f"generate/{project.llm_requests.embedder(wildcards.role)[0]}"),
        connection=lambda wildcards: canonical(project.llm_requests.embedder(wildcards.role)[1]),
        batch=lambda wildcards: project.entry("encoders", wildcards.role).batch,
    params:
        **params_of("evaluate_text_vectors"),
    script:
        "../scripts/run.py"


rule evaluate_geometry:
    input:
        encoder=encoder_of_run,
        benchmarks=project.places.benchmarks("english"),
    output:
        geometry="<results>/evaluate/geometry/{run}.parquet",
    log:
        "<logs>/evaluate/geometry/{run}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_geometry")
    resources:
        **encoding_of("evaluate_geometry"),
    params:
        **params_of("evaluate_geometry"),
    script:
        "../scripts/run.py"


rule evaluate_length_bias:
    input:
        encoder=encoder_of_run,
        benchmarks=input_from(
            lambda project, probe, run: benchmarks_of_task(project.entry("probes", probe).tasks[0])
        ),
    output:
        bias="<results>/evaluate/length_bias/{probe}/{run}.parquet",
    log:
        "<logs>/evaluate/length_bias/{probe}/{run}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_length_bias")
    resources:
        **encoding_of("evaluate_length_bias"),
    params:
        **params_of("evaluate_length_bias"),
    script:
        "../scripts/run.py"


rule evaluate_edits:
    input:
        encoder=encoder_of_run,
    output:
        similarities="<results>/evaluate/similarities/{table}/{run}.parquet",
    log:
        "<logs>/evaluate/similarities/{table}/{run}.log",
    wildcard_constraints:
        table=r"[^/]+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_edits")
    resources:
        **encoding_of("evaluate_edits"),
    params:
        **params_of("evaluate_edits"),
    script:
        "../scripts/run.py"


rule evaluate_mteb:
    input:
        encoder=encoder_of_run,
        files=input_from(lambda project, tasks, run: data.mteb_files(project, tasks)),
    output:
        scores="<results>/evaluate/mteb/{tasks}/{run}.parquet",
        results=directory("<results>/evaluate/mteb/{tasks}/{run}-results"),
    log:
        "<logs>/evaluate/mteb/{tasks}/{run}.log",
    wildcard_constraints:
        tasks=r"[^/]+",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_mteb")
    resources:
        **encoding_of("evaluate_mteb"),
        mteb=lambda wildcards: canonical(data.mteb_folders(project, wildcards.tasks)),
        state=state_of("evaluate_mteb", "evaluate/mteb/{tasks}/{run}"),
    params:
        **params_of("evaluate_mteb"),
    script:
        "../scripts/run.py"


rule evaluate_transfer:
    input:
        encoder=encoder_of_run,
        transfer="<results>/retrieve/transfer.parquet",
    output:
        scores="<results>/evaluate/transfer/{run}.parquet",
        predictions="<results>/evaluate/transfer/{run}-predictions.parquet",
    log:
        "<logs>/evaluate/transfer/{run}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_transfer")
    resources:
        **encoding_of("evaluate_transfer"),
    params:
        **params_of("evaluate_transfer"),
    script:
        "../scripts/run.py"


# Each job fine-tunes an encoder on one task and scores it there.
rule evaluate_fine_tuned:
    input:
        encoder=encoder_of_run,
        benchmarks=input_from(lambda project, task, **others: benchmarks_of_task(task)),
    output:
        scores="<results>/evaluate/fine_tuned/{fine_tuning}/{task}/{run}.parquet",
    log:
        "<logs>/evaluate/fine_tuned/{fine_tuning}/{task}/{run}.log",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("evaluate_fine_tuned")
    resources:
        **encoding_of("evaluate_fine_tuned"),
        state=state_of("evaluate_fine_tuned", "evaluate/fine_tuned/{fine_tuning}/{task}/{run}"),
        checkpoint_seconds=60,
    params:
        **params_of("evaluate_fine_tuned"),
    script:
        "../scripts/run.py"
