import re

from tests.checkout import HOME


def test_the_package_does_without_the_mini_world():
    imported = re.compile(r"^\s*(import|from) contrapose_mini", re.MULTILINE)
    for path in (HOME / "src" / "contrapose").rglob("*.py"):
        assert not imported.search(path.read_text()), path
