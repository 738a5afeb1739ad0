# Score encoders.  A run is one trained here, PAIRS/RECIPE/seedN; a pretrained encoder, released/ROLE/POOLING
# (released/ROLE/seedN if fine-tuned); or the folder of `--config encoder=`.  Besides scores: how vectors lie
# on the sphere, the effect of meaningless length on cosines, and the cosines of given texts.

encoder_of_run = input_from(lambda project, run, **others: project.runs.scored(run).files)
# On these suites encoders are scored without fine-tuning.
SCORED_SUITES = "|".join(suite for suite in SUITES if suite not in FINE_TUNED_SUITES)
# Of each evaluation: its inputs beside the encoder, its outputs and log, and the resources that it alone has.
EVALUATIONS = {
    "suite": (
        {"benchmarks": project.paths.benchmarks("{suite}")},
        {
            "scores": "<results>/evaluate/{suite}/{run}.parquet",
            "cosines": "<results>/evaluate/{suite}/{run}-cosines.parquet",
        },
        {},
    ),
    "geometry": (
        {"benchmarks": project.paths.benchmarks("english")},
        {"geometry": "<results>/evaluate/geometry/{run}.parquet"},
        {},
    ),
    "length_bias": (
        {
            "benchmarks": input_from(
                lambda project, probe, run: benchmarks_of_task(project.entry("probes", probe).tasks[0])
            )
        },
        {"bias": "<results>/evaluate/length_bias/{probe}/{run}.parquet"},
        {},
    ),
    "edits": ({}, {"similarities": "<results>/evaluate/similarities/{table}/{run}.parquet"}, {}),
    "mteb": (
        {"files": input_from(lambda project, tasks, run: mteb_files.mteb_inputs(project, tasks))},
        {
            "scores": "<results>/evaluate/mteb/{tasks}/{run}.parquet",
            "results": directory("<results>/evaluate/mteb/{tasks}/{run}-results"),
        },
        {
            "mteb": lambda wildcards: canonical(mteb_files.mteb_folders(project, wildcards.tasks)),
            "state": state_of("evaluate_mteb", "evaluate/mteb/{tasks}/{run}"),
        },
    ),
    "transfer": (
        {"transfer": "<results>/retrieve/transfer.parquet"},
        {
            "scores": "<results>/evaluate/transfer/{run}.parquet",
            "predictions": "<results>/evaluate/transfer/{run}-predictions.parquet",
        },
        {},
    ),
    # Each job fine-tunes an encoder on one task and scores it there.
    "fine_tuned": (
        {"benchmarks": input_from(lambda project, task, **others: benchmarks_of_task(task))},
        {"scores": "<results>/evaluate/fine_tuned/{fine_tuning}/{task}/{run}.parquet"},
        {
            **checkpoints_of("evaluate_fine_tuned", "evaluate/fine_tuned/{fine_tuning}/{task}/{run}"),
        },
    ),
}

for step, (inputs, outputs, more) in EVALUATIONS.items():

    rule:
        name:
            f"evaluate_{step}"
        input:
            **inputs,
            encoder=encoder_of_run,
        output:
            **outputs,
        log:
            log_beside(outputs),
        wildcard_constraints:
            suite=SCORED_SUITES,
        conda:
            "../../envs/train.yaml"
        threads: threads_of(f"evaluate_{step}")
        resources:
            **encoding_of(f"evaluate_{step}"),
            **more,
        params:
            **params_of(f"evaluate_{step}"),
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
