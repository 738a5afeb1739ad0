"""Trained encoders for others: the folder, what made it, and a model card."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from contrapose.forecast.dag import Job
from contrapose.publish.card import front_matter, loading_parts
from contrapose.publish.chain import Chain
from contrapose.publish.numbers import Numbers, numbers_of, score_parts
from contrapose.publish.runs import encoder_folder, runs_of
from contrapose.publish.sources import licence_of_encoder, sources
from contrapose.report.files import bullets, deviation_parts, joined, write_text
from contrapose.train.folders import own_pooling

NO_REAL_TEXT = (
    "This world makes its own text and small encoders: a test of the method, of no use for real text."
)


def write_encoders(draft: Path, chain: Chain, runs: Sequence[str], checkout: Mapping[str, object]) -> None:
    """Write the encoders of some runs below `encoders/` of a package that has its tables and scores.

    Parameters
    ----------
    draft : folder of the package
    chain : Chain
    runs : ids that `trained_runs` returned
    checkout : of `package.checkout_of`
    """
    for run in runs:
        job, folder = runs_of(chain)[run], draft / "encoders" / run
        shutil.copytree(encoder_folder(job), folder, ignore=shutil.ignore_patterns(".*"))
        jobs = [chain.record(each) for each in chain.behind(job)]
        content = {"checkout": dict(checkout), "run": run, "made by": chain.identity(job), "jobs": jobs}
        text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        write_text(text, folder / "provenance.json")
        write_text(model_card(chain, run, job, folder, numbers_of(run, draft)), folder / "README.md")


def model_card(chain: Chain, run: str, job: Job, folder: Path, numbers: Numbers) -> str:
    """Return the model card of an encoder: the hub's front matter, and what a user has to know.

    Parameters
    ----------
    chain : Chain
    run : str
    job : the run's training
    folder : Path
        The encoder.
    numbers : Numbers
        What the published tables and scores say of it.
    """
    plan = chain.plan
    name = f"contrapose-{run.replace('/', '-')}"
    settings = yaml.safe_dump(chain.record(job)["settings"], sort_keys=True, allow_unicode=True)
    generated = plan.world.mini is not None
    return joined(
        [
            front_matter(chain, job, name, numbers),
            f"# {name}",
            f"An encoder of sentences, trained by Contrapose in the world `{plan.world_name}` "
            f"({plan.world.description}). Run `{run}`: pair set, recipe, seed.",
            NO_REAL_TEXT if generated else "",
            "## What it was trained on",
            *_origin(chain, job),
            "## Settings",
            f"```yaml\n{settings}```",
            "`provenance.json` has every job behind it, with package versions and the digest of the code.",
            "## Scores",
            *score_parts(numbers, with_published=not generated),
            "## How to load it",
            *loading_parts(own_pooling(folder)),
            *_deviations(chain, numbers),
            "## Citation",
            bullets([*_cited(chain, numbers), "Contrapose: CITATION.cff of the project."]),
        ]
    )


def _origin(chain: Chain, job: Job) -> list[str]:
    """Say which encoder it started from, which texts it read, and under what terms."""
    role = chain.plan.recipe(job.wildcards["recipe"]).encoder
    base, terms = chain.plan.encoder(role), licence_of_encoder(chain.plan, role)
    pinned = f" at revision `{base.revision}`" if base.revision else ""
    read = [each for each in sources(chain.plan, chain.behind(job)) if each.kind != "encoder"]
    lines = [f"Base: `{terms.where}`{pinned}, in the role `{role}`. {base.note}"]
    lines += [f"{one.kind} `{one.name}`: {one.where} {one.revision} ({one.terms})" for one in read]
    return [
        bullets(lines),
        f"Licence: `{terms.licence}`, that of the base model ({terms.terms}). It does not cover the terms of "
        "the training data.",
    ]


def _studies(chain: Chain, numbers: Numbers) -> list[str]:
    return list(dict.fromkeys(chain.plan.tables[table][0] for table in numbers.tables))


def _cited(chain: Chain, numbers: Numbers) -> list[str]:
    studies = (chain.plan.studies[name] for name in _studies(chain, numbers))
    return [f"{study.title}. {study.source}." for study in studies]


def _deviations(chain: Chain, numbers: Numbers) -> list[str]:
    """Return the deviations of the tables that the run stands in."""
    parts: list[str] = []
    for study in (chain.plan.studies[name] for name in _studies(chain, numbers)):
        of_run = {name for name in study.tables if study.prefix + name in numbers.tables}
        concerned = [each for each in study.deviations if not each.tables or of_run & set(each.tables)]
        parts += deviation_parts(concerned)
    return parts
