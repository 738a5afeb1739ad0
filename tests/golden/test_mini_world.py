"""The mini world is frozen: another world or another encoder changes every mini result."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from contrapose.retrieve.benchmarks import read_benchmark
from contrapose.settings.worlds import BenchmarkFiles, MiniWorld
from contrapose_mini.files import write_mini_world

ENCODERS = Path(__file__).parents[2] / "resources" / "mini" / "encoders"
LANGUAGE_MODELS = ENCODERS.parent / "language_models"
LANGUAGE_MODEL = LANGUAGE_MODELS / "gpt2"
WORLD_SHA256 = {
    "english": "82768184a7e7e03504b8ec6bbe82d7bb796148850c404b27dc4267279d74305f",
    "chinese": "1a3679aca1155951c59b8e8456e578fce9f2701346afed191486a42fdd3970fb",
    "paraphrase": "749111502e5ea1bd4a831c831cff3ed33d8f0145bd58c617d0bd9bf3dd763386",
    "pair tasks": "8a35043b0701d271a2f4089627387fc1a474ade3140167fb47cf648aadaf2df1",
    "dictionaries": "4cef6ffcef533195e0ea8da8a0985c242ad596c5cbbad791bbce2e45682e9b3b",
    "transfer": "b0a933848ba58b796e8d42f1d2c5d907727b4644f2f25a7b381f9d8a8a7ee711",
}
PAIR_TASKS = (
    "sick_raw", "snli", "snli_mnli_for_simcse.csv", "paws", "esci", "jglue", "jsick", "pawsx", "jsnli",
)  # fmt: skip
WEIGHTS_SHA256 = {
    "bert-base": "28a2766cacad4ae1ee556b8b03a4c1364b4b9332c8fcc1feea23e37a4b1896ec",
    "roberta-base": "f58ad913cdfdf10a357a52d98b0a838e20199a8fd28a69f6c243f110fd38b5a8",
    "roberta-large": "bbf9a8b385117579fc7b475040b6935f4cfce39fd1abfbbb03ac7ae4b05a6683",
    "bert-base-chinese": "e9516b8e9632011486ced62424fb68641c34819f2db03c129c0a357a72522c8f",
    "chinese-roberta-wwm-ext": "2f78ef1f0b87762b2aab608456d383f935c3f8b66ecd1052ee871e9ed0b2ec09",
    "chinese-roberta-wwm-ext-large": "e9c7684e09b47aa494e35160033c72a27fed1db1a93cc08116beadbcd8c0a0e0",
    "japanese-roberta-base": "f92967bb63df643f6f07a8ce23d995740d574f6e6994c098134ee7d610afad1b",
}
LANGUAGE_MODELS_SHA256 = {
    "gpt2": "68107bb2c09b701797b513f2ec131759ac0c48930598aaeb4507fecd0c9b1518",
    "gpt2-articles": "78b3479a960ef30a7f95c9627561645d6dceb040d0321769f5a5c8b3c810b135",
    "japanese-gpt2": "91635905e2f825e98ba08276371507a43d9bcc26e1e290d107980cd8abc1f7b3",
}
# Spearman x100 of [CLS] without training on STS-B test of the default world, in the encoder's language:
# training must lift it.
CLS_SCORES = {
    "bert-base": 25.89,
    "roberta-base": 20.7,
    "roberta-large": 18.1,
    "bert-base-chinese": 2.07,
    "chinese-roberta-wwm-ext": 6.76,
    "chinese-roberta-wwm-ext-large": 20.5,
}
STSB = {
    "english": BenchmarkFiles(kind="stsb", task="stsb", path="senteval/STS/STSBenchmark"),
    "chinese": BenchmarkFiles(kind="senteval_cn", task="stsb_zh", path="senteval_cn/STS-B"),
}
SHAPES = {
    "bert-base": ("bert", 2, 128),
    "roberta-base": ("roberta", 2, 128),
    "roberta-large": ("roberta", 3, 192),
    "bert-base-chinese": ("bert", 2, 128),
    "chinese-roberta-wwm-ext": ("bert", 2, 128),
    "chinese-roberta-wwm-ext-large": ("bert", 3, 192),
    "japanese-roberta-base": ("roberta", 2, 128),
}


def content(path: Path) -> bytes:
    """Return what a file says; the bytes of a Parquet file change with pyarrow's version."""
    if path.suffix == ".parquet":
        return json.dumps(pq.read_table(path).to_pydict(), sort_keys=True).encode()
    return path.read_bytes()


