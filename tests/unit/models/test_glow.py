import pytest
import torch

from contrapose.models.glow import ActNorm, Glow


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
