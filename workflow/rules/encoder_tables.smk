# Tables of what encoders score.


rule report_sts_table:
    input:
        scores=input_from(
            lambda table: [
                f"<results>/evaluate/{project.suite_of(table)}/{run}.parquet"
                for run in project.runs_of(table)
            ]
        ),
        benchmarks=input_from(project.scored_sets_inputs),
        histories=input_from(project.trained_history_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("sts")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_sts_table"),
    script:
        "../scripts/report/sts_table.py"


rule report_transfer_table:
    input:
        scores=input_from(
            lambda table: [
                f"<results>/evaluate/transfer/{run}.parquet"
                for run in project.runs_of(table)
            ]
        ),
        benchmarks="<results>/retrieve/transfer.parquet",
        histories=input_from(project.trained_history_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("transfer")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_transfer_table"),
    script:
        "../scripts/report/sts_table.py"


rule report_fine_tuned_table:
    input:
        scores=input_from(project.fine_tuned_inputs),
        benchmarks=input_from(project.scored_sets_inputs),
        histories=input_from(project.trained_history_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("fine_tuned")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_fine_tuned_table"),
    script:
        "../scripts/report/sts_table.py"


rule report_question_lengths_table:
    input:
        predictions=input_from(
            lambda table: [
                f"<results>/evaluate/transfer/{run}-predictions.parquet"
                for run in project.runs_of(table)
            ]
        ),
        transfer="<results>/retrieve/transfer.parquet",
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("question_lengths")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_question_lengths_table"),
    script:
        "../scripts/report/question_lengths_table.py"


rule report_geometry_table:
    input:
        geometry=input_from(
            lambda table: [
                f"<results>/evaluate/geometry/{run}.parquet"
                for run in project.runs_of(table)
            ]
        ),
        benchmarks=benchmarks_of("english"),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("geometry")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_geometry_table"),
    script:
        "../scripts/report/geometry_table.py"


rule report_lengths_table:
    input:
        cosines=input_from(
            lambda table: [
                f"<results>/evaluate/{project.suite_of(table)}/{run}-cosines.parquet"
                for run in project.runs_of(table)
            ]
        ),
        benchmarks=input_from(project.scored_sets_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("lengths")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_lengths_table"),
    script:
        "../scripts/report/lengths_table.py"


rule report_length_bias_table:
    input:
        bias=input_from(project.length_bias_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("length_bias")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_length_bias_table"),
    script:
        "../scripts/report/length_bias_table.py"


rule report_similarities_table:
    input:
        similarities=input_from(
            lambda table: [
                f"<results>/evaluate/similarities/{table}/{run}.parquet"
                for run in project.runs_of(table)
            ]
        ),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("similarities")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_similarities_table"),
    script:
        "../scripts/report/similarities_table.py"


rule report_settings_table:
    input:
        histories=input_from(project.history_inputs),
        scores=input_from(project.selection_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("settings")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_settings_table"),
    script:
        "../scripts/report/settings_table.py"


rule report_score_table:
    input:
        scores="<results>/evaluate/english/folder.parquet",
        benchmarks=benchmarks_of("english"),
    output:
        csv="<results>/tables/score.csv",
    log:
        "<logs>/report/score.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        **params_of("report_score_table"),
    script:
        "../scripts/report/score_table.py"
