"""Strict reading of YAML files of settings: a key given twice is an error, as is a value within itself."""

import re
from pathlib import Path

import yaml

from contrapose.base.errors import TO_UTF8, ConfigError, cut, one_line, printable

# The C loader is ten times as fast, if PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 50  # levels of lists and mappings, five times ours: PyYAML and what reads settings call themselves
MERGE = "tag:yaml.org,2002:merge"  # `<<`, whose keys may be overridden
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
ODD_NUMBER = re.compile("[-+]?(?:0[0-7_]+$|0b|.*:)")  # to the base 8, 2 or 60, which nobody means

TAB = "it begins with a tab. Indent with blanks"
# Problems of PyYAML and its C parser: what people did, and whether the line is where the context begins.
MISTYPED = (
    (
        "could not find expected ':'",
        "a colon is missing after the key, or a closing quotation mark",
        True,
    ),
    ("node content", "a value is missing, or a bracket has no partner", False),
    ("flow sequence", "a bracket ] is missing, or a comma", True),
    ("flow mapping", "a brace } is missing, or a comma", True),
    ("quoted scalar", "a quotation mark is missing at the end of a text", True),
    (
        "mapping values are not allowed",
        "the indentation differs from that of the lines above, or a text with a colon needs quotation marks",
        False,
    ),
    ("tab character", TAB, False),
    (
        "undefined alias",
        "no line above it defines this anchor with &NAME. Perhaps the row that did was deleted: write &NAME "
        "and the value, which that row had, in the first row that uses it",
        False,
    ),
    ("cannot start any token", "a text that begins with @, ` or % needs quotation marks", False),
    (
        "parsing a block",
        "the indentation differs from that of the lines above, or words follow a text in quotation marks",
        False,
    ),
)
# Of a line that no message shows.
MAY_BE_SECRET = re.compile(
    "key|token|secret|passw|pwd|auth|bearer|cookie|header|credential|://|[a-z0-9_-]{20}", re.IGNORECASE
)


class _Loader(LOADER):  # type: ignore[misc, valid-type]
    """PyYAML's safe loader, but refuses duplicate keys, of which PyYAML silently takes the last."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._checked: set[yaml.MappingNode] = set()
        self._depth = 0

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:
        """Build the value of a node with all in it; refuse one that is within itself."""
        self._depth += 1
        if node in self.recursive_objects or self._depth > DEEPEST:
            problem = (
                f"this value contains itself, or more than {DEEPEST} lists or mappings inside each other"
            )
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        value = super().construct_object(node, deep=True)
        if not isinstance(value, str) and node.tag in NUMBERS and ODD_NUMBER.match(node.value):
            problem = f"YAML 1.1 reads {node.value} as {value}. Write {value}, or put a text in quotes"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        self._depth -= 1
        return value

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse duplicate keys before those of merged mappings are added."""
        if node not in self._checked:
            self._checked.add(node)
            keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.tag != MERGE]
            seen: set[str] = set()
            for key in keys:
                if key.value in seen:
                    problem = f"the key '{key.value}' occurs twice. Remove one of them"
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
        raise ConfigError(f"{path}: the file is not in UTF-8 ({error.reason}). {TO_UTF8}") from error
    except OSError as error:
        raise ConfigError(f"{path}: the file cannot be read ({error.strerror}). Check access.") from error


def yaml_value(text: str, where: str, empty: object = None) -> object:
    """Return the value of a YAML text, or `empty` if it has none; error messages name its place, `where`."""
    try:
        value = yaml.load(text, _Loader)
    # ValueError: a date like 2024-13-01; RecursionError: thousands of lists within each other
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: {_wrong(text, error)}") from error
    return empty if value is None else value


def _wrong(text: str, error: Exception) -> str:
    """Say which line is not valid YAML, and what people usually mistype there."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"the file is not valid YAML: {one_line(str(error))}"
    problem, context = str(error.problem), str(error.context or "")  # type: ignore[attr-defined]
    hint, begins = next(
        (known[1:] for known in MISTYPED if re.search(known[0], f"{context}: {problem}")), (problem, False)
    )
    start = error.context_mark if begins else None  # type: ignore[attr-defined]
    lines = text.splitlines() or [""]
    number = min((start or mark).line, len(lines) - 1)
    line = lines[number]
    hint = TAB if re.match(" *\t", line) else hint
    line = line.strip()
    said = f", `{cut(printable(line))}`," if line and not MAY_BE_SECRET.search(line) else ""
    return f"line {number + 1}{said} is not valid YAML: {one_line(hint)}."
