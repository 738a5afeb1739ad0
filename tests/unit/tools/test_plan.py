"""What plan expects, against the thesis's own facts, sums by hand, and PyTorch's counter of operations."""

import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.catalogs import LLM, ContinuedEncoder
from contrapose.settings.cli_config import given_config
from contrapose.tables import PAIRS, SENTENCES, write_table
from contrapose.tools.dry_run import Job
from contrapose.tools.forecast import JOB_SECONDS, START_SECONDS
from contrapose.tools.mini_sizes import UNITS, generated_pairs
from contrapose.tools.model_work import hours, minutes_of_work, size_of, unknown
from contrapose.tools.new import write
from contrapose.tools.plan import disk, large_batches, llm_estimates, plan, prices_to_set, whole_time
from contrapose.tools.speed import RATES, Machine, cores, finished, known_as, machine, spelled
from contrapose.tools.workload import Call
from tests.checkout import HOME

WIKI = ("wiki-1-1", "chatgpt", "2")
BERT = 12 * 12 * 768**2  # weights of the layers: 4 d^2 of attention and 8 d^2 behind it, in 12 layers
GPT2, GPT2_XL = BERT + 50257 * 768, 12 * 48 * 1600**2 + 50257 * 1600
RUN = "released/bert-base/cls_before_pooler"
TUNED = {"fine_tuning": "pair-tasks", "task": "stsb_pairs", "run": "released/bert-base/seed42"}
DETECTION = {"pairs": "dino-stsb", "detector": "sdi-crossed"}
T5 = (12 + 16) * 12 * 768**2 + 32128 * 768  # twice 4 d^2 of attention in the decoder
WRITTEN = {"corpus": "wiki-1-1-small", "writer": "nli-synthesizer"}
FILLED = {"corpus": "wiki-1-1-small", "filler": "bert-base", "rate": "0.15", "choice": "drawn", "draw": "1"}
TOKENS = 140 / 4.57  # of a sampled sentence
A100 = 0.3 * 312e12 * 3600  # operations of an hour in bf16
FLOAT32 = ("generate_queries", "generate_entailments", "generate_masked_words", "score_neighbours")
CORE = Machine("a core", RATES["core"][:2])
QUESTION = {"corpus": "wiki-1-1-small", "llm": "chatgpt", "prompt": "2"}
NEAR = {"pairs": "dropout", "nearest": "10", "within": "-wiki-1-1-small", "scorer": "bert-base"}


@pytest.fixture(autouse=True)
def nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def hub(**config: str) -> Project:
    studies = ["thesis", "rise", "prdsimcse", "ppdbcse"]
    return Project({"catalog": "hub", "studies": studies, **config}, HOME)


def question(corpus: str, llm: str, prompt: str, shards: int = 2, left: int | None = None) -> list[Job]:
    known = {"corpus": corpus, "llm": llm, "prompt": prompt, "shards": str(shards)}
    return [Job("generate_paraphrase", {**known, "shard": str(shard)}) for shard in range(left or shards)]


def change(project: Project, **update: float) -> None:
    project.catalog.llms["chatgpt"] = project.catalog.llms["chatgpt"].model_copy(update=update)


def training(pairs: str, recipe: str) -> Job:
    return Job("train_encoder", {"pairs": pairs, "recipe": recipe, "seed": "42"})


def test_the_thesiss_own_facts_come_out_for_a_million_sentences():
    project = hub()
    change(project, prompt_price=2.0, completion_price=2.0, tokens_per_second=20)  # its model, in 2023
    (one,) = llm_estimates(Call(project, question(*WIKI)))
    requests, tokens, cost, *_ = one.amounts.values()
    assert requests == 1_000_000
    # "Each API response takes around 10 seconds and uses 300 tokens", and about 500 dollars in all.
    assert tokens / requests == pytest.approx(300, rel=0.2)
    assert cost == pytest.approx(500, rel=0.1)
    # By hand: (129 + 140) / 4 = 67 of the prompt and 5 (140 / 4 + 4) = 195, at 2 dollars a million.
    assert tokens == pytest.approx(262e6, rel=1e-3)
    assert cost == pytest.approx(524, rel=1e-3)


