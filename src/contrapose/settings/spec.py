"""The base of all settings: refusal of unknown keys, validation, and types that several kinds use."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import zip_longest
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin
from urllib.parse import unquote

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from contrapose.base.errors import MOST, ConfigError, instead_of, nearest, shown

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

TextForm = Literal["senteval", "raw"]
Split = Literal["train", "dev", "test"]
SplitChoice = Literal["all", "train", "dev", "test"]
Language = Literal[
    "english", "japanese", "catalan", "czech", "dutch", "finnish", "french", "german", "greek",
    "hungarian", "italian", "latvian", "lithuanian", "polish", "portuguese", "romanian", "russian",
    "slovak", "slovenian", "spanish", "swedish",
]  # fmt: skip
# Codes of the languages that sacremoses, sentence-splitter and langdetect all support.  The first two have
# lists of abbreviations for these; for another language Moses would use the English ones.
CODES: dict[Language, str] = {
    **{"english": "en", "japanese": "ja", "catalan": "ca", "czech": "cs", "dutch": "nl", "finnish": "fi"},
    **{"french": "fr", "german": "de", "greek": "el", "hungarian": "hu", "italian": "it", "latvian": "lv"},
    **{"lithuanian": "lt", "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru"},
    **{"slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv"},
}
# What labels of pairs are about: anchor and positive; their margin to anchor and hard negative; anchor and
# positive, with scores of anchor and hard negatives beside them.
LabelKind = Literal["similarity", "margin", "similarities"]
Precision = Literal["auto", "float32", "bf16", "fp16"]
PoolingName = Literal["auto", "cls", "cls_before_pooler", "mean", "avg_top2", "avg_first_last", "lasttoken"]
# Poolings of trainings, without a layer of their own; own: what the encoder's folder declares.
PlainPooling = Literal["own", "cls_before_pooler", "mean", "avg_top2", "avg_first_last", "lasttoken"]

NAME = re.compile(r"\w[\w.@-]*")
LONGEST_NAME = 255  # bytes of a file's name, on every usual file system
LONGEST_PATH = 1024  # bytes: PATH_MAX of macOS, which is the least
VARIABLE = re.compile("[A-Z_][A-Z0-9_]*")  # POSIX's names of environment variables
HOLDS_SECRET = (
    "the address contains a user name, a password, parameters (`@`, `?`, `#`, `;`, `=`) or a part "
    "that looks like a key. Logs and published files would show them. Write only "
    "http://HOST:PORT/v1, and name the environment variable of the key in `key`"
)
# As providers begin their keys: OpenAI, Anthropic and OpenRouter sk-, Groq gsk_, Hugging Face hf_, xAI xai-,
# NVIDIA nvapi-, Perplexity pplx-, Replicate r8_, Fireworks fw_, GitHub ghp_, GitLab glpat-, Slack xoxb-,
# Google AIza, AWS AKIA; JSON Web Tokens eyJ, which is `{"` in base64.
KEY_BEGINS = re.compile(
    r"(?:(?:sk|gsk|hf|xai|nvapi|pplx|r8|fw|ghp|github_pat|glpat|xox[a-z])[-_]|AIza|AKIA|eyJ)[^/\s]*[0-9A-Z]"
)
# In the path of an address; a name of a service has neither digits nor capitals after such a word.
NAMED_KEY = re.compile(
    r"(?i:/(?:api[-_]?|access[-_]?)?(?:key|token|bearer|secret|password))[-_: /]+[^/]*[0-9A-Z]"
)
# In the place of a variable: Stripe's forms in capitals, a long word, or letters and digits mixed.
KEY_IN_CAPITALS = re.compile(
    r"[SPR]K_(?:LIVE|TEST|PROJ|ANT)_|[A-Z0-9]{20}|(?=[A-Z]*[0-9])(?=[0-9]*[A-Z])[A-Z0-9]{12}"
)
KEY_LETTERS = 20  # letters and digits in a row, both: as AWS's, the shortest of these keys; names have fewer
LARGEST = 2**63  # whole numbers must be below this to fit into Arrow and NumPy
FROM_YAML = "because YAML reads yes, no, on and off as true or false. Put a text in quotes"


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise ValueError(
            "a name is part of ids and file names. It can contain letters, digits and . _ @ -, and "
            "begins with a letter, a digit or _"
        )
    if len(text.encode()) > LONGEST_NAME // 4:  # an id holds several
        raise ValueError(
            f"a name has at most {LONGEST_NAME // 4} bytes, but this one has {len(text.encode())}"
        )
    return text


def _commit(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{1,40}", text):
        raise ValueError(
            "a branch or tag can change. Give the commit hash, which the hub shows on the page of the files"
        )
    return text


def _path(text: str) -> str:
    long = len(text.encode()) > LONGEST_PATH or any(
        len(part.encode()) > LONGEST_NAME for part in text.split("/")
    )
    if "\0" in text or long:
        raise ValueError(
            f"a path cannot contain a NUL character. At most {LONGEST_NAME} bytes are allowed between "
            f"two slashes, and {LONGEST_PATH} in all"
        )
    return text


class SecretError(ValueError):
    """An error in a value that no message may show."""


def looks_like_key(text: str) -> bool:
    """Return whether a text begins as keys of providers do, or has a long random part."""
    runs = re.findall(rf"[A-Za-z0-9]{{{KEY_LETTERS},}}", text)
    return bool(KEY_BEGINS.match(text)) or any(re.search("[0-9]", run) and not run.isdigit() for run in runs)


def _variable(text: str) -> str:
    if not VARIABLE.fullmatch(text) or looks_like_key(text) or KEY_IN_CAPITALS.search(text):
        raise SecretError(
            "name the environment variable that holds the key. Its name has words of capital letters "
            "with _ between them, such as OPENAI_API_KEY. If you wrote the key itself, get a new "
            "key, because other files may contain it by now"
        )
    return text


def holds_secret(endpoint: str) -> bool:
    """Return whether an address may hold a password or key: no base URL needs an `@`, `?` or `#`."""
    if endpoint.startswith(("file:", "python:")):
        return False
    address = unquote(endpoint)
    parts = address.split("/")[3:]  # after http://HOST
    named = NAMED_KEY.search("/" + "/".join(re.sub("^v[0-9]+$", "", part) for part in parts))
    return bool(re.search("[@?#;=]", address) or named) or any(map(looks_like_key, parts))


def _endpoint(text: str) -> str:
    if holds_secret(text):
        raise SecretError(HOLDS_SECRET)
    return text


VariableName = Annotated[str, AfterValidator(_variable)]
EndpointText = Annotated[str, AfterValidator(_endpoint)]  # of a language model
Name = Annotated[str, AfterValidator(_name)]  # of an entry
Commit = Annotated[str, AfterValidator(_commit)]  # of a repository of the hub
PathText = Annotated[str, AfterValidator(_path)]  # a path, or part of a file name


# Keys and values of version 0.4, which are understood until 0.6.  Of several new names of a key, the one
# counts that its section has.
FORMER_KEYS: Mapping[str, tuple[str, ...]] = {
    **{"clip": ("max_grad_norm",), "warmup": ("warmup_ratio",), "schedule": ("lr_scheduler_type",)},
    **{"patience": ("early_stopping_patience", "no_response_timeout"), "share": ("train_fraction",)},
    **{"cutoff": ("feature_cutoff",), "shuffle": ("token_shuffling",), "queue": ("momentum_queue_size",)},
    **{"mix": ("mixcse_lambda",), "negative_weight": ("hard_negative_weight",), "pooler": ("pooling",)},
    **{"draw": ("seed",), "redraw": ("resample_per_seed",), "at_most": ("allow_fewer", "max_candidates")},
    **{"curve_rows": ("learning_curve_methods",), "refused_at_most": ("max_invalid_ratio",)},
    **{"recompute": ("gradient_checkpointing",), "processes": ("nproc_per_node",), "keep": ("save_models",)},
    **{
        "triple_files": ("triplet_files",),
        "tries": ("max_attempts",),
        "extra": ("extra_body",),
        "otherwise": ("fallback",),
    },
}
FORMER_VALUES: Mapping[str, Mapping[object, object]] = {
    "kind": {
        **{"asked": "llm_generated", "divided": "split", "continued": "mlm_pretraining", "run": "trained"},
        **{"averaged": "weight_average", "adjacent": "next_sentence"},
        **{"triples": "triplets", "task_triples": "task_triplets"},
    },
    "pooling": {"avg": "mean", "last": "lasttoken"},
    "loss": {"cosine_error": "cosine_similarity"},
    "save_models": {"encoders": True, "scores": False},
    "prompt": {"task_triples": "task_triplets", "similar_triples": "similar_triplets"},
}


def current_key(key: str, known: Collection[str]) -> str:
    """Return the name of today of a key, among the keys that are known; other keys are as given."""
    return next((name for name in FORMER_KEYS.get(key, ()) if key not in known and name in known), key)


def current_value(key: str, value: object) -> object:
    """Return the value of today of a key of today."""
    return FORMER_VALUES.get(key, {}).get(value, value) if isinstance(value, str) else value


def current(settings: Mapping[str, object], known: Collection[str]) -> dict[str, object]:
    """Return settings under the names of today, of a section whose keys are known.

    Raises ValueError if a key is given under both names.
    """
    changed: dict[str, object] = {}
    for key, value in settings.items():
        name = current_key(str(key), known)
        if name != key and name in settings:
            raise ValueError(f"{key} is the former name of {name}, and both are given. Remove {key}")
        changed[name] = current_value(name, value)
    return changed


class Spec(BaseModel):
    """Base of all settings: frozen, unknown keys refused with the nearest known one.

    Numbers are finite and below `LARGEST`; true and false are not numbers.
    """

    # Deferred: no call needs all of them, and building one takes a millisecond.
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_with_numbers_for_numbers(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        data = current(data, cls.model_fields)
        for key, value in data.items():
            if key not in cls.model_fields:
                raise ValueError(f"there is no key '{key}'.{instead_of(str(key), cls.model_fields)}")
            field = cls.model_fields[key]
            if isinstance(value, bool) and field.annotation is not bool:
                is_text = any(one is str or get_origin(one) is Literal for one, _ in _types(field))
                number = "" if is_text else _number(_types(field))
                why = f"but {number} is expected" if number else FROM_YAML
                raise ValueError(f"{key} is {str(value).lower()}, {why}")
            is_large = isinstance(value, int) and abs(value) >= LARGEST
            if is_large and (number := _number(_types(field, {"lt": "2^63"}))):
                raise ValueError(f"{key} is {shown(value)}, but {number} is expected")
        return data


def check_one_of(spec: Spec, *groups: tuple[str, ...]) -> None:
    """Raise a ValueError unless settings have every key of one group, and no key of the others."""
    found = [[key for key in group if getattr(spec, key) not in (None, [], {})] for group in groups]
    given = [keys for keys in found if keys]
    if not given:
        raise ValueError(f"a key is missing. Set {', or '.join(map(' and '.join, groups))}")
    if len(given) > 1:
        raise ValueError(f"{given[0][0]} is set, but so is {given[1][0]}. Remove one of them")
    for key in (key for group, keys in zip(groups, found, strict=True) if keys for key in group):
        if key not in given[0]:
            raise ValueError(f"{given[0][0]} is set, but {key} is missing. Add it")


class Noted(Spec):
    """An entry of a catalog that readers of its tables may have to know more about."""

    note: str = Field("", description="Tables that use this entry print this note below.")


# What `validated` says is expected, by pydantic's types of errors; others keep pydantic's words.
MAPPING = "a mapping (`key: value`)"
LISTS = ("list_type", "tuple_type")
EXPECTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(LISTS, "a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), MAPPING),
    "string_type": "a text",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text of the form {pattern}",
    "too_short": "a value of at least {min_length} items",
    "too_long": "a value of at most {max_length} items",
    "none_required": "null",
    "finite_number": "a finite number",
    **dict.fromkeys(("greater_than", "greater_than_equal", "less_than", "less_than_equal"), "a number"),
    "literal_error": "{expected}",
}
NUMERIC = ("int_", "float_", "greater_", "less_")  # how its types of errors about numbers begin
ENDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
ENTRY = re.compile(r" \(entry \d+(?:, .*?)?\)(?=[.: ])")  # of a list, in a path
NAMING = ("model", "label")  # keys that name an entry of a list: the row of a table
QUOTED = re.compile("'([^']*)'")  # a name in a list of pydantic's
READ = 20  # names that a message still lists: about three lines
FEW = 5  # of many kinds that a message names: the nearest
KIND = "kind="  # in pydantic's paths before the kind that a section has; no key begins with it
TYPES = ("int", "float", "str", "bool", "none", "list", "dict", "tuple")  # in its paths, of values of unions
S = TypeVar("S", bound=BaseModel)
_Type = tuple[Any, Mapping[str, object]]  # with its limits, by their names in pydantic


def validated(kind: type[S], content: object, where: str) -> S:
    """Check `content` against the settings class `kind`; errors name file, key, value and what is allowed."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        expected: dict[tuple[str, str], list[str]] = {}  # by key and value, of which unions expect several
        lines: list[str | tuple[str, str]] = []
        for one in error.errors(include_url=False):
            key = _place(one["loc"], content, one["type"] == "missing")
            value = _shown_value(one, key)
            if one["type"] in EXPECTED:
                form = EXPECTED[one["type"]]
                if one["type"].startswith(NUMERIC):
                    form = _number(_types_at(kind, one["loc"])) or form
                allowed = form.format(**{name: _plain(each) for name, each in one.get("ctx", {}).items()})
                if one["type"] == "literal_error":
                    allowed = _one_of(allowed, str(one["input"]))
                if one["type"] in LISTS and value:
                    allowed += _such_as(one["input"], _types_at(kind, one["loc"]))
                expected.setdefault((key, value), []).append(re.sub(r"\b(1 \w+)s$", r"\1", allowed))
                lines.append((key, value))
            else:
                lines.append(_wrong(one, key, value))
        said = {
            _unexpected(*line, dict.fromkeys(expected[line])) if isinstance(line, tuple) else line: None
            for line in lines
        }
        raise ConfigError("\n".join(f"{where}: {line}" for line in _once(said))) from error


