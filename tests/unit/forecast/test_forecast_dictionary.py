import pytest
from contrapose.plan import Plan

from contrapose.forecast.compute import forward_flops, gpu, shape_of, training_flops
from contrapose.forecast.dag import Job
from contrapose.forecast.dictionary import PAIR_BYTES, fine_tunings, pair_tokens, scorings
from contrapose.forecast.synthetic import token_flops
from contrapose.forecast.texts import pair_rows, set_pairs
from contrapose.tasks import TASKS
from tests.checkout import HOME

HUB = Plan({"world": "hub", "studies": ["ppdbcse"]}, HOME)
MINI = Plan({"studies": ["ppdbcse"]}, HOME)
PAIR_TASKS = [task for task, about in TASKS.items() if about.suite.startswith("pair_tasks")]


def tuned(task: str, **known: str) -> Job:
    return Job("evaluate_fine_tuned", {"fine_tuning": "pair-tasks", "task": task, "seed": "42", **known})


def test_the_shards_of_one_entry_are_one_work_of_as_many_candidates_as_are_kept():
    jobs = [Job("score_rewrites", {"rewrites": "ppdb-en", "shard": shard, "shards": "2"}) for shard in "01"]
    (work,) = scorings(HUB, jobs, gpu())
    assert (work.role, work.jobs, work.sentences) == ("gpt2", 1, 400_000 * 64)
    shape = HUB.world.language_models["gpt2"].shape
    assert work.flops == pytest.approx(work.sentences * work.tokens * token_flops(shape, work.tokens / 2))


def test_a_fine_tuning_takes_all_its_epochs_and_dev_pairs_after_each():
    jobs = [tuned("snli", pairs="nli-en", recipe="ppdbcse"), tuned("snli", role="bert-base")]
    (work,) = fine_tunings(HUB, jobs, gpu())
    assert (work.role, work.jobs, work.steps) == ("bert-base", 2, 20 * -(-549_367 // 64))
    shape, tokens = shape_of(HUB, "bert-base"), pair_tokens(HUB.fine_tuning("pair-tasks"), "snli")
    learning = 20 * 549_367 * training_flops(shape, tokens)
    judging = (20 * 9842 + 9842 + 9824) * forward_flops(shape, tokens)
    assert work.flops == pytest.approx(learning + judging)
    assert work.sentences == 20 * (549_367 + 9842) + 9842 + 9824


def test_long_inputs_are_cut_where_the_recipe_says_so():
    spec = HUB.fine_tuning("pair-tasks").model_copy(update={"max_length": 20, "long_max_length": 25})
    assert [pair_tokens(spec, task) for task in ("paws", "esci_us")] == [20, 25]


def test_every_pair_task_has_a_length_and_a_size_in_the_mini_world():
    assert PAIR_BYTES.keys() == set(PAIR_TASKS)
    for task in PAIR_TASKS:
        train, dev, test = (set_pairs(MINI, task, split) for split in ("train", "dev", "test"))
        assert 60 <= dev <= train
        assert test >= 180


def test_pairs_of_a_dictionary_are_as_many_as_are_asked_for():
    assert pair_rows(HUB, "ppdb-en+size=pairs_160k").slots == [160_000]
