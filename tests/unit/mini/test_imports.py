import re
import subprocess
import sys

from tests.checkout import HOME


def test_the_package_does_without_the_mini_world():
    imported = re.compile(r"^\s*(import|from) contrapose_mini", re.MULTILINE)
    for path in (HOME / "src" / "contrapose").rglob("*.py"):
        assert not imported.search(path.read_text()), path


def test_writing_a_world_does_not_load_torch():
    code = "import sys, contrapose_mini.files; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
