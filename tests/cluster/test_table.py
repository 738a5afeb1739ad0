from pathlib import Path

from tests.checkout import TARGET, Checkout, checkout, planned


def same(one: Checkout, other: Checkout, table: str) -> bool:
    """Compare a table of two projects byte by byte, as numbers and as text."""
    files = (table, table.replace(".csv", ".md"))
    return all((one.folder / file).read_bytes() == (other.folder / file).read_bytes() for file in files)


def test_a_table_from_the_cluster_is_that_of_one_machine(built: Checkout, tmp_path: Path):
    local = checkout(tmp_path)
    local.run(TARGET)
    assert same(built, local, TARGET)


def test_what_is_built_is_not_built_again_on_one_machine(built: Checkout):
    assert planned(built.run("--dry-run", TARGET).stdout) == {}
