"""The flow as a map: its inverse, its determinant, its start, its shape."""

import pytest
import torch

from contrapose.encoders.glow import ActNorm, Glow
from contrapose.errors import ConfigError


def moved(size=16, levels=3, depth=2):
    """Return a flow in float64 that is far from its start, where couplings do nothing."""
    draws = torch.Generator().manual_seed(1)
    flow = Glow(size, levels, depth, 8, draws).double()
    for weights in flow.parameters():
        torch.nn.init.normal_(weights, std=0.3, generator=draws)
    return flow


def vectors(n, size=16, **options):
    return torch.randn(n, size, generator=torch.Generator().manual_seed(2), dtype=torch.float64, **options)


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_the_inverse_and_the_log_determinant_of_a_flow_are_right(levels):
    flow, x = moved(levels=levels), vectors(5)
    z = flow(x)
    assert (z - x).abs().max() > 1
    assert (flow.inverse(z) - x).abs().max() < 1e-9
    for each in x[:3]:
        jacobian = torch.autograd.functional.jacobian(lambda one: flow(one[None])[0], each)
        assert flow.log_determinant().item() == pytest.approx(torch.linalg.slogdet(jacobian)[1].item())


def test_a_first_batch_is_standardised_by_every_norm():
    flow = Glow(16, 2, 2, 8, torch.Generator().manual_seed(1)).double()
    x = vectors(200) * 7 + 30
    flow.standardise(x)
    seen = []
    for norm in (each for each in flow.modules() if isinstance(each, ActNorm)):
        norm.register_forward_hook(lambda _, __, output: seen.append(output))
    z = flow(x)
    for output in [*seen, z]:
        assert output.mean(dim=0).abs().max() < 1e-6
        assert (output.std(dim=0, correction=0) - 1).abs().max() < 1e-4
    assert len(seen) == 4 * 3


def test_what_leaves_first_stands_first_and_depends_on_the_first_level_alone():
    flow, x = moved(), vectors(4)
    before = flow(x)
    for step in flow.steps[2:]:  # the second and the third level
        step.norm.shift.data += 1
    after = flow(x)
    assert torch.equal(after[:, :8], before[:, :8])
    assert (after[:, 8:] != before[:, 8:]).all()


def test_a_size_that_cannot_be_halved_is_refused():
    with pytest.raises(ConfigError, match="levels is 3, but 20 dimensions cannot be halved so often"):
        Glow(20, 3, 1, 8)
