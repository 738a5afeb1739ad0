"""What today's settings and code say of a file that was made before."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from contrapose.errors import ConfigError, ContraposeError
from contrapose.project import steps

if TYPE_CHECKING:
    from contrapose.project import Project


def made_today(project: "Project", made: Mapping[str, Any]) -> tuple[object, str]:
    """Return the settings, parsed, and the digest of code that today make what has this provenance.

    Raises ConfigError if today's config does not make it.
    """
    rule, wildcards = made["rule"], made["wildcards"]
    try:
        return json.loads(steps.settings(project, rule, wildcards)), steps.code(project, rule, wildcards)
    except (ContraposeError, TypeError, AttributeError) as error:  # wildcards or entries of another version
        raise ConfigError(f"today's config does not make it: {error}") from error


def is_current(project: "Project", made: Mapping[str, Any]) -> bool:
    """Tell whether they are those of this provenance; somebody else's file has none.

    Raises ConfigError likewise.
    """
    return "rule" in made and made_today(project, made) == (made["settings"], made["code"])
