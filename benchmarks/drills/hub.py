"""All of the thesis from a hub on this machine, then its plans and first jobs without a network.

`python -m benchmarks.drills.hub [TARGET]`: tiny files under the real names and commits; `contrapose fetch`
brings them; then the hub is closed, and with HF_HUB_OFFLINE=1 every study is planned and a table (default:
the one of all released encoders) is built.  Only scale, shapes and Punkt of the world differ.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from contrapose.project import Project
from contrapose.settings.worlds import MiniWorld
from contrapose.tools.needs import used_entries
from contrapose_mini.files import write_mini_world
from contrapose_mini.loopback import server as loopback
from tests.checkout import HOME, Checkout, checkout, environment
from tests.hub.reading import set_hub
from tests.hub.repositories import HUB_WORLD, SIMCSE, with_stand_ins, write_repositories
from tests.hub.server import Hub

SCALE = 0.00075  # 112 sentences for 150,000
TABLE = "results/tables/baselines.csv"
ANSWERS = {"gpt-6-luna": "divergent", "vicuna-13b-v1.3": "close"}  # who answers in the models' names


def main(targets: list[str]) -> int:
    """Do it, print what each command said last, and return 1 if one failed or asked for what nobody has."""
    project = Project({"world": "hub"}, HOME)
    used = used_entries(project, ["thesis"])
    names = {each.model for each in used if hasattr(each, "model")} | {HUB_WORLD.encoders["scorer"].model}
    needed = {SIMCSE, HUB_WORLD.articles.dataset, HUB_WORLD.language_models["gpt2"].model, *names}
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        folder = Path(place)
        write_mini_world(folder / "made", MiniWorld(seed=7, articles=82, pairs=6))
        write_repositories(folder / "hub", folder / "made", only=needed.__contains__)
        copy = checkout(folder / "project", HOME / "config")
        patch.setenv("OPENAI_API_KEY", "of nobody")
        personas = {name: loopback.PERSONAS[persona] for name, persona in ANSWERS.items()}
        patch.setattr(loopback, "PERSONAS", personas)
        patch.setattr(loopback, "MODELS", tuple(personas))
        with loopback.endpoint() as endpoint:
            config = ["--config", "world=hub", f"endpoint={endpoint}", "bootstrap=100"]
            with Hub(folder / "hub", page=20) as hub:
                set_hub(patch, hub, folder / "home")
                with_stand_ins(copy.folder / "config/worlds/hub.yaml", hub, SCALE)
                codes = [said(copy, "fetch", *config, "--", "thesis")]
                asked = {(each.path, each.status) for each in hub.requests if not each.known}
            patch.setenv("HF_HUB_OFFLINE", "1")
            codes.append(said(copy, "plan", *config))
            codes.append(said(copy, "run", *config, "--", *(targets or [TABLE])))
        print(
            (copy.folder / "config/worlds/hub.lock").read_text(),
            f"Requests that no hub knows: {asked or 'none'}",
        )
    return int(any(codes) or bool(asked))


def said(copy: Checkout, *call: str) -> int:
    """Call a command in the copy, print its last lines, and return its exit code."""
    here = environment() | {"PYTHONPATH": str(copy.folder / "src")}
    command = [sys.executable, "-m", "contrapose", *call]
    done = subprocess.run(command, cwd=copy.folder, env=here, text=True, capture_output=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stdout + done.stderr).splitlines()
    print(
        f"$ contrapose {call[0]} {call[-1]}: exit code {done.returncode}",
        *lines[-12:],
        "",
        sep="\n",
        flush=True,
    )
    return done.returncode


if __name__ == "__main__":
    os.chdir(HOME)
    sys.exit(main(sys.argv[1:]))
