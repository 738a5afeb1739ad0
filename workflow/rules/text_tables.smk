# Tables of what is counted of texts, pairs and sets, and of the machine.


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
        **params_of("report_prompt_table"),
    script:
        "../scripts/report/prompt_table.py"


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
        **params_of("report_statistics_table"),
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
        **params_of("report_identification_table"),
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
        **params_of("report_prefix_words_table"),
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
        **params_of("report_examples_table"),
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
        **params_of("report_sizes_table"),
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
        **params_of("report_rewrites_table"),
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
        **params_of("report_linguistics_table"),
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
        **params_of("report_machine_table"),
    script:
        "../scripts/report/machine_table.py"
