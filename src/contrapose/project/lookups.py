"""What the modules of this package ask of a project, beside what any planning may ask."""

from pathlib import Path
from typing import Any, Protocol

from contrapose.base.errors import ConfigError
from contrapose.project.rules import Rules
from contrapose.settings.plan import Plan


class Lookups(Plan, Protocol):
    """The settings of a call, by name; `contrapose.project.Project` has them."""

    home: Path
    results: str
    files: Any
    llm_requests: Any
    checked: set[tuple[str, str]]  # registries and names whose settings are known to be right

    @property
    def figures(self) -> dict[str, tuple[str, Any]]: ...
    @property
    def seeds(self) -> list[int]: ...
    @property
    def data(self) -> Path | None: ...
    @property
    def rules(self) -> Rules: ...
    def lacking(self, spec: Any) -> str: ...
    def llm(self, role: str) -> Any: ...
    def recipe(self, identifier: str) -> Any: ...
    def recipe_id(self, identifier: str) -> str: ...
    def null(self, name: str, section: str) -> ConfigError: ...
