from contrapose.tools.report_file import command


def test_a_command_has_the_settings_that_change_results_and_no_folder_of_this_machine():
    assert command([], "thesis") == "contrapose run -- thesis"
    given = ["catalog=hub", "data=/home/x/data", "steps=3", "device=cuda", "encoder=/home/x/y"]
    assert command(given, "t.csv") == "contrapose run --config catalog=hub steps=3 data=FOLDER -- t.csv"


def test_a_result_is_built_again_with_the_settings_that_it_was_built_with():
    rows = [{"model": "Dropout, selected", "selected_for": "Dropout"}]
    about = {"seeds": [42], "bootstrap": 500, "rows": rows}
    given = ["catalog=hub", "seeds=3"]
    assert command(given, "t.csv", {"settings": {"about": about}}) == (
        "contrapose run --config catalog=hub bootstrap=500 search=true -- t.csv"
    )
    many = {"settings": {"about": {"seeds": [42, 43], "bootstrap": 1000, "rows": []}}}
    assert command([], "t.csv", many) == "contrapose run --config seeds=2 -- t.csv"
    assert command(given, "claims.csv", {"settings": {}}).endswith(
        "--config catalog=hub seeds=3 -- claims.csv"
    )