def test_hours_are_those_of_the_answers_in_flight_or_of_the_rate_limit_whichever_are_more():
    project = hub()
    (one,) = llm_estimates(Call(project, question(*WIKI)))
    assert one.amounts["time"] == pytest.approx(1e6 * 195 / 130 / 64 / 3600)
    change(project, requests_per_minute=60)
    (limited,) = llm_estimates(Call(project, question(*WIKI)))
    assert limited.amounts["time"] == pytest.approx(
        1e6 / 3600 / 0.985
    )  # one a second, of which 98.5 % are used
    (served,) = llm_estimates(Call(project, question("wiki-1-1", "vicuna", "1")))
    assert served.amounts["time"] == pytest.approx(1e6 * 195 / 2000 / 3600)  # however many are in flight


def test_a_larger_corpus_of_the_same_draws_asks_only_for_the_rest():
    names = ["wiki-1-1", "wiki-1-1-prompts", "wiki-1-1-small"]
    found = llm_estimates(Call(hub(), [job for name in names for job in question(name, "chatgpt", "2")]))
    requests = {one.labels["corpus"]: one.amounts["requests"] for one in found}
    assert requests == {"wiki-1-1-prompts": 100, "wiki-1-1-small": 149_900, "wiki-1-1": 850_000}


def test_only_the_shards_that_are_left_are_asked_and_answers_that_are_made_are_known():
    project = hub()
    (half,) = llm_estimates(Call(project, question(*WIKI, shards=4, left=2)))
    assert half.amounts["requests"] == 500_000
    made = Path("results/generate/wiki-1-1-small/chatgpt-prompt2/completions.parquet")
    made.parent.mkdir(parents=True)
    made.touch()
    (rest,) = llm_estimates(Call(project, question(*WIKI)))
    assert rest.amounts["requests"] == 850_000


def test_a_corpus_that_is_made_is_counted_unless_a_job_makes_it_anew():
    path = Path("results/corpus/wiki-1-1-prompts.parquet")
    path.parent.mkdir(parents=True)
    rows = [("a", "one two", "1", 0, 2), ("b", "three", "1", 1, 1)]
    write_table(pd.DataFrame(rows, columns=SENTENCES.columns), path, SENTENCES)
    assert Call(hub(), []).texts("wiki-1-1-prompts") == (2, 6.0)  # 7 and 5 bytes
    again = Job("corpus_sample", {"corpus": "wiki-1-1-prompts"}, outputs=[str(path)])
    assert Call(hub(), [again]).texts("wiki-1-1-prompts") == (100, 140)


def test_both_sentences_of_22500_pairs_are_translated_for_half_a_dollar():
    job = {"llm": "chatgpt", "shards": "1", "shard": "0"}
    (one,) = llm_estimates(Call(hub(), [Job("generate_translate", job)]))
    assert one.amounts["requests"] == 2 * (10_000 + 12_500)
    # 150 bytes of prompt / 4 and 15 characters of 3 bytes, and as many tokens in English.
    assert one.amounts["cost"] == pytest.approx(45_000 * ((37.5 + 15) * 0.1 + 15 * 0.5) / 1e6, rel=0.01)


