"""Say what the jobs that still have to run take: jobs, requests, tokens, USD, hours, disk."""

import argparse
import sys
from collections import Counter
from operator import attrgetter
from pathlib import Path

import pandas as pd

from contrapose.errors import ContraposeError
from contrapose.generate.progress import usd
from contrapose.project import Project
from contrapose.project.given import given_config
from contrapose.tools.jobs import planned_jobs
from contrapose.tools.plan.asking import asked
from contrapose.tools.plan.call import Call
from contrapose.tools.plan.disk import disk
from contrapose.tools.plan.work import RATES, WORKS, hours

HOME = Path(__file__).parents[4]  # the checkout that this runs from
GIGA = 1e9
FORMATS = {"requests": "{:,.0f}".format, "tokens": "{:,.0f}".format, "cost": usd, "at most": usd}
FORMATS |= {"hours": "{:,.2f}".format, "GB": "{:,.2f}".format}


def main(arguments: list[str] | None = None) -> None:
    """Print the plan; exit with a message if the settings or the targets are wrong."""
    parser = argparse.ArgumentParser(prog="python -m contrapose.tools.plan", description=__doc__)
    config, device = "as for snakemake --config", "whose hours are counted: a GPU's, or those of one core"
    parser.add_argument("--config", nargs="*", default=[], metavar="key=value", help=config)
    parser.add_argument("--device", choices=RATES, default="a100", help=device)
    parser.add_argument("--everything", action="store_true", help="also what is made already")
    parser.add_argument(
        "targets", nargs="*", help="behind --: files or studies (default: the chosen studies)"
    )
    given = parser.parse_args(arguments)
    try:
        settings = given_config(given.config)
        project = Project(settings, HOME)
        targets = given.targets or list(project.studies)
        call = Call(project, planned_jobs(settings, HOME, targets, given.everything))
        print(f"{', '.join(targets)} in world {project.world_name}, seeds: {len(project.seeds)}\n")
        print(plan(call, given.device) if call.jobs else "Everything is made: no job would run.")
    except ContraposeError as error:
        sys.exit(f"{error}")


def plan(call: Call, device: str) -> str:
    """Return all tables as text.  `device` is a key of RATES."""
    jobs = pd.DataFrame(sorted(Counter(job.rule for job in call.jobs).items()), columns=["rule", "jobs"])
    estimate = attrgetter("requests", "tokens", "dollars", "at_most")
    questions = [(one.llm, one.prompt, one.corpus, *estimate(one.estimate), one.hours) for one in asked(call)]
    names = ["llm", "prompt", "corpus", "requests", "tokens", "cost", "at most", "hours"]
    work = [(job.rule, hours(call, job, device)) for job in call.jobs if job.rule in WORKS]
    by_rule = pd.DataFrame(work, columns=["rule", "hours"]).astype({"hours": float}).groupby("rule").hours
    counted = by_rule.agg(jobs="size", unknown=lambda each: each.isna().sum(), hours="sum").reset_index()
    sizes = [(what, size / GIGA) for what, size in disk(call).items()]
    tables = {
        "Jobs": jobs,
        "Language models behind endpoints": pd.DataFrame(questions, columns=names).astype({"hours": float}),
        f"Training and other work of models, hours of one {device}": counted,
        "Disk": pd.DataFrame(sizes, columns=["files", "GB"]),
    }
    return "\n\n".join(f"{title}\n{_summed(table)}" for title, table in tables.items() if len(table))


def _summed(table: pd.DataFrame) -> str:
    """Return a table as text, with a row of its sums; nothing that is not known is in a sum."""
    every = {name: column.sum() if column.dtype.kind in "if" else "" for name, column in table.items()}
    every[table.columns[0]] = "all"
    return pd.concat([table, pd.DataFrame([every])]).to_string(index=False, na_rep="?", formatters=FORMATS)


if __name__ == "__main__":
    main()
