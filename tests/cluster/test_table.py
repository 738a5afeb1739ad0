from tests.checkout import TARGET, Checkout, checkout, planned


def test_a_table_from_the_cluster_is_that_of_one_machine(built: Checkout, tmp_path):
    local = checkout(tmp_path / "local")
    local.run(TARGET)
    for file in (TARGET, TARGET.replace(".csv", ".md")):
        assert (built.folder / file).read_bytes() == (local.folder / file).read_bytes()


def test_what_is_built_is_not_built_again_on_one_machine(built: Checkout):
    assert planned(built.run("--dry-run", TARGET).stdout) == {}