def test_what_is_not_known_is_in_no_sum_and_named():
    mini = Project({"studies": ["rise"]}, HOME)
    texts = mini.recipes.synthetic["llm-stsb"].model_copy(update={"corpus": "simcse"})  # every line
    mini.recipes.synthetic["asked-own"] = texts
    job = Job("generate_chat_texts", {"texts": "asked-own"})
    assert {one.amounts["requests"] for one in llm_estimates(Call(mini, [job]))} == {None}
    alone = plan(Call(mini, [job]), CORE).split("\n\n")
    assert alone[1].splitlines()[-1].split() == ["all", "?", "?", "?", "?", "?"]
    assert alone[2].splitlines()[-1].split() == ["all", "?"]
    assert alone[3:] == ["Not known, so no sum includes them:\n  number of sentences of corpus simcse"]
    known = Job("generate_chat_texts", {"texts": "llm-stsb"})
    (counted, *_) = llm_estimates(Call(mini, [known]))
    both = plan(Call(mini, [job, known]), CORE).split("\n\n")
    requests = f"{6 * counted.amounts['requests']:,.0f}"  # three labels, two entries
    assert both[1].splitlines()[-1].split()[:4] == ["all", "at", "least", requests]
    assert both[3].splitlines()[1:] == [
        "  number of sentences of corpus simcse",
        "  tokens_per_second of llms.chatgpt",  # nor a limit
    ]


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ({"endpoint": "https://api.openai.com/v1"}, False),
        ({"endpoint": "https://api.openai.com/v1", "prompt_price": 1.0}, False),
        ({"endpoint": "https://api.openai.com/v1", "prompt_price": 0, "completion_price": 0}, True),
        ({"endpoint": "http://localhost:1/v1"}, True),
        ({"endpoint": "http://localhost:1/v1", "key": "A_KEY"}, False),
    ],
)
def test_a_model_that_may_cost_money_without_a_price_has_an_unknown_cost(settings, known):
    project = hub()
    project.catalog.llms["chatgpt"] = LLM.model_validate({"model": "m", "tokens_per_second": 9, **settings})
    call = Call(project, question("wiki-1-1", "chatgpt", "2"))
    (one,) = llm_estimates(call)
    assert (one.amounts["cost"], one.amounts["at most"]) == ((0, 0) if known else (None, None))
    said = (
        "prices of llms.chatgpt. Set prompt_price and completion_price in config/catalogs/hub.yaml, 0 if it "
        "is free."
    )
    assert prices_to_set(call) == ([] if known else [said])
    assert (f"Not known, so no sum includes them:\n  {said}" in plan(call, CORE)) is not known


def test_hours_of_models_without_a_known_size_or_number_of_texts_are_named():
    mini = Project({"studies": ["thesis", "prdsimcse"]}, HOME)
    jobs = [training("dropout", "simcse"), training("nli", "supervised_simcse")]
    work = plan(Call(mini, jobs), CORE).split("\n\n")[1]
    assert work.splitlines()[-1].split()[:4] == ["all", "2", "at", "least"]
    assert unknown(Call(mini, []), jobs[1]) == "number of rows of pairs nli"
    glove = mini.recipe("simcse").model_copy(update={"encoder": "glove"})
    mini.found[("recipe", ("simcse",))] = glove
    assert unknown(Call(mini, []), jobs[0]) == "size of encoders.glove"
    assert hours(Call(mini, []), jobs[0], RATES["core"]) is None


SHARD = {"shard": "0", "shards": "2"}


def trained(rule: str, pairs: str, recipe: str, passes: int, texts: int, tokens: int = 32) -> tuple:
    return rule, {"pairs": pairs, "recipe": recipe, "seed": "42"}, passes, texts, tokens, BERT


