"""What `validated` says of a wrong value: the key as people have written it, and what is allowed."""

import re
from typing import Annotated, Literal

import pytest
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.report.kinds.sts import STSTable
from contrapose.settings.main import Config
from contrapose.settings.spec import ByKind, Name, Spec, VariableName, validated


class Square(Spec):
    kind: Literal["square"] = "square"
    side: float = Field(1.0, gt=0)
    every: Annotated[int, Field(ge=1)] | Literal["epoch"] = 1
    names: tuple[Name, ...] = Field(("a",), min_length=1)
    key: VariableName | None = None


class Circle(Spec):
    kind: Literal["circle"]
    max_grad_norm: float | None = None
    radius: int


class Drawing(Spec):
    shapes: dict[Name, Annotated[Square | Circle, ByKind("square")]] = Field({})
    sizes: dict[str, list[Annotated[int, Field(ge=1, le=9)]] | None] = Field({})
    frame: Square | Circle | None = Field(None, discriminator="kind")


KINDS = "Known: 'square', 'circle'."


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"shapes": {"a": {"side": -1}}}, "shapes.a.side is -1, but a number above 0 is expected."),
        ({"shapes": {"a": {"side": "x"}}}, "shapes.a.side is 'x', but a number above 0 is expected."),
        (
            {"shapes": {"a": {"side": {"b": 1}}}},
            "shapes.a.side is a mapping, but a number above 0 is expected.",
        ),
        ({"shapes": {"a": {"side": None}}}, "shapes.a.side is null, but a number above 0 is expected."),
        ({"shapes": {"a": {"side": True}}}, "shapes.a: side is true, but a number above 0 is expected."),
        (
            {"shapes": {"a": {"every": 2**63}}},
            "shapes.a: every is 9223372036854775808, but a whole number of at least 1 and below 2^63 is "
            "expected.",
        ),
        (
            {"shapes": {"a": {"every": False}}},
            "shapes.a: every is false, because YAML reads yes, no, on and off as true or false. Put a text "
            "in quotes.",
        ),
        ({"sizes": {"a": [0]}}, "sizes.a (entry 1) is 0, but a whole number from 1 to 9 is expected."),
        ({"sizes": {"a": ["b"]}}, "sizes.a (entry 1) is 'b', but a whole number from 1 to 9 is expected."),
        (
            {"shapes": {"a": {"every": "day"}}},
            "shapes.a.every is 'day', but a whole number of at least 1 or 'epoch' is expected.",
        ),
        (
            {"shapes": {"a": {"every": 0}}},
            "shapes.a.every is 0, but a whole number of at least 1 or 'epoch' is expected.",
        ),
        (
            {"shapes": {"a": {"names": []}}},
            "shapes.a.names is [], but a value of at least 1 item is expected.",
        ),
        ({"shapes": {"a": {"names": ["b", 3]}}}, "shapes.a.names (entry 2) is 3, but a text is expected."),
        ({"shapes": {"a": {"key": ["sk"]}}}, "shapes.a.key has another value, but a text is expected."),
        ({"shapes": {"a": 3}}, "shapes.a is 3, but a mapping (`key: value`) is expected."),
        ({"shapes": [1]}, "shapes is [1], but a mapping (`key: value`) is expected."),
        ([1], "the whole content is [1], but a mapping (`key: value`) is expected."),
        (
            {"shapes": {"a": {"kind": "circle"}}},
            "the key shapes.a.radius is missing. Add it; docs/reference/configuration describes all keys.",
        ),
        ({"frame": {"radius": 1}}, "the key frame.kind is missing."),
        (
            {"frame": {"kind": "circle", "radius": "1.5"}},
            "frame.radius is '1.5', but a whole number is expected.",
        ),
        (
            {"shapes": {"a": {"kind": "circel"}}},
            f"shapes.a.kind is 'circel', but there is no such kind. Did you mean 'circle'? {KINDS}",
        ),
        ({"frame": {"kind": "cube"}}, f"frame.kind is 'cube', but there is no such kind. {KINDS}"),
        (
            {"shapes": {"a": {"kind": None}}},
            "shapes.a.kind is None, but the name of a kind is expected.",
        ),
        (
            {"shapes": {"a": {"kind": "circle", "radius": 1, "clip": "x"}}},  # the former name of a key
            "shapes.a.clip is 'x', but a number is expected.",
        ),
        (
            {"shapes": {"a": {"sid": 1}}},
            "shapes.a: there is no key 'sid'. Did you mean 'side'? Known: every, key, kind, names, side.",
        ),
        (
            {"shapes": {"a": {"eve": 1}}},  # the beginning of a key
            "shapes.a: there is no key 'eve'. Did you mean 'every'? Known: every, key, kind, names, side.",
        ),
        (
            {"shapes": {"a b": {}}},
            "shapes.a b: a name is part of ids and file names. It can contain letters, digits and . _ @ -, "
            "and begins with a letter, a digit or _ (got 'a b').",
        ),
    ],
)
def test_a_wrong_value_is_told_with_its_place_and_what_is_allowed(content, says):
    with pytest.raises(ConfigError) as raised:
        validated(Drawing, content, "file.yaml")
    assert str(raised.value) == f"file.yaml: {says}"


def test_each_wrong_key_has_a_line():
    with pytest.raises(ConfigError) as raised:
        validated(Circle, {"kind": "circle", "radius": "a", "max_grad_norm": "b"}, "x")
    assert str(raised.value) == (
        "x: max_grad_norm is 'b', but a number is expected.\n"
        "x: radius is 'a', but a whole number is expected."
    )


def test_a_slip_in_several_entries_of_a_list_is_told_once_with_the_name_of_the_first():
    class Row(Spec):
        model: str
        seeds: int = 1

    class Rows(Spec):
        rows: list[Row]

    rows = [{"model": f"m ({number})", "seed": number} for number in range(3)]
    with pytest.raises(ConfigError) as raised:
        validated(Rows, {"rows": [*rows, {"model": "n", "seeds": "two"}]}, "f.yaml")
    first, other = str(raised.value).split("\n")
    assert first.startswith("f.yaml: rows (entry 1, m (0)): there is no key 'seed'.")
    assert first.endswith("The same is wrong in 2 more entries of this list.")
    assert other == "f.yaml: rows (entry 4, n).seeds is 'two', but a whole number is expected."


def test_of_many_allowed_names_the_nearest_are_shown():
    rows = [{"model": "m", "encoder": "e"}]
    given = {"kind": "sts", "caption": "c", "columns": {"STS-B": "stbs"}, "rows": rows}
    with pytest.raises(ConfigError) as raised:
        validated(STSTable, given, "study.yaml")
    said = str(raised.value)
    assert re.search(
        r"columns\.STS-B is 'stbs', but one of \d\d names such as 'stsb', .* is expected\.$", said
    )
    assert len(said) < 200


def test_a_text_in_the_place_of_a_list_of_texts_is_told_how_that_is_written():
    with pytest.raises(ConfigError) as raised:
        validated(Config, {"methods": "Span crop"}, "--config")
    assert str(raised.value) == (
        """--config: methods is 'Span crop', but a list such as ["Span crop"] is expected."""
    )
