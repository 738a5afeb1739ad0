"""What the modules of this package ask of a project, beside what any planning may ask."""

from pathlib import Path
from typing import Any, Protocol

from contrapose.base.errors import ConfigError
from contrapose.project.rules import Rules
from contrapose.report.about import About
from contrapose.settings.plan import Plan


class Lookups(Plan, Protocol):
    """The settings of a call, by name; `contrapose.project.Project` has them."""

    home: Path
    results: str
    files: Any
    checked: set[tuple[str, str]]  # registries and names whose settings are known to be right
    studies: dict[str, Any]

    @property
    def tables(self) -> dict[str, tuple[str, Any]]: ...
    @property
    def figures(self) -> dict[str, tuple[str, Any]]: ...
    @property
    def data(self) -> Path | None: ...
    @property
    def rules(self) -> Rules: ...
    def about(self, name: str) -> About: ...
    def llm(self, role: str) -> Any: ...
    def null(self, name: str, section: str) -> ConfigError: ...