PASSAGES = [
    # Rule, wildcards, passes, texts, tokens of one, parameters.
    trained("train_encoder", "dropout", "simcse", 3, 150_000 * 2),
    # An epoch trains on one of the five slots.
    trained("train_encoder", "paraphrase", "paraphrase+epochs=20", 3, 150_000 * 2 * 20),
    # Five paraphrases in one loss; a number of steps, whatever the number of pairs.
    trained("train_encoder", "paraphrase+positives=5", "simcse", 3, 150_000 * 6),
    trained("train_encoder", "paraphrase+positives=5", "simcse+steps=30", 3, 30 * 64 * 6),
    # A queue: another pass of the anchors, a sixth of the work.
    trained("train_encoder", "dropout", "simcse+momentum_queue_size=160", 3.5, 150_000 * 2),
    # A frozen encoder of the same size reads each text once.
    trained("train_encoder", "dropout", "simcse+guide=bert-base", 4, 150_000 * 2),
    # A hard negative, and three epochs.
    trained("train_encoder", "nli", "supervised_simcse", 3, 275_601 * 3 * 3),
    trained("train_whitening", "dropout", "whitening", 1, 150_000 * 2, 64),
    trained("train_contrastive_tension", "dropout", "contrastive_tension", 3, 5000 * 16 * 2, 75),
    ("evaluate_fine_tuned", TUNED, 3, 20 * 5749, 122 / 4.57, BERT),
    # Each text is written behind what it must not follow, too: labels with none, one and two of these.
    ("generate_dino", {**SHARD, "texts": "dino-stsb"}, 1, 8509 * 5 * (1 + 2 + 3) / 2, 40, GPT2_XL),
    ("generate_queries", {**WRITTEN, "queries": "auto"}, 1, 450_000, (TOKENS + 12) / 2, T5),
    ("generate_queries", {**WRITTEN, "queries": "2"}, 1, 300_000, (TOKENS + 12) / 2, T5),
    # Read twice to be written for, and twice with one of the texts; one half of the model reads, one writes.
    ("generate_entailments", WRITTEN, 1, 150_000, (6 * TOKENS + 2 * TOKENS) / 2, T5),
    ("generate_masked_words", {**FILLED, "slots": "3"}, 1, 3 * 150_000, TOKENS, BERT),
    # Sentences with themselves, and as many of another corpus; ten of them and itself behind each anchor.
    ("score_neighbours", NEAR, 1, 450_000, TOKENS, BERT),
    (
        "score_reranked",
        NEAR,
        1,
        1_650_000,
        2 * TOKENS,
        BERT,
    ),
    ("score_relevance", {"pairs": "dropout", "scorer": "bert-base"}, 1, 150_000, 2 * TOKENS, BERT),
    ("score_paraphrase_similarities", {**QUESTION, "scorer": "bert-base"}, 1, 900_000, TOKENS, BERT),
    # The test splits of seven sets, and STS-B's dev split.
    ("evaluate_suite", {"suite": "english", "run": RUN}, 1, 2 * (18_850 + 1500), 61 / 4.57 + 2, BERT),
    # Five epochs of as many human texts as machine ones, five classifiers that each leave one fold out.
    ("score_detection", DETECTION, 3, 5 * 2 * 8509 * 4, 61 / 4.57, BERT),
    ("score_rewrite_perplexities", {**SHARD, "rewrites": "ppdb-en"}, 1, 400_000 * 64 / 2, 111 / 4.57, GPT2),
]


@pytest.mark.parametrize(("rule", "known", "passes", "texts", "tokens", "parameters"), PASSAGES)
def test_hours_are_two_operations_a_pass_token_and_parameter(rule, known, passes, texts, tokens, parameters):
    project = hub()
    found = hours(Call(project, []), Job(rule, known), RATES["a100"])
    rate = A100 / 2 if rule in FLOAT32 else A100
    search = 150_000 * 300_000 * 2 * 1024 if rule == "score_neighbours" else 0  # all anchors with all texts
    assert found == pytest.approx((2 * passes * texts * tokens * parameters + search) / rate, rel=0.01)
    assert minutes_of_work(project, rule, known) == pytest.approx(4 * 60 * found)


def test_masked_language_modelling_reads_a_batch_in_each_step_and_predicts_the_masked_tokens():
    project = hub()
    project.catalog.encoders["further"] = ContinuedEncoder(
        kind="mlm_pretraining", of="bert-base", corpus="simcse"
    )
    job = Job("train_continued", {"role": "further"})
    parameters = BERT + 0.15 * 30522 * 768
    operations = 2 * 3 * 2000 * 64 * (122 / 4.57 + 2) * parameters
    assert hours(Call(project, []), job, RATES["a100"]) == pytest.approx(operations / A100, rel=0.01)


@pytest.mark.parametrize(
    ("config", "recipe", "rate"),
    [
        ({}, "simcse", 93.6),
        ({"precision": "float32"}, "simcse", 46.8),
        ({"precision": "float32"}, "simcse+precision=fp16", 93.6),
        ({}, "simcse+precision=float32", 46.8),
    ],
)
def test_hours_follow_the_precision_of_the_config_and_of_a_recipe(config, recipe, rate):
    found = hours(Call(hub(**config), []), training("dropout", recipe), RATES["a100"])
    assert found == pytest.approx(2 * 3 * 150_000 * 2 * 32 * BERT / (rate * 1e12 * 3600), rel=0.01)


