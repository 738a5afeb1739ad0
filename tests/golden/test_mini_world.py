"""The mini world is frozen: another world or another encoder changes every mini result."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from pydantic import BaseModel

from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmark
from contrapose.settings.catalogs import MiniWorld
from contrapose_mini.files import write_mini_world

HOME = Path(__file__).parents[2]
ENCODERS = HOME / "resources" / "mini" / "encoders"
LANGUAGE_MODELS = ENCODERS.parent / "language_models"
WORLD_SHA256 = {
    "english": "ab1f24f988b52dd28307ae531492dc293004a8a697f13c7374721d16d7b34dc7",
    "chinese": "d2b9e1d028262799cb6196882200c19ff5f82144f29381e765bf71c47d359c1f",
    "paraphrase": "f0243cd839c0510645a3b755e9a326a598941443fa4efdd46555ded4bb9cb9eb",
    "pair tasks": "04211a259bd5c66e39ea27f58457b924f558c9c1940dc80ed266171eb4502771",
    "dictionaries": "f4d5d1e6e4b04865a52711073f14c3a003e267670224489cb84eb0b802b825ee",
    "transfer": "09bbb0cc3d049ba450c23a13223c7e07fcb5164a0d00901a5bc1da2cd965e9a2",
}
PAIR_TASKS = (
    "sick_raw", "snli", "snli_mnli_for_simcse.csv", "paws", "esci", "jglue", "jsick", "pawsx", "jsnli",
)  # fmt: skip
ENCODERS_SHA256 = {
    "bert-base": "e1fee7de5b436a7606a7e446ae980d3428721404ca667c16bdbe2e76019f7439",
    "roberta-base": "a8051415167663e0136809d8b090d6587bee0ef7450ea1ed2437473135ce77de",
    "roberta-large": "452d48835cc4fc2da0c3c19e03ff3c91963c2b03d50ea8ad80d213bd82fb19d8",
    "bert-base-chinese": "0070df14257fd1dc884dfa3b0a486cb00775417bc591355608b4f0277d8aec7a",
    "chinese-roberta-wwm-ext": "a9c64f3c3a3cb3180122745a7a87e9912f1b35321a8b865025f3e8c715e2e45e",
    "chinese-roberta-wwm-ext-large": "cfa25019742bc7a6df5dd800f13ca1ed9ad2146fc8d2a7d1a849cbf3a2b21cf8",
    "japanese-roberta-base": "4005c615a258ff509da803c814d43ac7206b3bf2b156493381abc346fefb8658",
}
LANGUAGE_MODELS_SHA256 = {
    "gpt2": "30588ae773587211e03af17a5f074370cc5acd7c21c757c12b488f1197f5a9b9",
    "gpt2-articles": "1ffb60a8b580f9b80250e6523a1927637c2eec862d542437343fd4ce4a12aee9",
    "japanese-gpt2": "186a58432a25733f4eb193240dabc4871d0e5a3ae6c6591400d5534636ce5a2e",
}
# Spearman x100 of [CLS] without training on STS-B test of the default world, in the encoder's language.
CLS_SCORES = {
    "bert-base": 66.13,
    "roberta-base": 17.71,
    "roberta-large": 19.12,
    "bert-base-chinese": 25.93,
    "chinese-roberta-wwm-ext": 34.83,
    "chinese-roberta-wwm-ext-large": 37.11,
}
STSB = {
    "english": BenchmarkFiles(kind="stsb", task="stsb", path="senteval/STS/STSBenchmark"),
    "chinese": BenchmarkFiles(kind="senteval_cn", task="stsb_zh", path="senteval_cn/STS-B"),
}


def content(path: Path) -> bytes:
    """Return what a file says; the bytes of a Parquet file change with pyarrow's version."""
    if path.suffix == ".parquet":
        return json.dumps(pq.read_table(path).to_pydict(), sort_keys=True).encode()
    return path.read_bytes()


def part(name: str) -> str:
    """Return to which part of the world a file belongs."""
    folder, _, rest = name.partition("/")
    if folder == "senteval_cn":
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


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", ENCODERS_SHA256)
def test_an_encoder_has_the_files_that_were_checked_in_and_the_recipe_of_today(name):
    from contrapose_mini.pretrain import MINI_ENCODERS

    assert digest_of(ENCODERS / name) == ENCODERS_SHA256[name]
    assert_recipe(ENCODERS / name, MINI_ENCODERS[name])


@pytest.mark.parametrize("name", LANGUAGE_MODELS_SHA256)
def test_a_language_model_has_the_files_that_were_checked_in_and_the_recipe_of_today(name):
    from contrapose_mini.language_models import MINI_LANGUAGE_MODELS

    assert digest_of(LANGUAGE_MODELS / name) == LANGUAGE_MODELS_SHA256[name]
    assert_recipe(LANGUAGE_MODELS / name, MINI_LANGUAGE_MODELS[name])


def assert_recipe(folder: Path, spec: BaseModel) -> None:
    recipe = json.loads((folder / "recipe.json").read_text())
    assert {key: recipe[key] for key in spec.model_dump()} == spec.model_dump()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mini")
    write_mini_world(folder, MiniWorld())
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("role", CLS_SCORES)
def test_an_encoder_as_it_is_scores_what_it_scored_when_it_was_made(world, role):
    from contrapose.models.sentence_encoder import load_encoder
    from contrapose.train.dev_scores import dev_scorer

    name = "chinese" if "chinese" in role else "english"
    benchmark, _ = read_benchmark(world / STSB[name].path, STSB[name])
    test = benchmark[benchmark.split == "test"].reset_index(drop=True)
    encoder = load_encoder(ENCODERS / role, pooling="cls_before_pooler")
    score = 100 * dev_scorer(encoder, test)()
    assert score == pytest.approx(CLS_SCORES[role], abs=0.02)  # the last digit is rounding between machines


@pytest.mark.slow
def test_the_language_model_follows_the_instructions(tmp_path):
    import pandas as pd
    import yaml

    from contrapose.generate.dino_texts import dino_texts
    from contrapose.models.perplexity import load_causal_lm
    from contrapose.settings.corpora import DinoTexts
    from contrapose.settings.instructions import Instructions
    from contrapose_mini.benchmarks import Look, PairMaker
    from contrapose_mini.facts import MadeWorld
    from contrapose_mini.wording import untokenised

    prompts = HOME / "config" / "prompts" / "dino" / "sentences.yaml"
    instructions = Instructions.model_validate(yaml.safe_load(prompts.read_text()))
    maker = PairMaker(MadeWorld(2023, 100), 2023, set())
    texts = [untokenised(maker.pair("news", number, Look("news")).first) for number in range(8)]
    sentences = pd.DataFrame({"id": [str(number) for number in range(8)], "text": texts})
    table = dino_texts(
        load_causal_lm(LANGUAGE_MODELS / "gpt2"),
        sentences,
        instructions,
        DinoTexts(corpus="mini"),
        tmp_path,
    )
    kept = table[table.refused == ""]
    assert len(kept) > 0.8 * len(table)
    words = kept.text.str.lower().str.findall(r"\w{4,}").map(set)  # the longer ones: no articles
    own = kept.sentence_id.astype(int).map(dict(enumerate(texts))).str.lower().str.findall(r"\w{4,}").map(set)
    shared = pd.Series([len(a & b) / len(a | b) for a, b in zip(words, own, strict=True)], kept.index)
    same, alike, different = (shared[kept.label == label].mean() for label in (1, 0.5, 0))
    assert same > alike > 2 * different
