"""What plan expects, against the thesis's own facts, sums by hand, and PyTorch's counter of operations."""

from pathlib import Path

import pandas as pd
import pytest

from contrapose.project import Project
from contrapose.tables import SENTENCES, write_table
from contrapose.tools.jobs import Job
from contrapose.tools.plan.asking import asked
from contrapose.tools.plan.call import Call
from contrapose.tools.plan.disk import disk
from contrapose.tools.plan.work import Size, hours, size_of

HOME = Path(__file__).parents[3]
WIKI = ("wiki-1-1", "chatgpt", "2")
BERT = 12 * 12 * 768**2  # weights of the layers: 4 d^2 of attention and 8 d^2 behind it, in 12 layers
A100 = 0.3 * 19.5e12 * 3600  # operations in an hour, float32: 30 % of the peak; the table has 5.9 for 5.85


@pytest.fixture(autouse=True)
def nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def hub(**settings: object) -> Project:
    return Project({"world": "hub", "studies": ["thesis", "rise", "prdsimcse"], **settings}, HOME)


def question(corpus: str, llm: str, prompt: str, shards: int = 2, left: int | None = None) -> list[Job]:
    known = {"corpus": corpus, "llm": llm, "prompt": prompt, "shards": str(shards)}
    return [Job("generate_paraphrase", {**known, "shard": str(shard)}) for shard in range(left or shards)]


def training(pairs: str, recipe: str) -> Job:
    return Job("train_encoder", {"pairs": pairs, "recipe": recipe, "seed": "42"})


def test_the_thesiss_own_facts_come_out_for_a_million_sentences():
    (one,) = asked(Call(hub(), question(*WIKI)))
    estimate = one.estimate
    assert estimate.requests == 1_000_000
    # "Each API response takes around 10 seconds and uses 300 tokens", and about 500 dollars in all.
    assert estimate.tokens / estimate.requests == pytest.approx(300, rel=0.2)
    assert estimate.dollars == pytest.approx(500, rel=0.1)
    # By hand: (129 + 140) / 4 = 67 of the prompt and 5 (140 / 4 + 4) = 195, at 2 dollars a million.
    assert estimate.tokens == pytest.approx(262e6, rel=1e-3)
    assert estimate.dollars == pytest.approx(524, rel=1e-3)


def test_hours_are_those_of_the_answers_in_flight_or_of_the_rate_limit_whichever_are_more():
    project = hub()
    (one,) = asked(Call(project, question(*WIKI)))
    assert one.hours == pytest.approx(1e6 * 195 / 20 / 16 / 3600)  # 20 tokens a second, 2 x 8 in flight
    project.world.llms["chatgpt"] = project.world.llms["chatgpt"].model_copy(
        update={"requests_per_minute": 60}
    )
    (limited,) = asked(Call(project, question(*WIKI)))
    assert limited.hours == pytest.approx(1e6 / 3600 / 0.985)  # one a second, of which 98.5 % are used
    (unknown,) = asked(Call(project, question("wiki-1-1", "vicuna", "1")))
    assert unknown.hours is None


def test_a_larger_corpus_of_the_same_draws_asks_only_for_the_rest():
    names = ["wiki-1-1", "wiki-1-1-prompts", "wiki-1-1-small"]
    found = asked(Call(hub(), [job for name in names for job in question(name, "chatgpt", "2")]))
    requests = {one.corpus: one.estimate.requests for one in found}
    assert requests == {"wiki-1-1-prompts": 100, "wiki-1-1-small": 149_900, "wiki-1-1": 850_000}


def test_another_draw_prompt_or_model_is_asked_anew():
    others = [
        WIKI,
        ("wiki-1-2-draw", "chatgpt", "2"),
        ("wiki-1-1", "chatgpt", "1"),
        ("wiki-1-1", "vicuna", "2"),
    ]
    found = asked(Call(hub(), [job for one in others for job in question(*one)]))
    assert [one.estimate.requests for one in found] == [1_000_000] * 4


