"""Strategies and losses of a person's own: files beside `config/`, and a package that is installed."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tests.checkout
from contrapose.tables import HISTORY, NEIGHBOURS, PAIRS, read_provenance, read_table
from tests.checkout import HOME, environment, forked_snakemake, planned, snakemake
from tests.workflow.test_new_kinds import BLOCKS

SWAPPING = BLOCKS["src/contrapose/pairs/swapping.py"]
LOSS = '''"""Cosines of anchors and positives alone."""

from torch.nn.functional import cosine_similarity

from contrapose.train.rows import RowIds
from contrapose.train.losses.loss_settings import LossSettings, Sides


class Attraction(LossSettings):
    """The cosine of each pair should be high."""

    pull: float = 1.0


def build(spec: Attraction, sides: Sides, rows: RowIds):
    return -spec.pull * cosine_similarity(sides[:, 0], sides[:, 1]).mean()
'''
WORDS = "def words_of(text: str) -> list[str]:\n    return text.split()\n\n\ndef unused():\n    return 0\n"
WITH_HELPER = SWAPPING.replace("text.split()", "words_of(text)").replace(
    "from contrapose.base.seeds", "from {helper} import words_of\nfrom contrapose.base.seeds"
)
PAIRS_FILE = "results/pairs/swapped+rate=0.5.parquet"
PLAIN = "results/pairs/dropout.parquet"
WORDS_TABLE = {"kind": "statistics", "statistic": "words_per_sentence", "caption": "Words."}
SIZES, ANIMALS = ("big", "red", "old"), ("cat", "dog", "bird")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project of one's own with sentences, and an entry of a kind that is not there yet."""
    files = {
        "config.yaml": {"catalog": "own", "studies": ["own"], "data": "data"},
        "catalogs/own.yaml": {
            **{
                "description": "sentences",
                "benchmarks": {},
                "sentence_files": {"mine": {"path": "mine.txt"}},
            },
            "encoders": {"bert-base": {"path": str(HOME / "resources/mini/encoders/bert-base")}},
        },
        "recipes.yaml": {
            "corpora": {"mine": {"kind": "published", "file": "mine"}},
            "pairs": {
                "dropout": {"kind": "dropout", "corpus": "mine"},
                "swapped": {"kind": "swapping", "corpus": "mine"},
            },
            "recipes": {"plain": {"batch_size": 4, "dev": None, "max_length": 12}},
        },
        "studies/own/study.yaml": {
            **{"title": "Own", "source": "no paper", "prefix": "own_"},
            "tables": {"words": {**WORDS_TABLE, "rows": [{"label": "mine", "corpus": "mine"}]}},
        },
    }
    for name, content in files.items():
        write(tmp_path / "config" / name, yaml.safe_dump(content))
    write(tmp_path / "data/mine.txt", "\n".join(f"the {size} {one} sat" for size in SIZES for one in ANIMALS))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def call(folder: Path, *arguments: str, package: Path | None = None, check: bool = True) -> str:
    """Return what Snakemake says in a folder, with a package installed."""
    arguments = ("--snakefile", str(HOME / "Snakefile"), "--cores", "1", *arguments)
    if package is None:
        return forked_snakemake(folder, *arguments, check=check).stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tests.checkout, "environment", lambda: environment() | {"PYTHONPATH": str(package)})
        return snakemake(folder, *arguments, check=check).stdout


def jobs(folder: Path, *targets: str, **more) -> dict[str, int]:
    return planned(call(folder, "--dry-run", *targets, **more))


def installed(folder: Path, helper: str = WORDS) -> Path:
    """Write what pip would: a package with a strategy, its helper, and its entry point."""
    write(folder / "my_pairs/__init__.py", "")
    write(folder / "my_pairs/words.py", helper)
    write(folder / "my_pairs/swap.py", WITH_HELPER.format(helper=".words"))
    about = folder / "my_pairs-1.0.dist-info"
    write(about / "METADATA", "Metadata-Version: 2.1\nName: my-pairs\nVersion: 1.0\n")
    write(about / "entry_points.txt", "[contrapose.strategies]\nswapping = my_pairs.swap\n")
    return folder


@pytest.mark.slow
def test_a_file_beside_the_config_is_a_strategy_and_its_edits_rerun_its_pairs_alone(own: Path):
    write(own / "strategies/swapping.py", WITH_HELPER.format(helper="contrapose.pairs._words"))
    write(own / "strategies/_words.py", WORDS)
    call(own, PAIRS_FILE, PLAIN)
    pairs = read_table(own / PAIRS_FILE, PAIRS)
    assert pairs.positive.str.split().map(sorted).equals(pairs.anchor.str.split().map(sorted))
    assert (pairs.positive != pairs.anchor).any()
    assert jobs(own, PAIRS_FILE, PLAIN) == {}
    write(own / "strategies/_words.py", WORDS.replace("return 0", "return 1"))  # nothing reaches it
    assert jobs(own, PAIRS_FILE, PLAIN) == {}
    write(own / "strategies/_words.py", WORDS.replace("text.split()", "text.lower().split()"))
    assert jobs(own, PAIRS_FILE, PLAIN) == {"pairs_swapping": 1}


