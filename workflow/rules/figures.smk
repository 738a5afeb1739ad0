# Figures: of sets, of judged texts and of tables.


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
        **params_of("report_histogram"),
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
        **params_of("report_scatter"),
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
        **params_of("report_curve"),
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
        **params_of("report_calibration"),
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
        **params_of("report_tenths"),
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
        **params_of("report_differences"),
    script:
        "../scripts/report/differences.py"
