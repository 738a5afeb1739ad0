# Read texts, evaluation sets and dictionaries into their tables, from files or from the hub.

if project.catalog.archive and not project.catalog.mini:

    rule retrieve_archive:
        output:
            data=directory(data_files.MADE),
        log:
            "<logs>/retrieve/archive.log",
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of("retrieve_archive"),
        params:
            **params_of("retrieve_archive"),
        script:
            "../scripts/run.py"


# One table each. Collections are further articles, by name, in the same form. The naive sets are the English
# ones as read by someone unaware of their pitfalls: only counted, never evaluated on. Dev pairs are a table of
# their own for trainings, which other test pairs must not repeat.
TABLES_OF_SOURCES = [
    ("articles", "articles", {"files": lambda project: data_files.inputs(project, "articles")}),
    (
        "collection",
        "collections/{collection}",
        {"files": lambda project, collection: data_files.inputs(project, "collections", collection)},
    ),
    ("benchmarks", "benchmarks/{suite}", {"files": suites.set_inputs, "made": suites.made_sets}),
    ("dev", "dev/{task}", {"files": suites.dev_inputs}),
    ("naive", "naive", {"files": lambda project: suites.set_inputs(project, "english")}),
    ("transfer", "transfer", {"files": suites.transfer_inputs}),
    (
        "triplet_files",
        "triplets/{source}",
        {"files": lambda project, source: data_files.inputs(project, "triplet_files", source)},
    ),
    ("recorded", "recorded/{llm}", {"files": lambda project, llm: data_files.inputs(project, "llms", llm)}),
]
if project.catalog.translator:
    TRANSLATED_SETS = {
        "benchmarks": lambda project: project.paths.benchmarks("chinese"),
        "translations": lambda project: project.llm_requests.translations_files(),
    }
    TABLES_OF_SOURCES.append(("translated", "benchmarks/translated", TRANSLATED_SETS))

for step, place, inputs in TABLES_OF_SOURCES:

    rule:
        name:
            f"retrieve_{step}"
        input:
            **{name: input_from(files) for name, files in inputs.items()},
        output:
            table=f"<results>/retrieve/{place}.parquet",
        log:
            f"<logs>/retrieve/{place}.log",
        wildcard_constraints:
            suite="|".join(
                suite for suite in SUITES if suite != "translated" or project.catalog.translator is None
            ),
        conda:
            "../../envs/data.yaml"
        resources:
            **resources_of(f"retrieve_{step}"),
            data=data_folder,
        params:
            **params_of(f"retrieve_{step}"),
        script:
            "../scripts/run.py"


# Test pairs for those who have none.
rule retrieve_made_pairs:
    input:
        unpack(input_from(lambda project, source: project.entry("made_pairs", source).inputs(project.paths))),
    output:
        table="<results>/retrieve/made_pairs/{source}.parquet",
    log:
        "<logs>/retrieve/made_pairs/{source}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_made_pairs"),
    params:
        **params_of("retrieve_made_pairs"),
    script:
        "../scripts/run.py"


rule retrieve_dictionary:
    input:
        files=input_from(lambda project, dictionary: data_files.inputs(project, "dictionaries", dictionary)),
    output:
        phrases="<results>/retrieve/dictionaries/{dictionary}/phrases.parquet",
        rules="<results>/retrieve/dictionaries/{dictionary}/rules.parquet",
        lines="<results>/retrieve/dictionaries/{dictionary}/lines.parquet",
    log:
        "<logs>/retrieve/dictionaries/{dictionary}.log",
    conda:
        "../../envs/data.yaml"
    resources:
        **resources_of("retrieve_dictionary"),
        data=data_folder,
    params:
        **params_of("retrieve_dictionary"),
    script:
        "../scripts/run.py"


# Models that need extra steps to be used: they are converted to ordinary folders, once.
rule retrieve_rinna:
    input:
        files=input_from(lambda project, **model: rinna(**model).read_by_jobs(project, model["role"])),
    output:
        model=directory("<results>/retrieve/{section}/{role}"),
    log:
        "<logs>/retrieve/{section}/{role}.log",
    wildcard_constraints:
        section="encoders|language_models",
    conda:
        "../../envs/train.yaml"
    threads: threads_of("retrieve_rinna")
    resources:
        **resources_of("retrieve_rinna"),
        device="cpu",
        source=input_from(lambda project, **model: rinna(**model).folder(project, model["role"])),
    params:
        **params_of("retrieve_rinna"),
    script:
        "../scripts/run.py"
