# Every strategy makes a table of pairs; the trainer reads it without knowing the strategy.

for kind, module in STRATEGIES.items():

    rule:
        name:
            f"pairs_{kind}"
        input:
            unpack(input_from(lambda project, pairs: inputs_of(project.pairs(pairs), project.paths))),
        output:
            pairs="<results>/pairs/{pairs}.parquet",
        log:
            "<logs>/pairs/{pairs}.log",
        wildcard_constraints:
            pairs=of_kind(kind, project.recipes.pairs),
        conda:
            "../../envs/data.yaml"
        resources:
            **{**resources_of(f"pairs_{kind}"), "step": module.__name__},
        params:
            **params_of(f"pairs_{kind}"),
        script:
            "../scripts/run.py"


# Makes nothing: for an unknown pair set, the error lists the known ones.
rule pairs_unknown:
    input:
        input_from(lambda project, pairs: project.pairs(pairs).kind),
    output:
        "<results>/pairs/{pairs}.parquet",
    wildcard_constraints:
        pairs=unlike(project.recipes.pairs),
