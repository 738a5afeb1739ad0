"""A study from a hub on this machine, in the order of the README: check, fetch, plan, run.

`python -m benchmarks.drills.hub [STUDY [TARGET]]`: tiny files under the real names, commits and addresses;
`contrapose download` brings them; then the hub is closed, and with HF_HUB_OFFLINE=1 the study is checked and
planned, and a table (default: all of the study; of the thesis the one of all released encoders) is built.
Only scale, shapes and addresses of the catalog differ.  Dictionaries, which are put there by hand, are the
mini world's.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from contrapose.project import Project
from contrapose.settings.catalogs import MiniWorld
from contrapose.tools.needs import used_entries
from contrapose_mini.files import write_mini_world
from contrapose_mini.loopback import server as loopback
from tests.checkout import HOME, Checkout, checkout, environment
from tests.hub.downloads import write_downloads
from tests.hub.reading import set_hub
from tests.hub.repositories import HUB_CATALOG, SIMCSE, with_stand_ins, write_repositories
from tests.hub.server import Hub

SCALE = 0.00075  # 112 sentences for 150,000
TABLE = "results/tables/baselines.csv"
ANSWERS = {"gpt-6-luna": "divergent", "vicuna-13b-v1.3": "close"}  # who answers in the models' names


def main(study: str = "thesis", *targets: str) -> int:
    """Do it, print what each command said last, and return 1 if one failed or asked for what nobody has."""
    if not targets:
        targets = (TABLE if study == "thesis" else study,)
    needed = repositories(study)
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        folder = Path(place)
        write_mini_world(folder / "made", MiniWorld(seed=7, articles=82, pairs=6))
        write_repositories(folder / "hub", folder / "made", only=needed.__contains__)
        write_downloads(folder / "hub", folder / "made")
        copy = checkout(folder / "project", HOME / "config")
        patch.setenv("OPENAI_API_KEY", "of nobody")
        personas = {name: loopback.PERSONAS[persona] for name, persona in ANSWERS.items()}
        patch.setattr(loopback, "PERSONAS", personas)
        patch.setattr(loopback, "MODELS", tuple(personas))
        with loopback.endpoint() as endpoint:
            config = ["--config", "catalog=hub", f"endpoint={endpoint}", "bootstrap=100"]
            with Hub(folder / "hub", page=20) as hub:
                set_hub(patch, hub, folder / "home")
                with_stand_ins(copy.folder / "config/catalogs/hub.yaml", hub, SCALE)
                by_hand(copy.folder, folder / "made")
                said(copy, "check", *config, "--", study)
                codes = [said(copy, "fetch", *config, "--", study)]
                asked = {(each.path, each.status) for each in hub.requests if not each.known}
            patch.setenv("HF_HUB_OFFLINE", "1")
            codes += [said(copy, verb, *config, "--", study) for verb in ("check", "plan")]
            codes.append(said(copy, "run", *config, "--", *targets))
        print(
            (copy.folder / "config/catalogs/hub.lock").read_text(),
            f"Requests that no hub knows: {asked or 'none'}",
        )
    return int(any(codes) or bool(asked))


def repositories(study: str) -> set[str]:
    """Return the names of the data sets and models of the hub that a study needs."""
    used = used_entries(Project({"catalog": "hub", "studies": [study]}, HOME), [study])
    named = ("model", "dataset", "released")
    names = {getattr(each, name, None) for each in used for name in named}
    gpt2, scorer = HUB_CATALOG.language_models["gpt2"], HUB_CATALOG.encoders["scorer"]
    return {SIMCSE, HUB_CATALOG.articles.dataset, gpt2.model, scorer.model, *names}


def by_hand(project: Path, made: Path) -> None:
    """Put the two dictionaries there, which have no address."""
    (project / "dictionaries").mkdir(exist_ok=True)
    for name, source in (
        ("ppdb-2.0-xl-all", "ppdb/ppdb-2.0-mini-all"),
        ("ehimerppdb_0.10", "ehimerppdb/ehimerppdb-mini"),
    ):
        shutil.copyfile(made / f"{source}.gz", project / f"dictionaries/{name}.gz")


def said(copy: Checkout, *call: str) -> int:
    """Call a command in the copy, print its last lines, and return its exit code."""
    here = environment() | {"PYTHONPATH": str(copy.folder / "src")}
    command = [sys.executable, "-m", "contrapose", *call]
    done = subprocess.run(command, cwd=copy.folder, env=here, text=True, capture_output=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stdout + done.stderr).splitlines()
    print(
        f"$ contrapose {call[0]} {call[-1]}: exit code {done.returncode}",
        *lines[-30:],
        "",
        sep="\n",
        flush=True,
    )
    return done.returncode


if __name__ == "__main__":
    os.chdir(HOME)
    sys.exit(main(*sys.argv[1:]))
