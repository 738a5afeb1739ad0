"""The folder of original files that CONTRAPOSE_DATA names, and the mark of tests that read it."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("CONTRAPOSE_DATA") or "no data")
on_real_files = pytest.mark.skipif(not DATA.is_dir(), reason="CONTRAPOSE_DATA names no folder")
