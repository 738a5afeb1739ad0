import pandas as pd

from contrapose.report.files import write_csv


def test_no_cell_of_a_csv_file_is_a_formula_and_numbers_stay(tmp_path):
    kept = ["-0.31 ± 0.05", "+20%", "-", "a=1", "−1", "", None]
    made = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-x", "\t=1"]
    table = pd.DataFrame({"=model": [*kept, *made], "n": range(12), "value": [-0.5] * 12})
    write_csv(table, tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv", keep_default_na=False)
    assert read["'=model"].tolist() == [*(each or "" for each in kept), *(f"'{each}" for each in made)]
    assert read.value.tolist() == [-0.5] * 12
