import pytest
import torch
from contrapose.plan import Plan
from torch.utils.flop_counter import FlopCounterMode
from transformers import GPT2Config, GPT2LMHeadModel

from contrapose.forecast.compute import gpu
from contrapose.forecast.dag import Job
from contrapose.forecast.synthetic import (
    identifications,
    language_model_parameters,
    token_flops,
    writings,
)
from contrapose.settings.worlds import LanguageModelShape
from tests.checkout import HOME

SHAPE = LanguageModelShape(n_layer=2, n_embd=64, vocab_size=300, n_positions=50)
HUB = Plan({"world": "hub", "studies": ["rise"]}, HOME)


def test_parameters_and_operations_are_those_of_gpt2():
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = GPT2Config(**SHAPE.model_dump(), n_head=2, attn_implementation="eager", **ends)
    model = GPT2LMHeadModel(config).eval()
    assert language_model_parameters(SHAPE) == sum(each.numel() for each in model.parameters())
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.zeros(1, 8, dtype=torch.long), use_cache=False)
    # Read in one go, each of the eight tokens is compared with all of them.
    assert 8 * token_flops(SHAPE, before=8) == pytest.approx(counter.get_total_flops(), rel=1e-6)


def test_gpt2_xl_has_as_many_parameters_as_published():
    shape = HUB.world.language_models["gpt2-xl"].shape
    assert language_model_parameters(shape) == 1_557_611_200


def test_the_shards_of_one_corpus_are_one_work_and_all_tokens_of_a_text_count():
    jobs = [Job("generate_dino", {"texts": "dino-stsb", "shard": shard, "shards": "2"}) for shard in "01"]
    (work,) = writings(HUB, jobs, gpu())
    assert (work.role, work.sentences, work.tokens) == ("gpt2-xl", 150_000, 40.0)
    # 10,000 sentences x 5 texts x 6 prompts x 40 tokens, at 3.1 GFLOP a token without attention and prompts.
    assert work.flops > 10_000 * 5 * 6 * 40 * 2 * 1.5e9
    assert work.flops < 2 * 10_000 * 5 * 6 * 40 * 2 * 1.56e9


def test_cross_fitting_teaches_as_often_as_all_but_one_of_its_folds():
    known = {"pairs": "dino-mrpc"}
    jobs = [Job("score_identification", {**known, "identifier": name}) for name in ("sdi", "sdi-crossed")]
    one, five = identifications(HUB, jobs, gpu())
    assert five.steps == 4 * one.steps
    assert one.steps == 5 * -(-2 * 3668 // 32)  # as many machine texts as the 3,668 human ones
