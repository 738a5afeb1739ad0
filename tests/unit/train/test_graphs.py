"""Passes recorded as CUDA graphs: on a CPU by a stand-in that keeps PyTorch's rules, and on a GPU."""

import contextlib
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModel, BertConfig

from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.train import graphs
from contrapose.train.encoder import new_encoder
from contrapose.train.flat import Layout, vectors_of_piece
from contrapose.train.graphs import GraphedEncoder, Shape, not_graphed, shape_of
from contrapose.train.poolers import POOLERS, first_token
from contrapose.train.tokens import Tokens
from tests.unit.train import trainings
from tests.unit.train.trainings import WORDS, broken_off, equal_weights

DRAWS = np.random.default_rng(5)
TEXTS = pd.Series(sorted({" ".join(DRAWS.choice(WORDS, DRAWS.integers(1, 9))) for _ in range(60)}))
PAIRS = as_pairs(TEXTS.index.astype(str).to_series(), TEXTS, TEXTS)
DEV = pd.DataFrame({"sentence1": TEXTS[:8], "sentence2": TEXTS[8:16].array, "score": np.arange(8.0)})
RECIPE = Recipe(batch_size=8, max_length=12, epochs=3, learning_rate=1e-3, dev_every="epoch", dropout=0.1)
PLAIN = RECIPE.model_copy(update={"dropout": 0.0})


def batch_of(*lengths):
    return Tokens.of([DRAWS.integers(5, 15, size=n).tolist() for n in lengths])


@pytest.fixture
def recording(monkeypatch):
    """Let passes be recorded on a CPU; the list has the shape of each."""
    recorded = []

    def record(module, sample, pool):
        """Do as `torch.cuda.make_graphed_callables`: what is given is copied to where the sample stands."""
        recorded.append(module.shape)
        run = module.forward
        for _ in range(3):
            run(*sample)  # which draws dropout

        def replay(*given):
            for own, new in zip(sample, given, strict=True):
                assert isinstance(new, torch.Tensor)
                assert (own.shape, own.dtype) == (new.shape, new.dtype)
                own.copy_(new)
            return run(*sample)

        module.forward = replay
        return module

    @contextlib.contextmanager
    def fork_rng(devices):
        draws = torch.get_rng_state()
        yield
        torch.set_rng_state(draws)

    monkeypatch.setattr(torch.cuda, "make_graphed_callables", record)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: (0, 0))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.random, "fork_rng", fork_rng)
    monkeypatch.setattr(graphs, "not_graphed", lambda *_: "")
    monkeypatch.setattr(graphs, "TOKENS", 32)
    return recorded


def test_shapes_are_few():
    assert shape_of(batch_of(3, 8, 5)) == Shape(3, 8, 256)
    assert shape_of(batch_of(9, 1)) == Shape(2, 16, 256)
    assert shape_of(batch_of(*[128] * 2)) == Shape(2, 128, 256)
    assert shape_of(batch_of(*[128] * 2, 1)) == Shape(3, 128, 512)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
@pytest.mark.parametrize("pooler", POOLERS)
def test_vectors_and_gradients_are_those_of_the_ordinary_pass(model_type, pooler, tiny_encoder):
    settings = PLAIN.model_copy(update={"pooler": pooler})
    encoder = new_encoder(tiny_encoder(model_type), settings, 42).double()
    batch = batch_of(5, 9, 2, 12, 7, 16)
    found = []
    for run in (encoder, GraphedEncoder(encoder, contextlib.nullcontext)):
        encoder.zero_grad()
        vectors = run(batch)
        (vectors**3).sum().backward()
        slopes = (each.grad.clone() for each in encoder.parameters() if each.grad is not None)
        found.append([vectors, *slopes])
    for ordinary, ours in zip(*found, strict=True):
        assert (ours - ordinary).abs().max() < 1e-10 * max(1, ordinary.abs().max())


def test_the_shapes_that_come_often_are_recorded(tiny_encoder, recording, monkeypatch):
    monkeypatch.setattr(graphs, "SHAPES", 2)
    encoder = new_encoder(tiny_encoder(), PLAIN, 42)
    run = GraphedEncoder(encoder, contextlib.nullcontext)
    often, rare, third, too_many = batch_of(5, 6), batch_of(3), batch_of(12, 2, 2), batch_of(1, 1, 1, 1)
    for batch in (often, rare, often, rare, often, third, third, third, *[too_many] * 4):
        assert torch.equal(run(batch), GraphedEncoder(encoder, contextlib.nullcontext)(batch))
    assert recording == [shape_of(often), shape_of(third)]
    other = batch_of(4, 7)  # of the shape of `often`
    assert (run(other) - encoder(other)).abs().max() < 1e-5


