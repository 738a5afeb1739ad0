"""Strict reading of YAML files of settings, in which a key given twice is an error."""

from pathlib import Path

import yaml

from contrapose.errors import ConfigError

# The C loader is ten times as fast, if PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MERGE = "tag:yaml.org,2002:merge"  # `<<`, whose keys may be overridden


class _Loader(LOADER):  # type: ignore[misc, valid-type]
    """PyYAML's safe loader, but refuses duplicate keys, of which PyYAML silently takes the last."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._checked: set[yaml.MappingNode] = set()

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse duplicate keys before those of merged mappings are added."""
        if node not in self._checked:
            self._checked.add(node)
            keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.tag != MERGE]
            seen: set[str] = set()
            for key in keys:
                if key.value in seen:
                    problem = f"key '{key.value}' occurs twice. Keep one of them"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        super().flatten_mapping(node)


def read_yaml(path: Path) -> object:
    """Return the content of a YAML file; an empty file is an empty mapping.

    Raises ConfigError if it cannot be read, is not YAML in UTF-8, or has a key twice in one mapping.
    """
    try:
        return yaml_value(path.read_text(encoding="utf-8"), str(path), {})
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 ({error.reason}). Convert the file.") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}). Check the file.") from error


def yaml_value(text: str, where: str, empty: object = None) -> object:
    """Return the value of a YAML text, or `empty` if it has none; error messages name its place, `where`."""
    try:
        value = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date like 2024-13-01
        raise ConfigError(f"{where}: not valid YAML. {error}") from error
    return empty if value is None else value
