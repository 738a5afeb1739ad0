import json
import os
from pathlib import Path

import pandas as pd
import pytest
from contrapose.plan import Plan

from contrapose.corpus.words import word_count
from contrapose.forecast.dag import Job
from contrapose.forecast.disk import Space, checkpoint, disk
from contrapose.forecast.texts import BYTES_PER_WORD
from contrapose.tables import ARTICLES, SENTENCES, empty, write_table
from contrapose.train.checkpoint import FILE, CheckpointWriter, Progress, copied
from contrapose.train.encoder import new_encoder
from contrapose.train.schedule import adamw
from contrapose.train.tokens import Tokens

HOME = Path(__file__).parents[3]
RUN = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}


def test_encoders_and_checkpoints_have_the_forecast_size(tmp_path, monkeypatch):
    monkeypatch.chdir(HOME)
    plan, jobs = Plan({}, HOME), [Job("train_encoder", RUN)]
    recipe = plan.recipe("simcse")
    encoder = new_encoder(str(HOME / "resources/mini/encoders/bert-base"), recipe, seed=1)
    encoder.eval().save(tmp_path / "encoder")
    weights = (tmp_path / "encoder" / "model.safetensors").stat().st_size
    assert disk(plan, jobs, [], [])["trained encoders"].size == pytest.approx(weights, rel=0.01)
    optimiser = adamw(encoder.train(), recipe)
    encoder(Tokens.of([[1] * 8] * 2)).sum().backward()
    optimiser.step()
    progress = Progress(best=copied(encoder.state_dict().items()))
    checkpoints = CheckpointWriter(tmp_path, "x")
    checkpoints.save(progress, encoder, optimiser, None)
    checkpoints.wait()
    # The head is trained, too, and not saved with the encoder.
    assert checkpoint(plan, jobs) == pytest.approx((tmp_path / FILE).stat().st_size, rel=0.05)


def test_fine_tuning_has_a_checkpoint_of_its_encoder_and_identification_one_for_each_fold():
    hub, weights = Plan({"world": "hub"}, HOME), 108_891_648  # of BERT-base
    tuning = {"fine_tuning": "pair-tasks", "task": "snli", "seed": "42"}
    run = {"pairs": "nli-en", "recipe": "ppdbcse"}
    identification = {"pairs": "dino-qqp", "identifier": "sdi-crossed"}
    jobs = [
        Job("evaluate_fine_tuned", tuning | run),
        Job("evaluate_fine_tuned_released", tuning | {"role": "bert-base"}),
        Job("score_identification", identification),
    ]
    assert [checkpoint(hub, [job]) for job in jobs] == [16 * weights, 16 * weights, 5 * 16 * weights]


def test_files_of_several_jobs_add_up_and_a_fetched_encoder_lies_there_once():
    jobs = [
        Job("corpus_draw", {"corpus": "wiki-1-1", "shard": "0", "shards": "2"}),
        Job("corpus_sample", {"corpus": "wiki-1-1"}),
        Job("pairs_dropout", {"pairs": "dropout+corpus=wiki-1-1"}),
    ]
    one, ten = (disk(Plan({"world": "hub"}, HOME), [*jobs] * times, [], ["scorer"]) for times in (1, 10))
    cached = "encoders in the hub's cache"
    assert one[cached] == ten[cached] == Space(4 * 354_310_144)
    for what in ("draws of corpora", "corpora", "pairs"):
        assert 0 < one[what].size == pytest.approx(ten[what].size / 10)


def test_a_segmented_corpus_of_longer_words_takes_more_and_its_shards_at_most_all_candidates():
    hub = Plan({"world": "hub"}, HOME)

    def space(language, rule, **wildcards):
        corpus = f"wiki40b-{language}"
        found = disk(hub, [Job(rule, {"corpus": corpus, "collection": corpus, **wildcards})], [], [])
        (size,) = found.values()
        return size.size

    english, japanese = (space(language, "corpus_segmented") for language in ("en", "ja"))
    assert 0 < english < japanese
    assert space("en", "corpus_segments", shard="0", shards="2") == pytest.approx(3 * english, rel=0.1)
    assert 2926536 * 0.9e3 < space("en", "retrieve_collection") < 2926536 * 1.1e3


def test_a_file_of_unknown_size_is_counted_and_not_guessed():
    hub = Plan({"world": "hub"}, HOME)
    source = hub.world.articles.model_copy(update={"rows": None})
    hub.world = hub.world.model_copy(update={"articles": source})
    jobs = [Job("retrieve_articles", {}), Job("corpus_sample", {"corpus": "wiki-1-1"})]
    assert disk(hub, jobs, [], [])["articles"] == Space(0, unknown=1)


@pytest.mark.skipif("CONTRAPOSE_DATA" not in os.environ, reason="needs the folder of original files")
def test_a_corpus_of_real_sentences_has_the_forecast_size(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path(os.environ["CONTRAPOSE_DATA"], "wiki1m_head/wiki1m_for_simcse.head.txt")
    texts = pd.Series(filter(None, file.read_text(encoding="utf-8").split("\n")))
    ids = [f"{at // 3}:{at % 3}" for at in range(len(texts))]
    words = texts.map(word_count)
    sentences = pd.DataFrame({"id": ids, "text": texts, "article_id": "1", "position": 0, "words": words})
    path, hub = tmp_path / "results/corpus/wiki-1-1.parquet", Plan({"world": "hub"}, HOME)
    made = {"settings": json.loads(hub.settings("corpus_sample", {"corpus": "wiki-1-1"}))}
    write_table(sentences, path, SENTENCES, made)
    made = {"settings": json.loads(hub.settings("retrieve_articles", {}))}
    write_table(empty(ARTICLES), tmp_path / "results/retrieve/articles.parquet", ARTICLES, made)
    found = disk(hub, [Job("corpus_sample", {"corpus": "wiki-1-1"})], [], [])
    # Neighbours from one article compress better than the single sentences that the forecast is about.
    assert found["corpora"].size == pytest.approx(path.stat().st_size, rel=0.25)
    assert texts.str.encode("utf-8").str.len().sum() / words.sum() == pytest.approx(BYTES_PER_WORD, rel=0.03)
