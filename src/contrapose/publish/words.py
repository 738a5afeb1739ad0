"""What a package says of itself: README.md and deviations.md."""

from collections.abc import Mapping, Sequence

from contrapose.publish.chain import Chain
from contrapose.publish.sources import Source
from contrapose.report.files import bullets, deviation_parts, joined
from contrapose.verify import Finding

OWN_TEXT = "It makes its own text, so its numbers do not compare with any paper's."
# Seen with frictionless 5.21.
CHECKER_NOTE = (
    "frictionless 5 counts no bytes of Parquet files and reads their empty whole numbers as `nan`, and it "
    "takes a `tokenizer_config.json` for a report of its own. So it reports `byte-count` and `type-error` of "
    "`nan` for the former and `report-error` for the latter; it must report nothing else."
)


def readme(
    chain: Chain,
    checkout: Mapping[str, object],
    read: Sequence[Source],
    left_out: Sequence[str],
    stale: Sequence[Finding],
    encoders: Sequence[str],
) -> str:
    """Return README.md of a package.

    Parameters
    ----------
    chain : Chain
    checkout : mapping
        `commit` and `changed`, see `package.checkout_of`.
    read : Sources
        What went in.
    left_out : list of str
        What is not in the package, and why.
    stale : Findings
        What is published although it is stale; empty in the usual case.
    encoders : list of str
        Runs whose encoders are in the package.
    """
    return joined(
        [
            *_about(chain),
            *_warning(stale),
            "## What is in it",
            _contents(encoders),
            bullets([f"`{name}`: {title}" for name, title in titles(chain).items()]),
            *(["Not in it:", bullets(left_out)] if left_out else []),
            "## How it was made",
            *_commands(chain, checkout),
            "## How to check it",
            "    sha256sum --check --quiet SHA256SUMS\n    pip install 'frictionless[parquet]'\n"
            "    frictionless validate datapackage.json",
            CHECKER_NOTE,
            "In the checkout that made it, `make verify` holds every result against settings and code, and "
            "`make publish` writes this folder again: equal results give equal bytes.",
            "## Terms",
            "Tables, figures and text of this package: Apache-2.0 (`LICENSE`). What went in has terms of its "
            "own; `licences.csv` lists them as far as we know them. `unknown` means that we found none, not "
            "that there are none.",
            bullets([f"{one.kind} `{one.name}`, {one.where}: {one.terms} ({one.licence})" for one in read]),
        ]
    )


def _about(chain: Chain) -> list[str]:
    plan = chain.plan
    seeds = f"{len(plan.seeds)} training{'s' if len(plan.seeds) > 1 else ''} per run"
    numbers = ", ".join(map(str, plan.seeds))
    return [
        f"# Results of Contrapose in the world `{plan.world_name}`",
        f"World: {plan.world.description}. {OWN_TEXT if plan.world.mini else ''}",
        f"Studies: {', '.join(chain.studies)}. {seeds} (seed {numbers}).",
    ]


def _warning(stale: Sequence[Finding]) -> list[str]:
    if not stale:
        return []
    lines = [f"{one.kind}: `{one.path.name}`, {one.reason}" for one in stale]
    return ["**Published with --allow-stale.** These are not what settings and code give:", bullets(lines)]


def _contents(encoders: Sequence[str]) -> str:
    lines = [
        "`tables/`: as printed (`.csv`, `.md`, `.png`), and tidy with n, seeds and intervals (`.parquet`)",
        "`figures/`, `claims/`: likewise; a claim is a sentence of a paper and what our tables say of it",
        "`scores/`: every score behind the tables, with its bootstrap interval",
        "`deviations.md`: where we differ from the papers, or where they are open",
        "`config/`: the settings",
        "`provenance.json`: every job behind a table, with settings, digest of the code, package versions, "
        "inputs",
        "`datapackage.json`: a Data Package (datapackage.org): every file, and what each column means",
    ]
    return bullets([*lines, *(f"`encoders/{run}/`: an encoder with its model card" for run in encoders)])


def titles(chain: Chain) -> dict[str, str]:
    """Return table, figure or claims: what it shows."""
    plan = chain.plan
    captions = {f"tables/{name}": table.caption for name, (_, table) in plan.tables.items()}
    captions |= {f"figures/{name}": figure.caption for name, (_, figure) in plan.figures.items()}
    captions |= {f"claims/{name}": f"Claims of: {study.title}" for name, study in plan.studies.items()}
    return {name: " ".join(captions[name].split()) for name in chain.targets}


def _commands(chain: Chain, checkout: Mapping[str, object]) -> list[str]:
    commit = checkout["commit"] or "(not known: it was no git checkout)"
    changed = " The checkout had changes that were not committed." if checkout["changed"] else ""
    targets = [chain.shown(path) for path in chain.targets.values()]
    return [
        f"Contrapose at commit `{commit}`.{changed} Its settings are in `config/` here: put them into "
        f"`config/` of the checkout, `world.yaml` as `worlds/{chain.plan.world_name}.yaml`. What belongs to "
        "one machine (data, endpoint, device, shards) is not in them.",
        "    make setup\n    .venv/bin/snakemake --cores all \\\n        " + " \\\n        ".join(targets),
    ]


def deviations(chain: Chain) -> str:
    """Return deviations.md: those of all studies that are published."""
    studies = (chain.plan.studies[name] for name in chain.studies)
    parts = [
        part
        for study in studies
        for part in (f"# {study.title}", f"Source: {study.source}.", *deviation_parts(study.deviations))
    ]
    return joined(parts)
