"""No setting, name, path or file of data runs code."""

from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.command import main
from contrapose.project import Project
from contrapose.settings.cli_config import given_config
from contrapose.settings.yaml_files import read_yaml
from contrapose.tools.dry_run import Job
from contrapose.tools.publish import package
from contrapose.tools.publish.chain import Chain
from contrapose.tools.start import check_container
from snakemake_logger_plugin_contrapose.config_files import refuse_code
from tests.checkout import HOME, Checkout, checkout, forked_snakemake

FOLDER = "q'; touch pwned; '"  # as a text of a shell between single quotes it runs a command
YTE = "catalog: tiny\nx: ?__import__('pathlib').Path('pwned').touch()\n"
KEYS = {
    "plain": "__use_yte__: true\n",
    "escaped": '"__use\\x5fyte__": true\n',
    "merged": "<<: {__use_yte__: true}\n",
    "tagged": "tag: !!python/tuple [1]\n__use_yte__: true\n",  # no plain YAML, but YTE reads it
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    folder = tmp_path_factory.mktemp("project") / FOLDER
    folder.mkdir()
    return checkout(folder)


def none_ran(*folders: Path) -> bool:
    return not any((folder / "pwned").exists() for folder in (Path.cwd(), *folders))


@pytest.mark.parametrize("way", ["config/config.yaml", "--configfile"])
def test_snakemake_stops_before_it_evaluates_python_of_a_configuration_file(way, project, tmp_path):
    given = tmp_path / "given.yaml"
    given.write_text(KEYS["plain"] + YTE)
    if way == "--configfile":
        done = forked_snakemake(project.folder, "-n", way, str(given), check=False)
    else:
        with project.edited(way, "catalog:", f"{KEYS['plain']}{YTE}#"):
            done = forked_snakemake(project.folder, "-n", check=False)
    assert done.returncode == 1
    assert "__use_yte__" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout
    assert none_ran(project.folder, tmp_path)


@pytest.mark.parametrize("key", KEYS)
def test_every_spelling_of_the_key_is_refused_by_all_commands(key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text(KEYS[key] + YTE)
    with pytest.raises(ConfigError, match=r"config/config\.yaml"):
        given_config([])
    for option in (["--configfile", "config/config.yaml"], ["--configf=config/config.yaml", "-n"]):
        with pytest.raises(SystemExit, match="__use_yte__"):
            refuse_code(["snakemake", *option])
    refuse_code(["snakemake", "--config", "a=b", "config/config.yaml"])  # a target
    assert none_ran(tmp_path)


OURS = ["--snakefile", str(HOME / "Snakefile")]


@pytest.mark.parametrize(
    ("profile", "options", "variable"),
    [
        ("profiles/default/profile.yaml", OURS, ""),
        ("default/config.yaml", [OURS[0] + "=" + OURS[1]], ""),
        ("slurm/config.yaml", [*OURS, "--profile", "slurm"], ""),
        ("slurm/config.yaml", OURS, "slurm"),
    ],
)
def test_our_workflow_reads_no_profile_of_another_folder_that_nobody_chose(
    profile, options, variable, tmp_path, monkeypatch
):
    monkeypatch.setenv("SNAKEMAKE_PROFILE", variable)
    monkeypatch.chdir(tmp_path)
    refuse_code(options)
    (tmp_path / profile).parent.mkdir(parents=True)
    (tmp_path / profile).write_text("default-resources: [mem_mb=1]\n")
    with pytest.raises(SystemExit, match=f"(?s){Path(profile).parts[0]}.*[Ii]f you trust it"):
        refuse_code(options)
    refuse_code([*options, "--mode", "subprocess"])  # a job, which reads none
    refuse_code(["--snakefile", "theirs/Snakefile"])
    trusted = ["--workflow-profile", "profiles/default", "--profile", str(tmp_path / "slurm")]
    refuse_code([*OURS, *trusted])
    monkeypatch.chdir(HOME)
    refuse_code([*OURS, "--profile", "profiles/slurm"])


def test_a_folder_from_which_snakemake_would_import_plugins_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "a/.snakemake/pip-deployments").mkdir(parents=True)
    for folder, options in ((tmp_path / "a", []), (tmp_path, ["--directory", "a"])):
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit, match="1"):
            main(["list", *options])
        assert "Remove the folder" in capsys.readouterr().err


@pytest.mark.parametrize("tag", ["python/object/apply:os.system ['touch pwned']", "python/name:os.system"])
def test_a_tag_of_yaml_makes_no_objects(tag, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(f"a: !!{tag}\n")
    with pytest.raises(ConfigError, match="not valid YAML"):
        read_yaml(tmp_path / "a.yaml")
    assert none_ran(tmp_path)


def test_the_name_of_a_folder_runs_nothing_when_results_are_published(tmp_path, monkeypatch):
    monkeypatch.chdir(HOME)
    project = Project({}, HOME)
    project.home = tmp_path / FOLDER
    project.home.symlink_to(HOME)
    (tmp_path / "results").mkdir()
    wildcards = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}
    training = Job("train_encoder", wildcards, outputs=[str(tmp_path / "results/encoder")])
    chain = Chain(project, tmp_path / "results", {}, [training])
    monkeypatch.setattr(package, "built_chain", lambda *_: chain)
    package.main(["--to", str(tmp_path / "made")])
    assert (tmp_path / "made/README.md").is_file()
    assert none_ran(tmp_path, project.home)


@pytest.mark.parametrize("image", ["docker://x; touch pwned", "docker://x$(touch pwned)", "docker://x y"])
def test_an_image_whose_name_a_shell_could_run_is_refused(image):
    with pytest.raises(ConfigError, match="which a shell could run"):
        check_container(image)


def test_a_folder_whose_name_a_shell_could_run_is_refused_with_containers(tmp_path, monkeypatch):
    (tmp_path / FOLDER).mkdir()
    monkeypatch.chdir(tmp_path / FOLDER)
    with pytest.raises(ConfigError, match="working directory"):
        check_container("docker://example.org/contrapose:1")
