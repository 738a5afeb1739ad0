# What people read: the tables of the studies, and the scores of any encoder.


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
        settings=settings_of("report_sts_table"),
        code=code_of("report_sts_table"),
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
        settings=settings_of("report_transfer_table"),
        code=code_of("report_transfer_table"),
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
        settings=settings_of("report_fine_tuned_table"),
        code=code_of("report_fine_tuned_table"),
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
        settings=settings_of("report_question_lengths_table"),
        code=code_of("report_question_lengths_table"),
    script:
        "../scripts/report/question_lengths_table.py"


rule report_prompt_table:
    input:
        sentences=input_from(
            lambda table: project.score_table_inputs(table, "sentences")
        ),
        slots=input_from(lambda table: project.score_table_inputs(table, "slots")),
        parascores=input_from(
            lambda table: project.score_table_inputs(table, "parascores")
        ),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("prompts")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_prompt_table"),
        code=code_of("report_prompt_table"),
    script:
        "../scripts/report/prompt_table.py"


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
        settings=settings_of("report_geometry_table"),
        code=code_of("report_geometry_table"),
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
        settings=settings_of("report_lengths_table"),
        code=code_of("report_lengths_table"),
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
        settings=settings_of("report_length_bias_table"),
        code=code_of("report_length_bias_table"),
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
        settings=settings_of("report_similarities_table"),
        code=code_of("report_similarities_table"),
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
        settings=settings_of("report_settings_table"),
        code=code_of("report_settings_table"),
    script:
        "../scripts/report/settings_table.py"