def part(name: str) -> str:
    """Return to which part of the world a file belongs."""
    folder, _, rest = name.partition("/")
    if folder == "senteval_cn" or name == "llm/knowledge_zh.parquet":
        return "chinese"
    if folder in ("sts_raw", "mrpc_raw", "qqp", "paws_qqp"):
        return "paraphrase"
    if folder in PAIR_TASKS:
        return "pair tasks"
    if folder in ("wiki40b", "ppdb", "ehimerppdb"):
        return "dictionaries"
    return "transfer" if folder == "senteval" and not rest.startswith(("STS/", "SICK/")) else "english"


@pytest.fixture(scope="module")
def small_world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    write_mini_world(folder, SimpleNamespace(seed=2023, articles=40, pairs=6))
    return folder


@pytest.mark.parametrize("name", WORLD_SHA256)
def test_a_small_world_is_the_one_that_was_frozen(small_world, name):
    files = sorted(str(path.relative_to(small_world)) for path in small_world.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for file in files:
        if part(file) == name:
            digest.update(file.encode() + b"\0" + content(small_world / file) + b"\0")
    assert digest.hexdigest() == WORLD_SHA256[name]


@pytest.mark.parametrize("role", WEIGHTS_SHA256)
def test_an_encoder_has_the_weights_that_were_checked_in(role):
    assert (
        hashlib.sha256((ENCODERS / role / "model.safetensors").read_bytes()).hexdigest()
        == WEIGHTS_SHA256[role]
    )
    assert json.loads((ENCODERS / role / "recipe.json").read_text())["sha256"] == WEIGHTS_SHA256[role]


@pytest.mark.parametrize("role", SHAPES)
def test_an_encoder_has_the_architecture_of_its_role(role):
    config = json.loads((ENCODERS / role / "config.json").read_text())
    assert (config["model_type"], config["num_hidden_layers"], config["hidden_size"]) == SHAPES[role]
    assert config["hidden_dropout_prob"] == 0.1


def test_an_encoder_has_the_recipe_that_the_code_would_use_today():
    from contrapose_mini.pretrain import MINI_ENCODERS

    for role, spec in MINI_ENCODERS.items():
        recipe = json.loads((ENCODERS / role / "recipe.json").read_text())
        assert {key: recipe[key] for key in spec.model_dump()} == spec.model_dump(), role


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mini")
    write_mini_world(folder, MiniWorld())
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("role", CLS_SCORES)
def test_an_encoder_as_it_is_scores_what_it_scored_when_it_was_made(world, role):
    from contrapose.train.dev import dev_scorer
    from contrapose.train.encoder import load_encoder

    name = "chinese" if "chinese" in role else "english"
    benchmark, _ = read_benchmark(world / STSB[name].path, STSB[name])
    test = benchmark[benchmark.split == "test"].reset_index(drop=True)
    score = 100 * dev_scorer(load_encoder(str(ENCODERS / role)), test, 32)()
    assert score == pytest.approx(CLS_SCORES[role], abs=0.02)  # the last digit is rounding between machines


def test_the_encoders_stay_small():
    assert sum(path.stat().st_size for path in ENCODERS.rglob("*") if path.is_file()) < 14 * 2**20


@pytest.mark.parametrize("name", LANGUAGE_MODELS_SHA256)
def test_a_language_model_has_the_weights_that_were_checked_in_and_the_recipe_of_today(name):
    from contrapose_mini.language_models import MINI_LANGUAGE_MODELS

    folder, spec = LANGUAGE_MODELS / name, MINI_LANGUAGE_MODELS[name].model_dump()
    recipe = json.loads((folder / "recipe.json").read_text())
    weights = (folder / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == recipe["sha256"] == LANGUAGE_MODELS_SHA256[name]
    assert {key: recipe[key] for key in spec} == spec
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5 * 2**20


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """Load the language models that have read articles, and the encoder, of two languages."""
    from contrapose.retrieve.rinna import write_rinna_encoder, write_rinna_language_model
    from contrapose.score.perplexity import load_causal_lm
    from contrapose.train.encoder import load_encoder

    made = tmp_path_factory.mktemp("ordinary")
    write_rinna_language_model(LANGUAGE_MODELS / "japanese-gpt2", made / "lm")
    write_rinna_encoder(ENCODERS / "japanese-roberta-base", made / "encoder")
    return {
        "english": load_causal_lm(LANGUAGE_MODELS / "gpt2-articles"),
        "japanese": load_causal_lm(made / "lm"),
        "encoder": load_encoder(made / "encoder", pooling="avg"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("language", ["english", "japanese"])
def test_a_language_model_that_has_read_articles_knows_a_sentence_with_a_word_too_few_or_elsewhere(
    readers, language
):
    import fugashi
    import ipadic

    from contrapose.score.perplexity import perplexities
    from contrapose_mini.language_models import article_documents, japanese_sentences

    if language == "english":
        blank, sentences = " ", [each.text.split() for each in article_documents(60, seed=5)]
    else:
        tagger = fugashi.GenericTagger(ipadic.MECAB_ARGS)
        blank = ""
        sentences = [[word.surface for word in tagger(text)] for text in japanese_sentences(60, seed=5)]
    middles = [len(words) // 2 for words in sentences]
    right = [blank.join(words) for words in sentences]
    fewer = [blank.join(words[:at] + words[at + 1 :]) for at, words in zip(middles, sentences, strict=True)]
    swapped = [
        blank.join([*words[: at - 1], words[at], words[at - 1], *words[at + 1 :]])
        for at, words in zip(middles, sentences, strict=True)
    ]
    lowest = perplexities(readers[language], right)
    assert (perplexities(readers[language], swapped) > lowest).mean() > 0.95
    assert (perplexities(readers[language], fewer) > lowest).mean() > 0.8  # some words can be left out


def test_to_the_japanese_encoder_as_it_is_two_wordings_are_nearer_than_two_facts(readers):
    import numpy as np

    from contrapose.seeds import generator
    from contrapose.train.embeddings import embeddings
    from contrapose_mini.facts import draw_fact
    from contrapose_mini.japanese.wording import styled, unspaced
    from contrapose_mini.wording import Wording

    rng = generator("two wordings", 5)
    facts = [draw_fact(rng) for _ in range(100)]
    sides = [[unspaced(styled("prose", (fact,), Wording(rng))) for fact in facts] for _ in range(2)]
    one, other = (embeddings(readers["encoder"], texts) for texts in sides)
    one, other = (each - each.mean(0) for each in (one, other))
    one, other = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (one, other))
    cosines = one @ other.T
    farther = (cosines < np.diag(cosines)[:, None]).mean()  # 0.495 without any knowledge
    assert farther > 0.7


@pytest.mark.slow
def test_the_language_model_follows_the_instructions(tmp_path):
    import pandas as pd
    import yaml

    from contrapose.generate.dino import dino_texts
    from contrapose.score.perplexity import load_causal_lm
    from contrapose.settings.corpora import DinoTexts
    from contrapose.settings.instructions import Instructions
    from contrapose_mini.benchmarks import PairMaker
    from contrapose_mini.facts import World
    from contrapose_mini.wording import untokenised

    prompts = ENCODERS.parents[2] / "config" / "prompts" / "dino" / "sentences.yaml"
    instructions = Instructions.model_validate(yaml.safe_load(prompts.read_text()))
    maker = PairMaker(World(2023, 100), 2023, set())
    texts = [untokenised(maker.pair("news", number, "news", 0).first) for number in range(8)]
    sentences = pd.DataFrame({"id": [str(number) for number in range(8)], "text": texts})
    table = dino_texts(
        load_causal_lm(LANGUAGE_MODEL), sentences, instructions, DinoTexts(corpus="mini"), tmp_path
    )
    kept = table[table.refused == ""]
    assert len(kept) > 0.8 * len(table)
    words = kept.text.str.lower().str.findall(r"\w{4,}").map(set)  # the longer ones: no articles
    own = kept.sentence_id.astype(int).map(dict(enumerate(texts))).str.lower().str.findall(r"\w{4,}").map(set)
    shared = pd.Series([len(a & b) / len(a | b) for a, b in zip(words, own, strict=True)], kept.index)
    same, alike, different = (shared[kept.label == label].mean() for label in (1, 0.5, 0))
    assert same > alike > 2 * different
