"""The forward pass without padding against that of `transformers`."""

import numpy as np
import pytest
import torch
import transformers as hf

from contrapose.models import devices
from contrapose.models.poolers import pooled
from contrapose.models.pooling import POOLINGS
from contrapose.models.tokens import Tokens
from contrapose.models.unpadded import dropout, runs_unpadded, unpadded_vectors

PADDING = 1
SIZE = {
    **{"vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4},
    **{"intermediate_size": 40, "max_position_embeddings": 24, "pad_token_id": PADDING},
    "initializer_range": 0.3,
}
SUPPORTED = [hf.BertConfig, hf.RobertaConfig, hf.XLMRobertaConfig, hf.CamembertConfig]
# 12 sentences of 1 to 20 tokens, one alone in its length; the fourth spells the padding token.
DRAWS = np.random.default_rng(0)
SENTENCES = [DRAWS.integers(2, 50, size=n).tolist() for n in (5, 5, 12, 7, 1, 20, 5, 12, 2, 9, 9, 9)]
SENTENCES[3][2] = PADDING
BATCH = Tokens.of(SENTENCES)


def model_of(config, **changes):
    torch.manual_seed(1)
    return hf.AutoModel.from_config(config(**SIZE, **changes), add_pooling_layer=False).double().eval()


def padded_vectors(model, pooler):
    ids, mask = map(torch.from_numpy, BATCH.padded(PADDING))
    output = model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    return pooled(POOLINGS[pooler], output.hidden_states, mask)


def our_vectors(model, pooler, recompute=False):
    return unpadded_vectors(model, BATCH, POOLINGS[pooler], recompute)


def gradients(model, vectors):
    model.zero_grad()
    (vectors**3).sum().backward()
    return {name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None}


@pytest.fixture(params=[24, 10_000])
def pieces_of(request, monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", request.param)


@pytest.mark.parametrize(
    ("config", "pooler", "hidden_act"),
    [*((kind, pooler, "gelu") for kind in SUPPORTED for pooler in POOLINGS), (SUPPORTED[0], "avg", "relu")],
)
def test_vectors_and_gradients_are_those_of_transformers(config, pooler, hidden_act, pieces_of):
    model = model_of(config, hidden_act=hidden_act)
    assert runs_unpadded(model)
    theirs, ours = padded_vectors(model, pooler), our_vectors(model, pooler)
    assert (ours - theirs).abs().max() < 1e-12
    expected, found = gradients(model, theirs), gradients(model, ours)
    # Gradients of what the vectors do not depend on are 0 there and absent here, or the other way round.
    for name in expected.keys() | found.keys():
        there, here = (each.get(name, torch.zeros(())) for each in (expected, found))
        assert (there - here).abs().max() < 1e-9 * max(1, there.abs().max()), name


def test_other_architectures_and_decoders_run_as_they_are():
    with torch.device("meta"):
        for config in (hf.DistilBertConfig, hf.MPNetConfig, hf.ElectraConfig):
            assert not runs_unpadded(hf.AutoModel.from_config(config(vocab_size=50)))
    assert not runs_unpadded(model_of(hf.BertConfig, is_decoder=True))


def test_recomputing_gives_the_same_gradients_with_the_same_dropout(pieces_of):
    model = model_of(hf.BertConfig, hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.1).train()
    results = []
    for recompute in (False, True):
        torch.manual_seed(7)
        vectors = our_vectors(model, "avg", recompute)
        results.append((vectors.detach().clone(), gradients(model, vectors)))
    (plain, expected), (again, found) = results
    assert torch.equal(plain, again)
    assert expected.keys() == found.keys()
    assert all((expected[name] - found[name]).abs().max() < 1e-9 for name in expected)


def test_recomputing_keeps_the_activations_of_one_piece_only(monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", 24)
    model = model_of(hf.BertConfig)

    def kept(recompute):
        numbers = 0

        def note(tensor):
            nonlocal numbers
            numbers += tensor.numel() * (tensor.data_ptr() not in weights)
            return tensor

        weights = {each.data_ptr() for each in model.parameters()}
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            our_vectors(model, "cls", recompute)
        return numbers

    assert kept(True) < kept(False) / 5


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_dropout_keeps_the_share_and_the_mean_and_is_as_the_seed_says(p):
    module = torch.nn.Dropout(p).train()
    values = torch.ones(1000, 1001, requires_grad=True)
    torch.manual_seed(3)
    dropped = dropout(values, module)
    dropped.sum().backward()
    assert torch.equal(values.grad, dropped.detach())  # what is dropped has no gradient
    n = values.numel()
    assert abs((dropped == 0).double().mean() - p) < 4 * (p * (1 - p) / n) ** 0.5
    assert dropped.unique().tolist() == pytest.approx([0, 1 / (1 - p)], rel=1e-4)
    assert abs(dropped.double().mean() - 1) < 4 * (p / (1 - p) / n) ** 0.5
    # Neighbours are independent: four of them share a random word.
    zero = (dropped == 0).double().flatten()[: n - n % 4].view(-1, 4)
    assert (torch.corrcoef(zero.T) - torch.eye(4)).abs().max() < 0.01
    torch.manual_seed(3)
    assert torch.equal(dropped, dropout(values, module))
    assert torch.equal(dropout(values, module.eval()), values)
