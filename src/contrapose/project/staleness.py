"""Compare a file that was made before with today's settings and code."""

import json
from collections.abc import Mapping
from typing import Any

from contrapose.base.errors import ConfigError, ContraposeError
from contrapose.project.lookups import Lookups
from contrapose.project.steps import code, settings


def made_today(project: Lookups, made: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return today's settings, parsed, and code digest for a file with some provenance; or a ConfigError."""
    rule, wildcards = made["rule"], made["wildcards"]
    try:
        return json.loads(settings(project, rule, wildcards)), code(project, rule, wildcards)
    # Wildcards or entries of another version, or a rule that this catalog does not have.
    except (ContraposeError, TypeError, AttributeError, AssertionError) as error:
        why = f": {error}" if str(error) else ""
        raise ConfigError(f"the current settings no longer build this result{why}") from error


def is_current(project: Lookups, made: Mapping[str, Any]) -> bool:
    """Return whether a provenance has today's settings and code; files that are not ours have none.

    Raises ConfigError as `made_today`.
    """
    return "rule" in made and made_today(project, made) == (made["settings"], made["code"])