def test_only_the_shards_that_are_left_are_asked_and_answers_that_are_made_are_known():
    project = hub()
    (half,) = asked(Call(project, question(*WIKI, shards=4, left=2)))
    assert half.estimate.requests == 500_000
    made = Path("results/generate/wiki-1-1-small/chatgpt-prompt2/completions.parquet")
    made.parent.mkdir(parents=True)
    made.touch()
    (rest,) = asked(Call(project, question(*WIKI)))
    assert rest.estimate.requests == 850_000


def test_a_corpus_that_is_made_is_counted_unless_a_job_makes_it_anew():
    path = Path("results/corpus/wiki-1-1-prompts.parquet")
    path.parent.mkdir(parents=True)
    rows = [("a", "one two", "1", 0, 2), ("b", "three", "1", 1, 1)]
    columns = ["id", "text", "article_id", "position", "words"]
    write_table(pd.DataFrame(rows, columns=columns)[list(SENTENCES.columns)], path, SENTENCES)
    assert Call(hub(), []).texts("wiki-1-1-prompts") == (2, 6.0)  # 7 and 5 bytes
    again = Job("corpus_sample", {"corpus": "wiki-1-1-prompts"}, outputs=[str(path)])
    assert Call(hub(), [again]).texts("wiki-1-1-prompts") == (100, 140)


def test_both_sentences_of_22500_pairs_are_translated_for_six_dollars():
    job = {"llm": "chatgpt", "shards": "1", "shard": "0"}
    (one,) = asked(Call(hub(), [Job("generate_translate", job)]))
    assert one.estimate.requests == 2 * (10_000 + 12_500)
    # 150 bytes of prompt / 4 and 15 characters of 3 bytes, and as many tokens in English.
    assert one.estimate.dollars == pytest.approx(45_000 * (37.5 + 15 + 15) * 2 / 1e6, rel=0.01)


def test_texts_of_a_chat_model_are_asked_for_each_label_and_entry():
    found = asked(Call(hub(), [Job("generate_asked", {"texts": "asked-stsb"})]))
    assert len(found) == 3 * 2
    # Both sentences of 5,749 pairs, 74 % of them distinct: fewer than the 10,000 that are wanted at most.
    assert {one.estimate.requests for one in found} == {8509}


@pytest.mark.parametrize(
    ("pairs", "recipe", "sentences"),
    [
        ("dropout", "simcse", 150_000 * 2),
        ("paraphrase", "paraphrase+epochs=20", 150_000 * 2 * 20),  # an epoch trains on one of five slots
        ("nli", "supervised_simcse", 275_601 * 3 * 3),  # a hard negative, three epochs
    ],
)
def test_a_training_is_three_passes_of_every_sentence_of_every_epoch(pairs, recipe, sentences):
    found = hours(Call(hub(), []), training(pairs, recipe), "a100")
    assert found == pytest.approx(3 * 2 * BERT * sentences * 32 / A100, rel=0.01)


def test_a_whitening_is_one_pass_and_contrastive_tension_as_many_as_it_has_steps():
    call, known = Call(hub(), []), {"pairs": "dropout", "seed": "42"}
    fitted = hours(call, Job("train_whitening", {**known, "recipe": "whitening"}), "a100")
    assert fitted == pytest.approx(2 * BERT * 300_000 * 64 / A100, rel=0.01)
    tension = Job("train_contrastive_tension", {**known, "recipe": "contrastive_tension"})
    steps = 5000 * 16 * 2  # of 16 pairs
    assert hours(call, tension, "a100") == pytest.approx(3 * 2 * BERT * steps * 75 / A100, rel=0.01)


def test_a_language_model_writes_each_text_behind_what_it_must_not_follow_too():
    job = Job("generate_dino", {"texts": "dino-stsb", "shard": "0", "shards": "2"})
    parameters = 12 * 48 * 1600**2 + 50257 * 1600  # GPT-2 XL
    texts = 8509 * 5 * (1 + 2 + 3) / 2
    assert hours(Call(hub(), []), job, "a100") == pytest.approx(2 * parameters * texts * 40 / A100, rel=0.01)