def test_a_batch_that_is_larger_than_an_epoch_is_told_once(tmp_path):
    (tmp_path / "lines.txt").write_text("".join(f"sentence number {number}\n" for number in range(70)))
    write(Path("mine"), None, {"sentences": tmp_path / "lines.txt"})
    os.chdir("mine")
    project = Project(given_config(["sentences=20"]), HOME)
    jobs = [training(pairs, "compare") for pairs in ("crop", "dropout")]
    says = "so every batch has 20 instead of 64. No change is needed. More sentences make larger batches."
    of_one = f"The pair set crop has only 20 pairs, {says}"
    of_both = f"2 pair sets have only 20 pairs each, {says}"
    assert [*large_batches(Call(project, [training("crop", "compare+batch_size=20")]))] == []
    assert [*large_batches(Call(project, jobs[:1]))] == [of_one]
    assert [*large_batches(Call(project, jobs))] == [of_both]
    assert f"\n\nbatch_size: {of_both}" in plan(Call(project, jobs), CORE)


def test_sentences_of_ones_own_file_and_pairs_that_are_made_are_counted(tmp_path):
    text = (
        "".join(f"sentence number {number} of several\n" for number in range(70))
        + "\nsentence number 3 of several\n"
    )
    (tmp_path / "lines.txt").write_text(text)
    write(Path("mine"), None, {"sentences": tmp_path / "lines.txt"})
    os.chdir("mine")
    call = Call(Project(given_config([]), HOME), [])
    assert call.texts("every_sentence").sentences == 70  # without blank and repeated lines
    assert call.texts("sentences").sentences == 70 - 23  # a third makes test pairs
    assert call.all_rows("crop") == 5 * 47
    assert call.rows("contradicted") == call.rows("mined") == 47
    assert call.all_rows("own") is None  # no file
    few = Call(Project(given_config(["sentences=20"]), HOME), [])
    assert (few.texts("sentences").sentences, few.rows("crop")) == (20, 20)
    rows = {
        "id": list("ab"),
        "slot": 0,
        "view": 0,
        "anchor": "x",
        "positive": "y",
        "label": 1.0,
        "weight": 1.0,
    }
    pairs = pd.DataFrame({**rows, "negatives": [[], []], "negative_scores": [[], []]})[PAIRS.columns]
    Path("results/pairs").mkdir(parents=True)
    write_table(pairs, Path("results/pairs/own.parquet"), PAIRS)
    assert call.all_rows("own") == 2
    # 32 bytes are seven word pieces and both ends, fewer than the 64 of the recipe.
    assert call.tokens("filtered") == pytest.approx(call.texts("sentences").length / 4.57 + 2)
    Path("data/sentences.txt").write_text("\n")  # of which `check` says that it has no sentence
    assert Call(call.project, []).rows("crop") is None
    # Only here what jobs took is known: 6e9 operations in three seconds of one of the cores.
    took = {"work": "", "finished": True, "wall_seconds": 9, "cpu_seconds": 3, "gpu_seconds": 0, "flops": 6e9}
    Path("logs/train/x").mkdir(parents=True)
    Path("logs/train/x/seed42.took.json").write_text(json.dumps(took))
    Path("logs/train/pretrained").mkdir()  # of a tiny model, which reaches another rate
    Path("logs/train/pretrained/tiny.took.json").write_text(json.dumps(took))
    project = Project(given_config(["device=cpu"]), HOME)
    assert [one.wall_seconds for one in finished(project)] == [9]
    assert machine(project).rates[0] == pytest.approx(cores() * 6e9 / 3 / 1e12)
    assert machine(project, "a100").rates == (pytest.approx(46.8), pytest.approx(93.6))
    assert machine(project, "40").rates == (40, 40)
    with pytest.raises(
        ConfigError, match=r"h1000: this device is not known\. Write 'here' for this machine, or one of v100"
    ):
        machine(project, "h1000")


def test_hours_on_a_measured_card_are_those_of_its_sentences_a_second_and_say_so():
    """docs/dev/performance.md: an H100 trains 3,045 sentences a second of BERT-base."""
    call = Call(
        hub(), [training("dropout", "simcse"), Job("evaluate_suite", {"suite": "english", "run": RUN})]
    )
    device = machine(call.project, "h100")
    assert hours(call, call.jobs[0], device.rates) == pytest.approx(150_000 / 3045 / 3600)
    text = plan(call, device)
    assert "3,045 sentences/s of BERT-base in bf16" in text
    assert re.search(r"training +1 +49 s +measured", text)
    assert re.search(r"evaluating +1 +\d+ s estimated", text)
    assert re.search(r"training +1 +\d+ s estimated", plan(call, machine(call.project, "a100")))