rule report_statistics_table:
    input:
        benchmarks=benchmarks_of("english"),
        naive=input_from(
            lambda table: project.counting_inputs(
                table, "<results>/retrieve/naive.parquet"
            )
        ),
        punkt=input_from(
            lambda table: project.counting_inputs(
                table, "<results>/corpus/punkt.parquet"
            )
        ),
        corpora=input_from(project.statistics_corpora_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("statistics")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_statistics_table"),
        code=code_of("report_statistics_table"),
    script:
        "../scripts/report/statistics_table.py"


rule report_identification_table:
    input:
        held_out=input_from(project.identification_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("identification")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_identification_table"),
        code=code_of("report_identification_table"),
    script:
        "../scripts/report/identification_table.py"


rule report_prefix_words_table:
    input:
        pairs=input_from(project.shown_pairs_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("prefix_words")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_prefix_words_table"),
        code=code_of("report_prefix_words_table"),
    script:
        "../scripts/report/prefix_words_table.py"


rule report_examples_table:
    input:
        pairs=input_from(project.shown_pairs_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("examples")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_examples_table"),
        code=code_of("report_examples_table"),
    script:
        "../scripts/report/examples_table.py"


rule report_sizes_table:
    input:
        pairs=input_from(project.sizes_pairs_inputs),
        benchmarks=input_from(project.scored_sets_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("sizes")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_sizes_table"),
        code=code_of("report_sizes_table"),
    script:
        "../scripts/report/sizes_table.py"


rule report_rewrites_table:
    input:
        statistics=input_from(project.rewrite_statistics_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
        plot="<results>/tables/{table}.png",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("rewrites")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_rewrites_table"),
        code=code_of("report_rewrites_table"),
    script:
        "../scripts/report/rewrites_table.py"


rule report_linguistics_table:
    input:
        linguistics=input_from(project.linguistics_inputs),
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("linguistics")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_linguistics_table"),
        code=code_of("report_linguistics_table"),
    script:
        "../scripts/report/linguistics_table.py"


rule report_machine_table:
    input:
        published=input_from(project.published_inputs),
    output:
        csv="<results>/tables/{table}.csv",
        parquet="<results>/tables/{table}.parquet",
        markdown="<results>/tables/{table}.md",
    log:
        "<logs>/report/{table}.log",
    wildcard_constraints:
        table="|".join(project.tables_of_kind("machine")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_machine_table"),
        code=code_of("report_machine_table"),
    script:
        "../scripts/report/machine_table.py"


rule report_histogram:
    input:
        benchmarks=benchmarks_of("english"),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("histogram")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_histogram"),
        code=code_of("report_histogram"),
    script:
        "../scripts/report/histogram.py"


rule report_scatter:
    input:
        table=input_from(project.shown_table),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("scatter")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_scatter"),
        code=code_of("report_scatter"),
    script:
        "../scripts/report/scatter.py"


rule report_curve:
    input:
        tables=input_from(project.curve_inputs),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("curve")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_curve"),
        code=code_of("report_curve"),
    script:
        "../scripts/report/curve.py"


rule report_calibration:
    input:
        held_out=input_from(project.calibration_inputs),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("calibration")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_calibration"),
        code=code_of("report_calibration"),
    script:
        "../scripts/report/calibration.py"


rule report_tenths:
    input:
        tenths=input_from(project.tenths_inputs),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("tenths")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_tenths"),
        code=code_of("report_tenths"),
    script:
        "../scripts/report/tenths.py"


rule report_differences:
    input:
        table=input_from(project.shown_table),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
        svg="<results>/figures/{figure}.svg",
        parquet="<results>/figures/{figure}.parquet",
    log:
        "<logs>/report/{figure}.log",
    wildcard_constraints:
        figure="|".join(project.figures_of_kind("differences")) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_differences"),
        code=code_of("report_differences"),
    script:
        "../scripts/report/differences.py"


rule report_claims:
    input:
        tables=input_from(project.claimed_table_inputs),
        histories=input_from(project.claimed_history_inputs),
        published=input_from(project.claimed_published_inputs),
    output:
        csv="<results>/claims/{study}.csv",
        parquet="<results>/claims/{study}.parquet",
        markdown="<results>/claims/{study}.md",
    log:
        "<logs>/report/claims-{study}.log",
    wildcard_constraints:
        study="|".join(project.studies_with_claims) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_claims"),
        code=code_of("report_claims"),
    script:
        "../scripts/report/claims.py"


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
        settings=settings_of("report_score_table"),
        code=code_of("report_score_table"),
    script:
        "../scripts/report/score_table.py"


# The pages of the report: of what is built, nothing else is made for them.
rule report_page:
    input:
        numbers="<results>/{kind}/{name}.parquet",
        text=input_from(project.page_text_inputs),
        plot=input_from(project.page_plot_inputs),
    output:
        page=report(
            "<results>/pages/{kind}/{name}.html",
            caption="../report/page.rst",
            category=input_from(project.study_of),
            subcategory="{kind}",
            labels={"name": "{name}"},
        ),
    log:
        "<logs>/report/page-{kind}-{name}.log",
    wildcard_constraints:
        kind="tables|figures|claims",
        name=r"[^/]+",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_page"),
        code=code_of("report_page"),
    script:
        "../scripts/report/page.py"


rule report_overview:
    input:
        results=built(
            f"<results>/{kind}/{name}.parquet"
            for study in project.studies
            for kind, name in project.results_of(study)
        ),
        histories=built(project.history_files()),
        cost=built(["<results>/generate/cost.parquet"]),
    output:
        page=report(
            "<results>/pages/overview.html",
            caption="../report/overview.rst",
            category="All studies",
            labels={"name": "overview"},
        ),
    log:
        "<logs>/report/overview.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        settings=settings_of("report_overview"),
        code=code_of("report_overview"),
    script:
        "../scripts/report/overview.py"


# Makes nothing: asked for a table that is not there, it says which there are.
rule report_unknown:
    input:
        input_from(project.published_inputs),
    output:
        "<results>/tables/{table}.csv",
    wildcard_constraints:
        table=unlike([*project.tables, "score"]),


rule report_unknown_figure:
    input:
        input_from(project.figure_inputs),
    output:
        "<results>/figures/{figure}.pdf",
    wildcard_constraints:
        figure=unlike(project.figures),


for study in project.studies:

    rule:
        name:
            study
        input:
            reports_of(study),
