"""A folder of results that stands on its own: written as a draft, checked, renamed at the end."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from frictionless import Detector, Package
from huggingface_hub import DatasetCard, DatasetCardData, EvalResult, ModelCard, ModelCardData

from contrapose.errors import ConfigError, TableError
from contrapose.report.files import write_text
from contrapose.tables import SCORES, TABLES, read_provenance, read_tables, write_table, written
from contrapose.tools.publish.chain import Chain
from contrapose.tools.publish.leaks import check_no_leak, holds_sentences, machine_paths, secrets
from contrapose.tools.publish.sources import source, sources
from contrapose.verify import findings

HERE = Path(__file__).parent
TYPES = {"string": "string", "bool": "boolean", "int": "integer", "float": "number", "double": "number"}
USED = {
    "world",
    "studies",
    "seeds",
    "search",
    "bootstrap",
    "folds",
}  # of config.yaml: what is no machine's own
TASK = "sentence-similarity"


def publish(chain: Chain, to: Path, runs: Sequence[str], pairs: bool) -> list[str]:
    """Write the package with the encoders of some runs; return the tables that are left out.

    With `pairs`, files that hold sentences of others come along.  Equal results give equal bytes.

    Raises
    ------
    ConfigError
        The folder is there already, or a file holds a secret or a path of this machine.
    TableError
        `make verify` calls something stale or foreign.
    """
    if to.exists():
        raise ConfigError(f"--to: '{to}' is there already. Choose another folder, or remove it.")
    folders = {Path(path).parent for path in chain.targets.values()}
    found = findings(chain.results, chain.project)
    stale = [one for one in found if str(one.path) in chain.makers or one.path.parent in folders]
    if stale:
        lines = "\n".join(f"  {one.kind:8} {one.path}  {one.reason}" for one in stale)
        raise TableError(
            f"{len(stale)} results are not what today's settings and code give:\n{lines}\nBuild them again, "
            "choose the settings they were made with (--config), or remove what is foreign."
        )
    with written(to) as draft:
        left_out = _copy_results(draft, chain, pairs)
        scores = _scores(chain)
        write_table(scores, draft / "scores.parquet", SCORES)
        for run in runs:
            folder, job = draft / "encoders" / run, chain.runs[run]
            encoder = next(path for path in job.outputs if path.endswith("/encoder"))
            shutil.copytree(encoder, folder, ignore=shutil.ignore_patterns(".*"))
            write_text(chain.provenance(chain.behind(job)), folder / "provenance.json")
            write_text(_model_card(chain, run, folder, scores[scores.run == run]), folder / "README.md")
        write_text(_package_card(draft, chain, runs, left_out), draft / "README.md")
        _write_descriptor(draft, chain)
        check_no_leak(draft, secrets(chain.project) + machine_paths(chain.project))
    return left_out


def _copy_results(draft: Path, chain: Chain, pairs: bool) -> list[str]:
    """Copy tables, figures, claims and settings; return what is left out as it prints sentences of others."""
    project, config, left_out = chain.project, Path("config"), []
    copies = {project.home / "LICENSE": Path(), project.files.world_file: config / "worlds"}
    copies |= {project.files.recipes_file: config}
    for name, target in chain.targets.items():
        files = [Path(file) for file in chain.makers[target].outputs]
        if pairs or project.world.mini or not any(map(holds_sentences, files)):
            copies |= dict.fromkeys(files, Path(name).parent)
        else:
            left_out.append(name)
    if pairs:
        made = [Path(path) for path in chain.makers if path.startswith(f"{chain.results}/pairs/")]
        copies |= dict.fromkeys(made, Path("pairs"))
    for path, folder in copies.items():
        (draft / folder).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, draft / folder / path.name)
    for study in project.studies:
        ignored = shutil.ignore_patterns(".*", "__pycache__")
        shutil.copytree(project.files.study_folder(study), draft / config / "studies" / study, ignore=ignored)
    used = project.config.model_dump(mode="json", include=USED)
    write_text(yaml.safe_dump(used, allow_unicode=True), draft / config / "config.yaml")
    write_text(chain.provenance(chain.jobs), draft / "provenance.json")
    return left_out


def _scores(chain: Chain) -> pd.DataFrame:
    """Return the SCORES behind the tables, without those of encoders that were fine-tuned on a task."""
    paths = [path for path in chain.makers if path.startswith(f"{chain.results}/evaluate/")]
    ours = [path for path in paths if path.endswith(".parquet") and "/fine_tuned/" not in path]
    scored = [path for path in ours if read_provenance(path)["table"] == SCORES.name]
    return read_tables(scored, SCORES).sort_values(list(SCORES.key), ignore_index=True)


def _package_card(draft: Path, chain: Chain, runs: Sequence[str], left_out: Sequence[str]) -> str:
    """Return README.md of a package: a data set of the hub with a configuration for each tidy table."""
    tables = sorted(str(path.relative_to(draft)) for path in draft.rglob("*.parquet"))
    configs = [{"config_name": Path(path).stem, "data_files": path} for path in tables]
    order = f"git -C '{chain.project.home}' describe --always --abbrev=40 --dirty --exclude='*'"
    commit = subprocess.run(order, shell=True, capture_output=True, text=True, check=False).stdout
    data = DatasetCardData(license="apache-2.0", configs=configs)
    words = {"project": chain.project, "runs": runs, "left_out": left_out, "commit": commit.strip()}
    read = sources(chain.project, chain.jobs)
    return str(DatasetCard.from_template(data, str(HERE / "package.md"), sources=read, **words))


def _model_card(chain: Chain, run: str, folder: Path, scores: pd.DataFrame) -> str:
    """Return README.md of the encoder in a folder; `scores` are the SCORES of the run."""
    project, job = chain.project, chain.runs[run]
    role = project.recipe(job.wildcards["recipe"]).encoder
    base = source(project, "encoders", role, project.entry("encoders", role).model_dump())
    main = scores.metric.isin(["spearman", "accuracy"]) & (scores.aggregation == "all")
    rows = scores[main & (scores.split != "dev")].to_dict("records")
    data = ModelCardData(
        model_name=run,
        base_model=base["where"] if base["revision"] else None,
        license=base["licence"],
        library_name="sentence-transformers",
        pipeline_tag=TASK,
        tags=["sentence-transformers", TASK, "feature-extraction", "contrastive-learning"],
        eval_results=[_result(row) for row in rows] or None,
    )
    read = [one for one in sources(project, chain.behind(job)) if not one["title"].startswith("encoders")]
    words = {"project": project, "run": run, "base": base, "sources": read, "scores": rows}
    has_flow = "FlowModule" in (folder / "modules.json").read_text(encoding="utf-8")
    return str(ModelCard.from_template(data, str(HERE / "encoder.md"), has_flow=has_flow, **words))


def _result(row: Mapping[str, Any]) -> EvalResult:
    about = {"dataset_split": row["split"], "metric_args": {name: row[name] for name in ("low", "high", "n")}}
    name = f"{row['task']} {row['form']}"
    return EvalResult(TASK, row["task"], name, row["metric"], row["value"], **about)


def _write_descriptor(draft: Path, chain: Chain) -> None:
    """Write datapackage.json: every file with its hash, and what each column means."""
    package = Package.from_descriptor(
        {
            "name": f"contrapose-{chain.project.world_name}",
            "licenses": [{"name": "Apache-2.0", "path": "LICENSE"}],
            "sources": sources(chain.project, chain.jobs),
            "resources": [_resource(draft, path) for path in sorted(draft.rglob("*")) if path.is_file()],
        },
        basepath=str(draft),
        detector=Detector(
            sample_size=10**6, field_confidence=1
        ),  # all cells of a column of CSV have its type
    )
    package.infer(stats=True)
    for resource in (one for one in package.resources if one.type == "table"):
        tidy = draft / Path(str(resource.path)).with_suffix(".parquet")
        known = {field["name"]: field["description"] for field in _fields(tidy)}
        for field in resource.schema.fields:
            field.description = known.get(field.name, f"as printed; in full in {tidy.name}")
    package.to_json(str(draft / "datapackage.json"))


def _resource(draft: Path, path: Path) -> dict[str, object]:
    """Describe a file; the columns of CSV files are found by frictionless, which reads no Parquet."""
    name = path.relative_to(draft).as_posix()
    is_table = path.suffix == ".csv" and not name.startswith("config/")
    found = {"name": name, "path": name, "type": "table" if is_table else "file"}
    return found | ({"schema": {"fields": _fields(path)}} if path.suffix == ".parquet" else {})


def _fields(path: Path) -> list[dict[str, str]]:
    """Return the columns of a Parquet file of ours, as fields of a Table Schema."""
    schema = TABLES[read_provenance(path)["table"]].schema
    words = [field.metadata[b"description"].decode() for field in schema]
    types = [TYPES[str(field.type).rstrip("0123456789")] for field in schema]
    columns = zip(schema.names, types, words, strict=True)
    return [{"name": name, "type": kind, "description": text} for name, kind, text in columns]
