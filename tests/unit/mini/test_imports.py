import ast

from tests.checkout import HOME


def test_the_package_does_without_the_mini_world():
    for path in (HOME / "src" / "contrapose").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "contrapose_mini" not in ast.unparse(node), path