def _such_as(text: object, types: Iterable[_Type]) -> str:
    """Return how a text is written as the list of texts that is expected; empty if that is another list."""
    is_meant = isinstance(text, str) and any(get_args(each)[:1] == (str,) for each, _ in types)
    return f" such as {json.dumps([text], ensure_ascii=False)}" if is_meant else ""


def _once(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, of those about several entries of a list the first: perhaps each has the same slip."""
    alike: dict[str, list[str]] = {}
    for line in lines:
        alike.setdefault(ENTRY.sub("", line), []).append(line)
    for first, *others in alike.values():
        entries = f"{len(others)} more entr{'y' if len(others) == 1 else 'ies'}"
        yield first + f" The same is wrong in {entries} of this list." * bool(others)


def _types(annotation: Any, limits: Mapping[str, object] = MappingProxyType({})) -> Iterator[_Type]:
    """Yield the types that a field or a type of fields accepts, each with its limits: {"ge": 1}."""
    if isinstance(annotation, FieldInfo):
        yield from _types(annotation.annotation, {**limits, **_limits(annotation.metadata)})
    elif get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        yield from _types(inner, {**limits, **_limits(metadata)})
    elif get_origin(annotation) in (Union, UnionType):
        for each in get_args(annotation):
            yield from _types(each, limits)
    else:
        yield annotation, limits


def _limits(metadata: Iterable[object]) -> dict[str, object]:
    every = [one for each in metadata for one in getattr(each, "metadata", [each])]
    return {name: end for one in every for name in ENDS if (end := getattr(one, name, None)) is not None}


def _types_at(kind: type[BaseModel], place: Iterable[str | int]) -> list[_Type]:
    """Return what is accepted at a path of pydantic's, which also has kinds and types of unions."""
    found: list[_Type] = [(kind, {})]
    for part in place:
        of_kind = [each for each in found if _kind_of(each[0]) == part]
        found = of_kind or [one for each, _ in found for one in _types_in(each, part)] or found
    return found


def _kind_of(annotation: Any) -> str:
    field = getattr(annotation, "model_fields", {}).get("kind")
    return f"{KIND}{''.join(map(str, get_args(field.annotation)))}" if field else ""


def _types_in(annotation: Any, part: str | int) -> Iterator[_Type]:
    """Yield the types of a field of settings, or of what is in a list or mapping."""
    if part in getattr(annotation, "model_fields", {}):
        yield from _types(annotation.model_fields[part])
    elif get_origin(annotation) in (list, tuple, dict):
        yield from _types(get_args(annotation)[get_origin(annotation) is dict])


def _number(types: Iterable[_Type]) -> str:
    """Return which numbers are accepted: `a whole number from 1 to 9`; empty if none is."""
    numbers = [each for each in types if each[0] in (int, float)]
    if not numbers:
        return ""
    kind, limits = numbers[-1]
    noun = "a whole number" if kind is int else "a number"
    ends = {name: _plain(limits[name]) for name in ENDS if name in limits}
    if "le" in ends:
        ends.pop("lt", None)
    if ends.keys() == {"ge", "le"}:
        return f"{noun} from {ends['ge']} to {ends['le']}"
    said = " and ".join(f"{ENDS[name]} {end}" for name, end in ends.items())
    return f"{noun} {'of ' * said.startswith('at')}{said}".strip()


def _shown_value(error: Mapping, key: str) -> str:
    """Return the wrong value as a message shows it; empty for one that it may not show."""
    place = ".".join(map(str, error["loc"]))
    secret = isinstance(error.get("ctx", {}).get("error"), SecretError) or f".{place}".endswith(".key")
    if secret or f".{key}".endswith(".key"):
        return ""
    if isinstance(error["input"], dict):
        return "a mapping" if error["type"] in EXPECTED else ""
    if error["input"] is None or isinstance(error["input"], bool):  # as YAML writes them
        return {None: "null", True: "true", False: "false"}[error["input"]]
    return shown(error["input"])


def _unexpected(key: str, value: str, allowed: Iterable[str]) -> str:
    what = f"{key or 'the whole content'} {f'is {value}' if value else 'has another value'}"
    return f"{what}, but {' or '.join(allowed)} is expected."


def _wrong(error: Mapping, key: str, value: str) -> str:
    """Say what is wrong with a key for which no single form of values is expected."""
    within = f"{key}." if key else ""
    if error["type"] == "missing":
        return f"the key {key} is missing. Add it; docs/reference/configuration describes all keys."
    if error["type"] == "union_tag_not_found":
        if not isinstance(error["input"], dict):
            return _unexpected(key, value, [MAPPING])
        if "kind" in error["input"]:
            return f"{within}kind is {shown(error['input']['kind'])}, but the name of a kind is expected."
        return f"the key {within}kind is missing."
    if error["type"] == "union_tag_invalid":
        tag, known = (str(_plain(error["ctx"][name])) for name in ("tag", "expected_tags"))
        names = QUOTED.findall(known)
        near = nearest(tag, names)
        if len(names) > MOST:
            more = f"{len(names) - FEW} more, which docs/reference/configuration lists"
            known = f"{_nearest(tag, names)} and {more}"
        hint = f" Did you mean '{near}'?" if near else ""
        return f"{within}kind is '{tag}', but there is no such kind.{hint} Known: {known}."
    message = error["msg"].removeprefix("Value error, ")
    if value and "has no entry" not in message:  # which has the name that is wrong
        message = f"{message.rstrip('.')} (got {value})"
    return f"{key + ': ' if key else ''}{message}{'' if message.endswith(('.', '?')) else '.'}"


def _one_of(listed: str, name: str) -> str:
    """Return pydantic's list of names; of a list that nobody reads, those that are nearest to a name."""
    names = QUOTED.findall(listed)
    if len(names) <= READ:
        return listed
    return f"one of {len(names)} names such as {_nearest(name, names)} (docs/reference/configuration has all)"


def _nearest(name: str, names: Sequence[str]) -> str:
    return ", ".join(f"'{each}'" for each in get_close_matches(name, names, FEW, 0.0))


def _place(places: Sequence[str | int], content: object, is_missing: bool) -> str:
    """Return the path of a value as people have written it: pydantic's also has kinds and types of unions."""
    parts: list[str] = []
    for place, after in zip_longest(places, places[1:]):
        if isinstance(content, BaseModel):
            content = dict(content)
        if isinstance(content, Mapping):
            is_kind = current_value("kind", content.get("kind")) == place
            key = None if is_kind and after in content else _key(str(place), content)
            if key is not None:
                parts.append(str(key))
                content = content[key]
            elif (is_missing and after is None) or _is_renamed(str(place), is_kind):
                parts.append(str(place))
                content = content if is_missing else None
        elif isinstance(content, Sequence) and isinstance(place, int) and place < len(content):
            content = content[place]
            names = content if isinstance(content, Mapping) else {}
            named = next((f", {names[key]}" for key in NAMING if names.get(key)), "")
            parts[-1:] = [f"{''.join(parts[-1:])} (entry {place + 1}{named})".strip()]
    return ".".join(parts)


def _key(place: str, content: Mapping) -> object:
    """Return the key of a mapping that pydantic calls so: the same one, or its former name."""
    same = (key for key in content if str(key) == place)
    return next(same, next((key for key in content if place in FORMER_KEYS.get(str(key), ())), None))


def _is_renamed(place: str, is_kind: bool) -> bool:
    """Whether a part of pydantic's path may be a key that was read under another name."""
    return bool(re.fullmatch("[a-z_][a-z0-9_]*", place)) and not is_kind and place not in TYPES


def _plain(value: object) -> object:
    """Return a limit or a kind as people write it: 1 for 1.0."""
    if isinstance(value, str):
        return value.replace(KIND, "")
    return int(value) if isinstance(value, float) and value.is_integer() else value


class ByKind(NamedTuple):
    """Beside a union of settings classes: `kind` chooses the class; without it, the default, if any."""

    default: str | None

    def __get_pydantic_core_schema__(self, union: object, handler: GetCoreSchemaHandler) -> "CoreSchema":
        def kind(value: object) -> str | None:  # its name is in the messages
            of_value = value.get if isinstance(value, dict) else partial(getattr, value)
            name = current_value("kind", of_value("kind", self.default))
            name = name if isinstance(name, str | None) else shown(name)
            return name if name is None else f"{KIND}{name}"

        names = {one: get_args(one.model_fields["kind"].annotation) for one in get_args(union)}
        tagged = tuple(Annotated[one, Tag(f"{KIND}{name}")] for one, (name,) in names.items())
        return handler.generate_schema(Annotated[Union[tagged], Discriminator(kind)])  # noqa: UP007


def part_of(spec: Spec, kind: type[S], **others: object) -> S:
    """Return settings of `kind`: those that `spec` has, too, and `others`."""
    return kind(**{name: value for name, value in spec if name in kind.model_fields}, **others)
