"""How findings are told."""

from contrapose.preflight.findings import fine, left_out, missing, told, unchecked, warning


def test_what_is_missing_comes_last_with_all_of_it_and_a_count():
    text = told(
        [missing("a", "lacks."), fine("b", "is there"), warning("c", "is old."), missing("d", "is empty.")]
    )
    assert text == (
        "Fine (1)\n  b: is there\n\nWarnings (1)\n  c: is old.\n\n"
        "Missing (2)\n  a: lacks.\n  d: is empty.\n\n"
        "2 missing: jobs would fail.\n"
    )


def test_without_anything_missing_it_says_so():
    text = told([left_out("x", "stays empty."), unchecked("GPU", "none here.")])
    assert text.startswith("Left out: not there, and no job needs it (1)\n  x: stays empty.")
    assert text.endswith("Could not be checked (1)\n  GPU: none here.\n\nNothing is missing.\n")


def test_a_long_finding_is_wrapped_and_an_address_in_it_is_not_cut():
    address = "https://example.org/" + "a" * 120
    lines = told([missing("hub", f"{'word ' * 30}{address} end")]).splitlines()
    assert f"    {address}" in lines
    assert all(len(line) <= 110 for line in lines if address not in line)
