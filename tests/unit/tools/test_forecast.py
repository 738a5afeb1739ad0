"""What fits in a time, against sums by hand."""

import pytest

from contrapose.tools.forecast import Choice, Forecast, Jobs, ModelJob, Open, fitting, makespan


def test_the_longest_jobs_begin_first_each_on_one_core():
    assert makespan([2, 3, 4], 1) == 9
    assert makespan([2, 3, 4], 2) == 5  # 4, and 3 with 2 behind it
    assert makespan([], 2) == 0


def test_a_choice_takes_what_is_left_and_what_each_further_seed_adds():
    # Two trainings of 1 s and 2 s a step, and one more for each further seed; files: 5 s, and 3 s a seed.
    few, each = Jobs([ModelJob(1, 2), ModelJob(1, 2)], 5), Jobs([ModelJob(1, 2)], 3)
    forecast = Forecast(fewest=3, few=few, each=each, workers=2, beside=8)
    assert forecast.seconds(Choice(10, 3)) == 8 + 5 + 21
    assert forecast.seconds(Choice(10, 5)) == 8 + 5 + 2 * 3 + 2 * 21
    assert forecast.seconds(Choice(None, 3)) == 8 + 5 + 1


@pytest.mark.parametrize(
    ("seconds", "choice"),
    [
        (49, None),
        (50, (8, 3)),
        (55, (9, 3)),
        (56, (10, 3)),  # as the recipe says
        (65, (13, 3)),  # four seeds of ten steps take 66
        (66, (10, 4)),
        (76, (10, 5)),
        (85, (11, 5)),
        (86, (12, 5)),  # an epoch
        (97, (14, 5)),
        (98, (12, 6)),
        (109, (13, 6)),
        (9999, (12, 7)),  # the most
    ],
)
def test_a_time_is_filled_by_steps_then_seeds_then_more_steps_until_the_next_seed(seconds, choice):
    # By hand: 26 seconds whatever is chosen, and one for each step of each seed.
    def cost(each: Choice) -> float:
        return 26 + (each.steps or 0) * each.seeds

    assert fitting(cost, Open(10, 12, (3, 5, 7)), seconds) == (choice and Choice(*choice))


def test_steps_that_are_given_stay_and_so_do_seeds():
    def cost(each: Choice) -> float:
        return (each.steps or 10) * each.seeds

    assert fitting(cost, Open(10, 12, (3, 5, 7), fixed=True), 45) == Choice(10, 4)
    assert fitting(cost, Open(10, 12, (3, 5, 7), fixed=True), 29) is None
    assert fitting(cost, Open(None, 12, (3, 5, 7)), 45) == Choice(None, 4)
    assert fitting(cost, Open(10, 12, (4, 4, 4)), 45) == Choice(11, 4)
    assert fitting(cost, Open(10, 12, (4, 4, 4)), 9999) == Choice(12, 4)
