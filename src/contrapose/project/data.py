"""Entries of the catalog, and where its models are below its data folder or the project."""

from typing import Any

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError
from contrapose.project.lookups import Lookups

# Sections of a catalog that are one entry, and what is said where it is null.
ONE_ENTRY = {
    "articles": (
        ", but a corpus of kind sampled draws its sentences from articles. Name them in {file}, or use a "
        "corpus of kind published, which is a text file with one sentence per line."
    ),
    "translator": (
        ". Name one in {file}: either a language model, {{kind: llm, llm: NAME}}, or a model on this "
        "machine, {{kind: seq2seq, path: FOLDER}}."
    ),
}


def catalog_source(project: Lookups, section: str, name: str = "", kind: str = "") -> Any:
    """Return an entry of the catalog; raise a ConfigError if it is null or of another kind."""
    if section in ONE_ENTRY:
        only = dict(project.catalog)[section]
        if only is None:
            hint = ONE_ENTRY[section].format(file=f"config/catalogs/{project.catalog_name}.yaml")
            raise ConfigError(f"{section}: the catalog '{project.catalog_name}' has none{hint}")
        return only
    entry = project.entry(section, name)
    if entry is None:
        raise project.null(name, section)
    if kind and kind != entry.kind:
        raise ConfigError(
            f"{section}.{name} of {project.files.catalog_path} is of kind {entry.kind}, but the "
            f"target with this name needs an entry of kind {kind}. To see what can be built, call "
            f"{call('list')}."
        )
    return entry
