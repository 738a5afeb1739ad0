# What people read: tables, figures and claims; and a rule for each study.


for kind, module in TABLES.items():

    rule:
        name:
            f"report_{kind}_table"
        input:
            unpack(input_from(shown_inputs)),
        output:
            **{
                name: f"<results>/tables/{{table}}.{end}"
                for name, end in [("plot", "png"), ("svg", "svg")]
                if settings_class(module).plotted
            },
            csv="<results>/tables/{table}.csv",
            parquet="<results>/tables/{table}.parquet",
            markdown="<results>/tables/{table}.md",
            latex="<results>/tables/{table}.tex",
        log:
            "<logs>/report/{table}.log",
        wildcard_constraints:
            table=shown_of_kind(kind, project.tables),
        localrule: True
        conda:
            "../../envs/data.yaml"
        resources:
            step=module.__name__,
            costs=costs_of_rows,
        params:
            **params_of(f"report_{kind}_table"),
        script:
            "../scripts/run.py"


for kind, module in FIGURES.items():

    rule:
        name:
            f"report_{kind}"
        input:
            unpack(input_from(shown_inputs)),
        output:
            pdf="<results>/figures/{figure}.pdf",
            png="<results>/figures/{figure}.png",
            svg="<results>/figures/{figure}.svg",
            parquet="<results>/figures/{figure}.parquet",
        log:
            "<logs>/report/{figure}.log",
        wildcard_constraints:
            figure=shown_of_kind(kind, project.figures),
        localrule: True
        conda:
            "../../envs/data.yaml"
        resources:
            step=module.__name__,
        params:
            **params_of(f"report_{kind}"),
        script:
            "../scripts/run.py"


# The folder of `--config encoder=` on the English sets.
rule report_score_table:
    input:
        scores="<results>/evaluate/english/folder.parquet",
        benchmarks=project.paths.benchmarks("english"),
    output:
        csv="<results>/tables/score.csv",
    log:
        "<logs>/report/score.log",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        step="contrapose.report.score_table",
    params:
        **params_of("report_score_table"),
    script:
        "../scripts/run.py"


rule report_claims_table:
    input:
        unpack(input_from(pages.claims_inputs)),
    output:
        csv="<results>/claims/{study}.csv",
        parquet="<results>/claims/{study}.parquet",
        markdown="<results>/claims/{study}.md",
    log:
        "<logs>/report/claims-{study}.log",
    wildcard_constraints:
        study="|".join(filter(project.files.claims, project.studies)) or "none",
    localrule: True
    conda:
        "../../envs/data.yaml"
    resources:
        step="contrapose.report.claims_table",
    params:
        **params_of("report_claims_table"),
    script:
        "../scripts/run.py"


# Make nothing: for an unknown table or figure, the error lists the known ones.
rule report_unknown:
    input:
        input_from(lambda project, table: reports.no_files(project, "tables", table)),
    output:
        "<results>/tables/{table}.csv",
    wildcard_constraints:
        table=unlike([*project.tables, "score"]),


rule report_unknown_figure:
    input:
        input_from(lambda project, figure: reports.no_files(project, "figures", figure)),
    output:
        "<results>/figures/{figure}.pdf",
    wildcard_constraints:
        figure=unlike(project.figures),


for study in project.studies:

    rule:
        name:
            study
        input:
            pages.reports_of(project, study),
            cost_of_answers if len(project.studies) == 1 else [],  # it is about all chosen studies
