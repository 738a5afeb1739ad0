from contrapose.tools.report import command


def test_a_command_has_the_settings_that_change_results_and_no_folder_of_this_machine():
    assert command([], "thesis") == "contrapose run -- thesis"
    given = ["world=hub", "data=/home/x/data", "seeds=3", "device=cuda", "encoder=/home/x/y"]
    assert command(given, "t.csv") == "contrapose run --config world=hub seeds=3 data=FOLDER -- t.csv"
