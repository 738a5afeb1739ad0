"""What a table finds behind its rows that costs something: jobs by their logs, and questions."""

from contrapose.project.costs import table_costs
from contrapose.report.row_costs import Costs
from tests.unit.project.conftest import sts

RECIPES = {"rise-stsb": "rise", "llm-stsb": "rise"}  # their pairs have labels


def priced(*pairs: str, costs: bool = True) -> dict:
    return {
        "t": sts(
            {"encoder": "bert-base"}, *(f"{one}/{RECIPES.get(one, 'simcse')}" for one in pairs), costs=costs
        )
    }


def behind(build, *pairs: str, **config) -> list[tuple[list[str], list]]:
    """Return jobs, without where logs are and what they are called, and questions of each run."""
    costs = table_costs(build(priced(*pairs), **config), "own_t")
    names = [
        [job.removeprefix("<logs>/").removesuffix(".took.json") for job in run.jobs]
        for run in costs.runs.values()
    ]
    return list(zip(names, [run.questions for run in costs.runs.values()], strict=True))


def test_a_training_stands_alone_where_nothing_was_made_for_its_pairs(build):
    assert behind(build, "dropout", seeds=2) == [
        (["train/dropout/simcse/seed42"], []),
        (["train/dropout/simcse/seed43"], []),
    ]


def test_paraphrases_are_asked_for_in_shards(build):
    ((jobs, questions),) = behind(build, "paraphrase+corpus=wiki-1-1", shards={"generate": 2})
    folder = "generate/wiki-1-1/chatgpt-prompt2"
    assert jobs[0].startswith("train/paraphrase")
    assert jobs[1:] == [f"{folder}/0-of-2", f"{folder}/1-of-2", folder]
    assert questions == [("wiki-1-1", "chatgpt", "2")]


def test_rewrites_their_perplexities_texts_and_who_judges_them_count(build):
    (rewrites, none), (judged, _), (asked, questions) = behind(build, "ppdb-en", "rise-stsb", "llm-stsb")
    assert [job.split("/")[0] for job in rewrites] == ["train", *["generate"] * 2, *["score"] * 2]
    assert rewrites[1].removeprefix("generate") == rewrites[3].removeprefix("score")
    of_dev = {f"generate/synthetic/dino-stsb-dev{shard}" for shard in ("", "/0-of-2", "/1-of-2")}
    texts = {each.replace("-dev", "") for each in of_dev} | of_dev  # rise selects checkpoints on dev pairs
    assert {*judged[1:]} == {"score/identification/dino-stsb/sdi", *texts}
    assert {*asked[1:]} == {"generate/synthetic/llm-stsb", *of_dev}
    assert none == []
    assert {question[:2] for question in questions} == {("stsb-sources", "chatgpt")}
    assert len(questions) > 1
    assert all(prompt.startswith("dino-") for _, _, prompt in questions)


def test_where_its_models_are_asked_is_told_and_a_table_without_costs_looks_for_nothing(build):
    project = build(priced("paraphrase"))
    (asked,) = table_costs(project, "own_t").asked.values()
    folders = {journal.rpartition("/loopback-")[0] for journal in asked.journals}  # one of each code
    assert folders == {"<state>/generate/chatgpt-divergent"}
    assert (asked.price_known, asked.key) == (True, False)
    plain = build(priced("paraphrase", costs=False))
    assert table_costs(plain, "own_t") == Costs()


def test_mined_negatives_cost_their_neighbours_and_what_the_other_pairs_cost(build):
    mined = {"kind": "mined", "pairs": "paraphrase", "encoder": "bert-base"}
    ((jobs, questions),) = behind(build, "mine", recipes={"pairs.mine": mined})
    assert sum(job.startswith("score/neighbours/paraphrase/bert-base/") for job in jobs) == 1
    assert "generate/wiki-1-1-small/chatgpt-prompt2" in jobs
    assert questions == [("wiki-1-1-small", "chatgpt", "2")]
