"""The forward pass without padding against that of `transformers`."""

import numpy as np
import pytest
import torch
import transformers as hf
from torch.nn.functional import cosine_similarity
from torch.utils._python_dispatch import TorchDispatchMode

from contrapose.models import devices, packed
from contrapose.models.dropout import FastDropout, dropped
from contrapose.models.linear import with_fast_layers
from contrapose.models.packed import in_pieces, packed_vectors, runs_packed
from contrapose.models.poolers import pooled
from contrapose.models.pooling import POOLINGS
from contrapose.models.tokens import Tokens

PADDING = 1
SIZE = {
    **{"vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4},
    **{"intermediate_size": 40, "max_position_embeddings": 24, "pad_token_id": PADDING},
    **{"initializer_range": 0.3, "bos_token_id": 2, "eos_token_id": 3},
}
DISTIL = {
    **{"vocab_size": 50, "dim": 24, "n_layers": 3, "n_heads": 4, "hidden_dim": 40},
    **{"max_position_embeddings": 24, "pad_token_id": PADDING, "initializer_range": 0.3},
}
GROUPED = {"num_key_value_heads": 2, "head_dim": 6}  # two heads of queries share one of keys
# Both kinds of windows are shorter than the longest text.
MODERN = {
    "local_attention": 8,
    "cls_token_id": 2,
    "sep_token_id": 3,
}
WINDOWS = {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1}
# Each type that runs packed, as `packed.TESTED` names them, with what it needs or has of its own.
TYPES = {
    "bert": (hf.BertConfig, SIZE),
    "roberta": (hf.RobertaConfig, SIZE),
    "xlm-roberta": (hf.XLMRobertaConfig, SIZE),
    "camembert": (hf.CamembertConfig, SIZE),
    "distilbert": (hf.DistilBertConfig, DISTIL),
    "mpnet": (hf.MPNetConfig, SIZE),
    "modernbert": (hf.ModernBertConfig, SIZE | MODERN),
    "llama": (hf.LlamaConfig, SIZE | GROUPED),
    "qwen3": (
        hf.Qwen3Config,
        SIZE | GROUPED | {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1},
    ),
}
# 12 sentences of 1 to 20 tokens, one alone in its length; the fourth spells the padding token.
DRAWS = np.random.default_rng(0)
SENTENCES = [DRAWS.integers(2, 50, size=n).tolist() for n in (5, 5, 12, 7, 1, 20, 5, 12, 2, 9, 9, 9)]
SENTENCES[3][2] = PADDING
BATCH = Tokens.of(SENTENCES)


def model_of(kind, **changes):
    torch.manual_seed(1)
    config, size = TYPES[kind]
    model = hf.AutoModel.from_config(config(**size | changes))
    model.pooler = None
    return with_fast_layers(model.double().eval())


def padded_vectors(model, pooler):
    ids, mask = map(torch.from_numpy, BATCH.padded(PADDING))
    output = model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    return pooled(POOLINGS[pooler], output.hidden_states, mask)


def our_vectors(model, pooler, recompute=False):
    return packed_vectors(model, BATCH, POOLINGS[pooler], recompute)


def gradients(model, vectors):
    model.zero_grad()
    (vectors**3).sum().backward()
    return {name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None}


@pytest.fixture(params=[24, 10_000])
def pieces_of(request, monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", request.param)


@pytest.fixture(params=["on views", "padded for attention"])
def attention(request, monkeypatch):
    if request.param != "on views":  # as on a GPU
        monkeypatch.setattr(packed, "ON_VIEWS", set())


def test_each_type_that_runs_packed_is_tested():
    assert {*TYPES} == packed.TESTED


@pytest.mark.parametrize("pooler", POOLINGS)
@pytest.mark.parametrize("kind", TYPES)
def test_vectors_and_gradients_are_those_of_transformers(kind, pooler, attention, pieces_of):
    model = model_of(kind)
    assert runs_packed(model)
    theirs, ours = padded_vectors(model, pooler), our_vectors(model, pooler)
    assert (ours - theirs).abs().max() < 1e-12
    expected, found = gradients(model, theirs), gradients(model, ours)
    # Gradients of what the vectors do not depend on are 0 there and absent here, or the other way round.
    for name in expected.keys() | found.keys():
        there, here = (each.get(name, torch.zeros(())) for each in (expected, found))
        assert (there - here).abs().max() < 1e-9 * max(1, there.abs().max()), name


class EmbeddingGradients(TorchDispatchMode):
    """Counts the gradients that have the size of all embeddings of words."""

    def __init__(self, model):
        super().__init__()
        self.size, self.count = model.get_input_embeddings().weight.shape, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **kwargs or {})
        if function is torch.ops.aten.embedding_dense_backward.default:
            self.count += result.shape == self.size
        return result


@pytest.mark.parametrize("recompute", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_a_batch_of_pieces_makes_one_gradient_of_all_embeddings(kind, recompute, monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", 24)
    model = model_of(kind)
    model.train()
    with EmbeddingGradients(model) as gradients_made:
        our_vectors(model, "mean", recompute).sum().backward()
    assert gradients_made.count == 1


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_model_runs_as_before_afterwards(kind):
    model = model_of(kind)
    before = padded_vectors(model, "mean")
    our_vectors(model, "mean")
    assert torch.equal(padded_vectors(model, "mean"), before)


def test_other_types_and_decoders_run_as_they_are():
    with torch.device("meta"):
        for config in (hf.DebertaV2Config, hf.ElectraConfig):
            assert not runs_packed(hf.AutoModel.from_config(config(vocab_size=50)))
    assert not runs_packed(model_of("bert", is_decoder=True))


@pytest.mark.parametrize("kind", ["bert", "mpnet", "modernbert", "qwen3"])
def test_in_bf16_vectors_and_gradients_are_near_those_of_float32(kind):
    model = model_of(kind).float()
    plain = our_vectors(model, "mean")
    with torch.autocast("cpu", torch.bfloat16):
        half = our_vectors(model, "mean")
    assert cosine_similarity(plain, half).min() > 0.999
    expected, found = gradients(model, plain), gradients(model, half.float())
    for name in expected:
        if expected[name].abs().max() > 1e-3:
            assert found[name].dtype == torch.float32
            near = torch.nn.functional.cosine_similarity(
                expected[name].flatten(), found[name].flatten(), dim=0
            )
            assert near > 0.99, name


def test_recomputing_gives_the_same_gradients_with_the_same_dropout(pieces_of):
    model = model_of("bert", hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.1).train()
    results = []
    for recompute in (False, True):
        torch.manual_seed(7)
        vectors = our_vectors(model, "mean", recompute)
        results.append((vectors.detach().clone(), gradients(model, vectors)))
    (plain, expected), (again, found) = results
    assert torch.equal(plain, again)
    assert expected.keys() == found.keys()
    assert all((expected[name] - found[name]).abs().max() < 1e-9 for name in expected)


def test_recomputing_keeps_the_activations_of_one_piece_only(monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", 24)
    model = model_of("bert")

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


@pytest.mark.parametrize(
    ("padded", "gradients", "expected"),
    [
        (True, False, [[20], [12, 12], [9, 9], [9], [7], [5, 5, 5], [2, 1]]),
        (True, True, [[20], [12, 12], [9, 9], [9, 7, 5], [5, 5, 2, 1]]),
        (False, False, [[20], [12, 12], [9, 9], [9, 7, 5], [5, 5, 2, 1]]),
    ],
)
def test_padded_texts_are_encoded_with_texts_of_their_length(padded, gradients, expected, monkeypatch):
    monkeypatch.setitem(devices.PIECE_TOKENS, "cpu", 24)
    monkeypatch.setitem(devices.LEAST_TOKENS, "cpu", 6)
    found = []

    def run(piece):
        found.append(piece.lengths.tolist())
        return torch.zeros(len(piece), 1)

    with torch.set_grad_enabled(gradients):
        in_pieces(run, BATCH, torch.device("cpu"), padded=padded)
    assert found == expected


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_dropout_keeps_the_share_and_the_mean_and_is_as_the_seed_says(p):
    values = torch.ones(1000, 1001, requires_grad=True)
    torch.manual_seed(3)
    found = dropped(values, p)
    found.sum().backward()
    assert torch.equal(values.grad, found.detach())  # what is dropped has no gradient
    n = values.numel()
    assert abs((found == 0).double().mean() - p) < 4 * (p * (1 - p) / n) ** 0.5
    assert found.unique().tolist() == pytest.approx([0, 1 / (1 - p)], rel=1e-4)
    assert abs(found.double().mean() - 1) < 4 * (p / (1 - p) / n) ** 0.5
    # Neighbours are independent: four of them share a random word.
    zero = (found == 0).double().flatten()[: n - n % 4].view(-1, 4)
    assert (torch.corrcoef(zero.T) - torch.eye(4)).abs().max() < 0.01
    torch.manual_seed(3)
    module = FastDropout(p).train()
    assert torch.equal(found, module(values))
    assert torch.equal(module.eval()(values), values)
