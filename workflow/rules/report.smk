# What people read beside tables and figures: claims and pages; and a rule for each study.


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
        **params_of("report_claims"),
    script:
        "../scripts/report/claims.py"


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
        **params_of("report_page"),
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
        **params_of("report_overview"),
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
