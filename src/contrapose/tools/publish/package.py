"""Write the results as a folder for publication, without secrets or sentences of others."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from frictionless import Detector, Package
from huggingface_hub import DatasetCard, DatasetCardData

from contrapose.base.directory import seen
from contrapose.base.errors import ConfigError, TableError
from contrapose.jobs.manifest import files_below
from contrapose.jobs.status import read_status
from contrapose.project import Project
from contrapose.report.files import without_html, write_text
from contrapose.report.recommendation import VERDICT
from contrapose.tables import TABLES, Table, read_provenance, table_schema
from contrapose.tables.parquet import written
from contrapose.tools.arguments import parser_of
from contrapose.tools.ending import table_of_page
from contrapose.tools.publish.chain import Chain, built_chain
from contrapose.tools.publish.leaks import check_no_leak, holds_sentences, machine_paths, secrets
from contrapose.tools.verify import CHANGED, VerifyFinding, findings, lines, repeated

CARD = Path(__file__).with_name("package.md")
LICENCES = "resources/licences.csv"  # of public data sets and models
OURS = "apache-2.0"  # of this repository, in the file LICENSE
HIDDEN = shutil.ignore_patterns(".*", "__pycache__")
LICENCE = re.compile("[a-z0-9.-]+")  # https://huggingface.co/docs/hub/repositories-licenses


def main(arguments: list[str]) -> None:
    """Write the package, and say what is left out and how it is uploaded."""
    options = parser_of("publish").parse_args(arguments)
    chain = built_chain(options.config)
    to = options.to or Path(f"publish/contrapose-{chain.project.catalog_name}")
    skipped = publish(chain, to, options.license)
    for name, why in skipped.items():
        print(f"Left out: {name}, because it {why}.")
    where = seen(to)  # the upload is called where this was, and not in the folder of `--directory`
    has = f"{len(chain.targets) - len(skipped)} of {len(chain.targets)} finished tables, figures and verdicts"
    print(f"Wrote {where}. It has {has}.")
    print(f"To upload it: hf upload ORG/NAME {shlex.quote(str(where))} --repo-type dataset --private")


def publish(chain: Chain, to: Path, licence: str = "") -> dict[str, str]:
    """Write the package; return {what is left out: why}.  Equal results give equal bytes.

    `licence` is an identifier of the hub; results of our own catalogs have ours by default.
    Raises a ConfigError if the folder exists or would hold what must not be published, or if results of a
    person's own data have no licence, and a TableError for stale results.
    """
    if to.exists():
        raise ConfigError(f"--to: '{seen(to)}' already exists. Name another folder, or remove this one.")
    if not licence and is_user_catalog(chain.project):
        raise ConfigError(
            "--license: results of your own data have no licence yet. Name one for the tables and "
            "settings of the package by its identifier on the hub, for example --license cc-by-4.0."
        )
    if licence and not LICENCE.fullmatch(licence):
        raise ConfigError(
            f"--license: '{licence}' is not an identifier of the hub, which has only small letters, "
            "digits, '-' and '.', for example cc-by-4.0. All identifiers: "
            "https://huggingface.co/docs/hub/repositories-licenses."
        )
    settings = _settings(chain.project)
    shown = dict.fromkeys(path for target in chain.targets.values() for path in chain.makers[target].outputs)
    gone = [Path(path) for path in shown if not Path(path).exists()]
    stale = [VerifyFinding(path, CHANGED, "the file no longer exists") for path in gone]
    here = (one for one in findings(chain.results, chain.project) if one.path.exists())
    if stale := [*stale, *(one for one in here if str(one.path) in chain.makers)]:
        licensed = f"--license {licence}" if licence else ""
        again = repeated(stale, chain.project, chain.config, "publish", licensed)
        raise TableError(
            "These results do not match the current settings and code. Build them again, or give the "
            "settings of these results (--config):\n" + "\n".join([*lines(stale), *again])
        )
    with written(to) as draft:
        whose = "sentences of this project" if is_user_catalog(chain.project) else "sentences of others"
        skipped = dict.fromkeys(_copy_results(draft, chain, settings), f"prints {whose}")
        _write_card(draft, chain, skipped, licence or OURS)
        _write_descriptor(draft, chain, licence or OURS)
        check_no_leak(draft, secrets(chain.project) + machine_paths(chain.project))
    return skipped


def _copy_results(draft: Path, chain: Chain, settings: Mapping[Path, str]) -> list[str]:
    """Copy tables, figures, claims and settings; return those left out as they print sentences."""
    home, skipped = chain.project.home, []
    copies = {**settings, home / LICENCES: "config"}
    if not is_user_catalog(chain.project):
        copies[home / "LICENSE"] = ""
    for name, target in chain.targets.items():
        made = [Path(file) for file in chain.makers[target].outputs]
        if chain.project.catalog.mini or not any(map(holds_sentences, made)):
            copies |= dict.fromkeys(made, str(Path(name).parent))
        else:
            skipped.append(name)
    for path, folder in copies.items():
        (draft / folder).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, draft / folder / path.name)
    return skipped


def is_user_catalog(project: Project) -> bool:
    """Whether a person has written the catalog, of data of their own, as `contrapose init` does."""
    shipped = project.files.catalog_file.resolve().is_relative_to(project.home.resolve() / "config")
    return not shipped and project.catalog.mini is None


def _settings(project: Project) -> dict[Path, str]:
    """Return {file of the settings: its folder in the package}, without hidden files.

    Raises a ConfigError for what is no file, and for a file to which a link leads out of `config/`, or out of
    the folder of a catalog that is given by its path.  Results need no such check: their manifests hold the
    digests of what jobs made.
    """
    files = project.files
    found = {files.recipes_file: "config", files.catalog_file: "config/catalogs"}
    for study in project.studies:
        folder = files.study_folder(study)
        for path in files_below(folder):
            place = path.relative_to(folder)
            if not HIDDEN("", [*place.parts]):
                found[path] = f"config/studies/{study}/{place.parent}"
    roots = {base.absolute() / "config": base.resolve() / "config" for base in (Path(), project.home)}
    for path in found:
        inside = (real for named, real in roots.items() if path.absolute().is_relative_to(named))
        root = next(inside, path.parent.resolve())
        if not path.resolve().is_relative_to(root):
            raise ConfigError(
                f"{path}: this link leads out of the folder {root.name}, and its target would be "
                "published. If the target belongs to the study, put a copy in place of the link. "
                "Otherwise remove the link. Nothing was written."
            )
        if not path.is_file():
            raise ConfigError(
                f"{path}: this is a pipe, a device or a link without a target, which cannot be "
                "published. Remove it. Nothing was written."
            )
    return found


def _summary(chain: Chain, skipped: Mapping[str, str]) -> str:
    """Return the verdict and the table that it is of; empty if not exactly one table has a verdict."""
    tables = {name: Path(file) for name, file in chain.targets.items() if name.startswith("tables/")}
    verdicts = {
        name: said[VERDICT]
        for name, file in tables.items()
        if name not in skipped and VERDICT in (said := read_status(file.with_suffix(".parquet")).facts)
    }
    if len(verdicts) != 1:
        return ""
    [(name, verdict)] = verdicts.items()
    caption, page = without_html(chain.project.tables[Path(name).name][1].caption), f"{Path(name).name}.md"
    table = "\n".join(table_of_page(tables[name].with_suffix(".md"), caption))
    return f"{verdict}\n\n{table.replace(page, f'tables/{page}')}\n"


def _write_card(draft: Path, chain: Chain, skipped: Mapping[str, str], licence: str) -> None:
    """Write README.md as the card of a data set on the hub, with a configuration for each tidy table."""
    tables = sorted(str(path.relative_to(draft)) for path in draft.rglob("*.parquet"))
    configs = [{"config_name": Path(path).stem, "data_files": path} for path in tables]
    git = shutil.which("git") or "false"  # without git no commit is known
    describe = ["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    command = [git, "-C", str(chain.project.home), *describe]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    shown = [Path(name) for name in chain.targets if name not in skipped]
    made = chain.project.tables | chain.project.figures
    card = DatasetCard.from_template(
        DatasetCardData(license=licence, configs=configs),
        str(CARD),
        project=chain.project,
        summary=_summary(chain, skipped),
        kinds=sorted({path.parent.name for path in shown}),
        studies=sorted({made[path.name][0] if path.name in made else path.name for path in shown}),
        example=Path(tables[0]).stem if tables else "",
        skipped=skipped,
        commit=commit,
        licence=licence,
    )
    card.text = without_html(card.text)
    write_text(str(card), draft / "README.md")


def _write_descriptor(draft: Path, chain: Chain, licence: str) -> None:
    """Write datapackage.json: every file with its hash, and what each column means."""
    files = sorted(path for path in draft.rglob("*") if path.is_file())
    described = {
        "name": f"contrapose-{chain.project.catalog_name}",
        "licenses": [{"name": "Apache-2.0", "path": "LICENSE"} if licence == OURS else {"name": licence}],
        "resources": [_resource(path, path.relative_to(draft).as_posix()) for path in files],
    }
    every_cell = Detector(sample_size=10**6, field_confidence=1)  # infers the type of a CSV file's column
    package = Package.from_descriptor(described, basepath=str(draft), detector=every_cell)
    package.infer(stats=True)
    for resource in (one for one in package.resources if one.type == "table"):
        tidy = (draft / str(resource.path)).with_suffix(".parquet")
        known = {field["name"]: field["description"] for field in table_schema(_table(tidy))["fields"]}
        for field in resource.schema.fields:
            field.description = known.get(field.name, f"as printed; in full in {tidy.name}")
    package.to_json(str(draft / "datapackage.json"))


def _resource(file: Path, path: str) -> dict[str, object]:
    """Describe a file; frictionless finds the columns of CSV files, but does not read Parquet."""
    is_table = file.suffix == ".csv" and not path.startswith("config/")
    name = re.sub("[^-a-z0-9._/]", "-", path.lower())  # frictionless accepts no other characters
    resource = {"name": name, "path": path, "type": "table" if is_table else "file"}
    return resource | ({"schema": table_schema(_table(file))} if file.suffix == ".parquet" else {})


def _table(path: str | Path) -> Table:
    return TABLES[read_provenance(path)["table"]]