def test_the_time_of_all_jobs_adds_what_each_takes_beside_its_model():
    call = Call(hub(), [training("dropout", "simcse"), Job("report_sts_table", {"table": "table4_1"})])
    device = Machine("cores of this machine", RATES["core"][:2], devices=cores())
    starts = (START_SECONDS + 2 * JOB_SECONDS / cores()) / 3600
    every = hours(call, call.jobs[0], device.rates) + starts
    assert whole_time(call, device) == (
        f"All 2 jobs take about {spelled(every)} on cores of this machine. Of this, {spelled(starts)} pass "
        "because each job has to start, read and write."
    )


def test_a_generated_catalog_is_priced_by_its_own_sizes(made_world):
    """By those of the files that the generator writes; published sets have a thousand times as many pairs."""
    project = Project({"catalog": "mini", "studies": ["ppdbcse"]}, HOME)
    made, _ = read_benchmarks(made_world, project.catalog.benchmarks)
    for (task, split), count in made.groupby(["task", "split"]).size().items():
        assert generated_pairs(task, split, 6) == pytest.approx(count, rel=0.1, abs=2), (task, split)
    assert {*made.task} == {*UNITS}
    tuned = Job("evaluate_fine_tuned", {**TUNED, "task": "esci_us"})
    size = size_of(project, "encoders", "bert-base")
    texts = project.entry("fine_tunings", "pair-tasks").epochs * 9 * 60
    operations = 3 * texts * 122 / 4.57 * 2 * size.layers
    assert hours(Call(project, []), tuned, (1.0, 1.0)) == pytest.approx(operations / 1e12 / 3600)


@pytest.mark.parametrize(
    ("board", "name"),
    [
        ("Tesla V100-SXM2-16GB, 16384 MiB", "v100"),
        ("NVIDIA A100-SXM4-80GB, 81920 MiB", "a100"),
        ("NVIDIA A10, 23028 MiB", "a10"),
        ("NVIDIA H100 80GB HBM3, 81559 MiB", "h100"),
        ("NVIDIA H100 PCIe, 81559 MiB", "h100-pcie"),
        ("NVIDIA L40S, 46068 MiB", "l40s"),
        ("NVIDIA RTX 6000 Ada Generation, 49140 MiB", "rtx-6000-ada"),
        ("NVIDIA GeForce RTX 4090, 24564 MiB", "rtx-4090"),
        ("NVIDIA A10G, 23028 MiB", ""),  # of Amazon, without a data sheet
    ],
)
def test_boards_are_known_by_the_words_of_their_names(board, name):
    assert known_as(board) == name


def test_the_disk_holds_each_trained_encoder_and_each_model_of_the_hub_once():
    recipes = ("simcse", "simcse+temperature=0.1")
    sizes = disk(Call(hub(), [training("dropout", recipe) for recipe in recipes]))
    bert = 4 * (BERT + 30522 * 768)
    assert sizes == {"cache of the hub": bert, "trained encoders": 2 * bert}


def test_the_disk_holds_articles_texts_and_pairs():
    jobs = [Job("corpus_draw", {"corpus": "wiki-1-1", "shard": shard, "shards": "2"}) for shard in "01"]
    jobs += [Job("corpus_sample", {"corpus": "wiki-1-1"}), Job("pairs_dropout", {"pairs": "dropout"})]
    jobs += [Job("retrieve_articles", {})]
    sizes = disk(Call(hub(), [*jobs, *question(*WIKI)]))
    assert sizes["articles"] == pytest.approx(6_407_814 * 2370 * 0.41, rel=1e-3)
    assert sizes["corpora"] == pytest.approx((8 + 1) * 1e6 * 140 * 0.51, rel=1e-3)  # 8 draws a sentence
    assert sizes["pairs"] == pytest.approx(150_000 * 2 * 140 * 0.51, rel=1e-3)
    assert sizes["journals, answers"] == pytest.approx(1e6 * (805 + 2.02 * 5 * 140), rel=1e-3)