def test_a_batch_of_more_than_a_piece_runs_in_pieces(tiny_encoder, monkeypatch):
    monkeypatch.setattr(graphs, "piece_tokens", lambda device: 255)
    run = GraphedEncoder(encoder := new_encoder(tiny_encoder(), PLAIN, 42), contextlib.nullcontext)
    batch = batch_of(5, 6)
    assert torch.equal(run(batch), encoder(batch))
    assert not run.passes


def trained(folder, settings, **given):
    return trainings.trained(folder, settings, PAIRS, DEV, **given)


def equal(one, other):
    return equal_weights(one[0], other[0]) and one[1].equals(other[1])


def test_a_training_on_graphs_is_the_ordinary_one_without_dropout(tiny_encoder, recording):
    (_, ordinary), (_, graphed) = (trained(tiny_encoder(), PLAIN, cuda_graphs=each) for each in (False, True))
    assert recording
    assert np.abs(graphed.loss - ordinary.loss).max() < 1e-4
    rest = ["step", "epoch", "learning_rate", "sentences", "tokens"]
    assert graphed[rest].equals(ordinary[rest])


def test_a_killed_training_goes_on_to_the_same_bytes_whenever_a_pass_is_recorded(
    tiny_encoder, recording, monkeypatch, tmp_path, caplog
):
    with broken_off(after=13):
        trained(tiny_encoder(), RECIPE, state=tmp_path, cuda_graphs=True)
    again = trained(tiny_encoder(), RECIPE, state=tmp_path, cuda_graphs=True)
    assert recording
    monkeypatch.setattr(graphs, "SEEN", 10**9)
    recording.clear()
    assert equal(again, trained(tiny_encoder(), RECIPE, cuda_graphs=True))
    assert not recording
    # Where nothing can be recorded the log says why, and its checkpoints are others.
    monkeypatch.setattr(graphs, "not_graphed", not_graphed)
    caplog.set_level("INFO")
    ordinary = trained(tiny_encoder(), RECIPE)
    assert equal(ordinary, trained(tiny_encoder(), RECIPE, state=tmp_path, cuda_graphs=True))
    assert "cuda_graphs is ignored: the device is cpu, not cuda" in caplog.text
    assert "belongs to a training with other data or settings" in caplog.text


def test_encoders_with_padding_and_batches_in_pieces_are_not_recorded():
    model = SimpleNamespace(config=SimpleNamespace(model_type="distilbert"))
    flat, padded = (SimpleNamespace(device=torch.device("cuda"), flat=flat, model=model) for flat in (1, 0))
    assert "runs each batch in pieces" in not_graphed(flat, recompute=True)
    assert "type distilbert runs with padding" in not_graphed(padded, recompute=False)
    assert not_graphed(flat, recompute=False) == ""


class _NoCopies(TorchDispatchMode):
    """Refuse what a recording may not hold: numbers from the host, and questions to the device."""

    REFUSED = ("_local_scalar_dense", "nonzero", "lift_fresh", "masked_select", "unique")

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        assert not any(name in str(function) for name in self.REFUSED), function
        return function(*arguments, **(named or {}))


@pytest.mark.parametrize("layers", ["first", "last", "all"])
def test_a_pass_asks_its_device_nothing(layers):
    """On `meta`, where Tensors have shapes and no numbers, and nothing of the CPU may be mixed in."""
    with torch.device("meta"):
        model = AutoModel.from_config(
            BertConfig(vocab_size=30, hidden_size=64, num_hidden_layers=2, num_attention_heads=4),
            add_pooling_layer=False,
        ).train()
        words, first = torch.empty(16, dtype=torch.long), torch.empty(3, dtype=torch.long)
        layout = Layout(3, 8, words.clone(), first, torch.empty(3, 8, dtype=torch.bool), nowhere=1)
    pooler = {"first": first_token, "last": POOLERS["avg"], "all": POOLERS["avg_first_last"]}[layers]
    with _NoCopies():
        vectors = vectors_of_piece(model, words, words, layout, pooler, layers)
        vectors.sum().backward()
    assert vectors.shape == (3, 64)
    assert all(each.grad is not None for each in model.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("precision", ["float32", "bf16"])
def test_on_a_gpu(tiny_encoder, monkeypatch, precision):
    monkeypatch.setattr(graphs, "TOKENS", 32)
    plain = PLAIN.model_copy(update={"precision": precision})
    run = partial(trained, tiny_encoder(), device="cuda")
    (_, ordinary), (_, graphed) = run(plain), run(plain, cuda_graphs=True)
    allowed = {"float32": 1e-4, "bf16": 2e-2}[precision]
    assert np.abs(graphed.loss - ordinary.loss).max() < allowed
    # With dropout: the same draws, whether a pass is recorded or not.
    dropping = RECIPE.model_copy(update={"precision": precision})
    _, recorded = run(dropping, cuda_graphs=True)
    monkeypatch.setattr(graphs, "SEEN", 10**9)
    assert np.abs(recorded.loss - run(dropping, cuda_graphs=True)[1].loss).max() < allowed