RUNS = "__import__('pathlib').Path('ran').touch()\n"  # what a module beside config/ does when it is imported
SHADOWING = ("json", "queue", "random", "re", "snakemake", "types", "yaml", "numpy", "pandas")


@pytest.mark.slow
def test_a_run_imports_strategies_and_no_other_file_of_the_folder_and_reads_no_profile_of_it(own: Path):
    write(own / "strategies/swapping.py", SWAPPING)
    for folder in ("", ".snakemake/scripts"):
        for name in SHADOWING:
            write(own / folder / f"{name}.py", RUNS)
    write(own / "profiles/default/config.yaml", f"__use_yte__: true\nprintshellcmds: ?{RUNS}")
    command = [sys.executable, "-P", "-m", "contrapose", "run", "--cores", "1", "--", PAIRS_FILE]
    done = subprocess.run(command, cwd=own, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(read_table(own / PAIRS_FILE, PAIRS))
    assert not (own / "ran").exists()
    assert "profiles/default of this folder is not read" in done.stderr


@pytest.mark.slow
def test_an_installed_package_has_a_strategy(own: Path, tmp_path: Path):
    package = installed(tmp_path / "packages")
    call(own, PAIRS_FILE, PLAIN, package=package)
    assert read_provenance(own / PAIRS_FILE)["rule"] == "pairs_swapping"
    assert jobs(own, PAIRS_FILE, PLAIN, package=package) == {}
    installed(package, WORDS.replace("text.split()", "text.lower().split()"))
    assert jobs(own, PAIRS_FILE, PLAIN, package=package) == {"pairs_swapping": 1}


@pytest.mark.slow
def test_a_miner_of_ones_own_takes_what_a_step_finds_for_another_pair_set(own: Path):
    write(own / "strategies/distant.py", BLOCKS["strategies/distant.py"])
    recipes = yaml.safe_load((own / "config/recipes.yaml").read_text())
    entry = {"kind": "distant", "pairs": "dropout", "encoder": "bert-base", "nearest": 8}
    recipes["pairs"] = {"dropout": recipes["pairs"]["dropout"], "distant": entry}
    write(own / "config/recipes.yaml", yaml.safe_dump(recipes))
    call(own, "results/pairs/distant.parquet")
    pairs = read_table(own / "results/pairs/distant.parquet", PAIRS)
    near = read_table(own / "results/score/neighbours/dropout/bert-base/8.parquet", NEIGHBOURS)
    last = pairs.positive.array[near.rows.str[-1]]
    assert pairs.negatives.str[0].tolist() == last.tolist()
    assert (pairs.negatives.str[0] != pairs.anchor).all()


def test_a_strategy_that_cannot_be_used_is_named_before_a_job(own: Path):
    write(own / "strategies/swapping.py", "import nothing_there")
    said = call(own, "--dry-run", PLAIN, check=False)
    assert (
        "strategies/swapping.py: the module cannot be imported: ModuleNotFoundError: No module named 'nothing"
        in said
    )
    assert "Traceback" not in said


DISTANT = BLOCKS["strategies/distant.py"]
INPUTS = DISTANT[DISTANT.index("    def inputs") : DISTANT.index("    def sides")]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (INPUTS, "", "strategies/distant.py: the module has no method inputs. See recipe 1 of"),
        (
            ', "neighbours": found}',
            "}",
            "`build` takes neighbours, but the method `inputs` of its settings returns",
        ),
        ("neighbours: Neighbours)", "neighbours)", "has no type for neighbours of build"),
    ],
)
def test_what_a_strategy_lacks_is_said_before_a_job(old, new, says, own: Path):
    assert old in DISTANT
    write(own / "strategies/distant.py", DISTANT.replace(old, new))
    recipes = yaml.safe_load((own / "config/recipes.yaml").read_text())
    entry = {"kind": "distant", "pairs": "dropout", "encoder": "bert-base", "nearest": 8}
    recipes["pairs"] = {"dropout": recipes["pairs"]["dropout"], "distant": entry}
    write(own / "config/recipes.yaml", yaml.safe_dump(recipes))
    assert says in call(own, "--dry-run", "results/pairs/distant.parquet", check=False)


def test_a_name_in_a_package_and_in_a_file_is_refused(own: Path, tmp_path: Path):
    write(own / "strategies/swapping.py", SWAPPING)
    said = call(own, "--dry-run", PLAIN, package=installed(tmp_path / "packages"), check=False)
    assert (
        "entry point swapping = my_pairs.swap (contrapose.strategies): the package contrapose.pairs" in said
    )


@pytest.mark.slow
def test_a_loss_of_ones_own_trains_and_leaves_other_trainings_as_they_are(own: Path):
    write(own / "strategies/swapping.py", SWAPPING)
    plain, mine = (
        f"results/train/swapped/plain{more}/seed42/history.parquet" for more in ("", "+loss=attraction")
    )
    call(own, plain)
    write(own / "losses/attraction.py", LOSS)
    assert jobs(own, plain) == {}
    call(own, mine)
    assert read_table(own / mine, HISTORY).loss.between(-1, 1).all()
    write(own / "losses/attraction.py", LOSS.replace("= 1.0", "= 2.0"))
    assert jobs(own, plain, mine) == {"train_encoder": 1}