def test_a_fine_tuning_has_three_passes_of_each_pair_and_a_candidate_one():
    call = Call(hub(studies=["ppdbcse"]), [])
    known = {"fine_tuning": "pair-tasks", "task": "stsb_pairs", "run": "released/bert-base/seed42"}
    found = hours(call, Job("evaluate_fine_tuned", known), "a100")
    assert found == pytest.approx(3 * 2 * BERT * 20 * 5749 * (122 / 4.57) / A100, rel=0.01)
    scored = hours(call, Job("score_rewrites", {"rewrites": "ppdb-en", "shard": "0", "shards": "1"}), "a100")
    gpt2 = 12 * 12 * 768**2 + 50257 * 768
    assert scored == pytest.approx(2 * gpt2 * 400_000 * 64 * (111 / 4.57) / A100, rel=0.01)


def test_a_classifier_learns_from_all_folds_but_one_on_as_many_human_as_machine_texts():
    project = hub()
    spec = project.identifier(name := next(iter(project.recipes.identifiers)))
    size = size_of(project, "encoders", spec.encoder)
    assert size is not None
    found = hours(
        Call(project, []), Job("score_identification", {"pairs": "dino-stsb", "identifier": name}), "a100"
    )
    texts = 2 * 8509 * spec.epochs * max(1, spec.folds - 1)
    assert found == pytest.approx(3 * 2 * size.layers * texts * (61 / 4.57) / A100, rel=0.01)


@pytest.mark.parametrize(
    ("section", "role", "published"),
    [
        ("encoders", "bert-base", 109e6),
        ("encoders", "roberta-large", 355e6),
        ("language_models", "gpt2-xl", 1558e6),
    ],
)
def test_parameters_are_those_that_are_published(section, role, published):
    size = size_of(hub(), section, role)
    assert size is not None
    assert sum(size) == pytest.approx(published, rel=0.01)


def test_a_folder_says_its_size_itself_and_word_vectors_have_none():
    mini = Project({"studies": ["thesis", "prdsimcse"]}, HOME)
    assert size_of(mini, "encoders", "glove") is None
    job = Job("train_encoder", {"pairs": "nli", "recipe": "supervised_simcse", "seed": "42"})
    assert hours(Call(mini, []), job, "core") is None  # nothing counts the triples before they are made
    assert size_of(mini, "encoders", "bert-base") is not None


def test_operations_are_those_that_pytorch_counts():
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    from transformers import BertConfig, BertModel

    config = BertConfig(num_hidden_layers=2, hidden_size=256, num_attention_heads=4, intermediate_size=1024)
    config._attn_implementation = "eager"
    model = BertModel(config, add_pooling_layer=False)
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros((1, 16), dtype=torch.long))
    layers = Size(12 * 2 * 256**2, config.vocab_size * 256).layers
    assert counter.get_total_flops() == pytest.approx(2 * layers * 16, rel=0.02)  # attention over 16 is small


def test_the_disk_holds_each_trained_encoder_and_each_model_of_the_hub_once():
    recipes = ("simcse", "simcse+temperature=0.1")
    sizes = disk(Call(hub(), [training("dropout", recipe) for recipe in recipes]))
    bert = 4 * (BERT + 30522 * 768)
    assert sizes == {"cache of the hub": bert, "trained encoders": 2 * bert}


def test_the_disk_holds_articles_texts_and_pairs():
    shards = [{"corpus": "wiki-1-1", "shard": shard, "shards": "2"} for shard in "01"]
    jobs = [Job("retrieve_articles", {}), *(Job("corpus_draw", known) for known in shards)]
    jobs += [Job("corpus_sample", {"corpus": "wiki-1-1"}), Job("pairs_dropout", {"pairs": "dropout"})]
    sizes = disk(Call(hub(), [*jobs, *question(*WIKI)]))
    assert sizes["articles"] == pytest.approx(6_407_814 * 2370 * 0.41, rel=1e-3)
    assert sizes["corpora"] == pytest.approx((8 + 1) * 1e6 * 140 * 0.51, rel=1e-3)  # 8 draws a sentence
    assert sizes["pairs"] == pytest.approx(150_000 * 2 * 140 * 0.51, rel=1e-3)
    assert sizes["journals, answers"] == pytest.approx(1e6 * (805 + 2.02 * 5 * 140), rel=1e-3)
