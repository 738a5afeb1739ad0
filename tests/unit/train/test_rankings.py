"""What RankCSE adds to the loss, against values worked out by hand and plain loops of its formulae."""

import math

import numpy as np
import pytest
import torch

from contrapose.settings.recipes import Recipe
from contrapose.train.rankings import jensen_shannon, listmle, ranking_loss

STUDENT, TEACHER = torch.tensor([[0.9, 0.2, 0.5]]), torch.tensor([[0.8, 0.4, 0.1]])
RANKED = {"consistency": 0.7, "distillation": 1.3, "teacher": "any", "teacher_temperature": 0.3}


def test_the_worked_values():
    # Methods, appendix.  By hand: ln(e^0.9 + e^0.2 + e^0.5) - 0.9, and ln(e^0.2 + e^0.5) - 0.2.
    assert listmle(STUDENT, TEACHER).item() == pytest.approx(1.627656, abs=1e-6)
    assert jensen_shannon(STUDENT, TEACHER).item() == pytest.approx(0.00599078, abs=1e-8)


def test_divergence_is_none_of_equal_rows_and_ln_2_of_opposite_ones():
    assert jensen_shannon(STUDENT, STUDENT).item() == pytest.approx(0, abs=1e-7)
    # Probabilities far below 1e-7, where the public code's clamp would show.
    opposite = torch.tensor([[90.0, -90.0]])
    assert jensen_shannon(opposite, -opposite).item() == pytest.approx(math.log(2))


def test_of_equals_the_first_in_the_batch_comes_first():
    scores = torch.tensor([[1.0, 0.0, 3.0]])
    equal = listmle(scores, torch.zeros(1, 3))
    assert equal.item() == pytest.approx(listmle(scores, torch.tensor([[3.0, 2, 1]])).item())
    assert equal.item() != pytest.approx(listmle(scores, torch.tensor([[1.0, 2, 3]])).item(), abs=0.1)


def plain_loss(sides, teacher_vectors, recipe):
    """The same sum by loops over sentences and positions."""

    def scores(vectors, temperature):
        unit = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        return np.array([[one @ other / temperature for other in unit[:, 1]] for one in unit[:, 0]])

    def softmax(row):
        return [math.exp(each) / sum(map(math.exp, row)) for each in row]

    own, wanted = scores(sides, recipe.temperature), scores(teacher_vectors, recipe.teacher_temperature)
    total = 0.0
    for i in range(len(own)):
        for p, q in zip(softmax(own[i]), softmax(own[:, i]), strict=True):
            middle = (p + q) / 2
            total += recipe.consistency * (p * math.log(p / middle) + q * math.log(q / middle)) / 2
        if recipe.ranking != "listnet":
            length = len(own) if recipe.ranking == "listmle_mean" else 1
            order = sorted(range(len(own)), key=lambda j: -wanted[i, j])
            for k in range(len(order)):
                left = sum(math.exp(own[i, j]) for j in order[k:])
                total += recipe.distillation * (math.log(left) - own[i, order[k]]) / length
        else:
            given, said = (softmax(np.delete(each[i], i)) for each in (wanted, own))
            total -= recipe.distillation * sum(p * math.log(q) for p, q in zip(given, said, strict=True))
    return total / len(own)


@pytest.mark.parametrize("ranking", ["listmle", "listmle_mean", "listnet"])
def test_loss_and_gradient_are_those_of_plain_loops(ranking):
    recipe = Recipe(**RANKED, ranking=ranking, temperature=0.5)
    draws = np.random.default_rng(7)
    sides, teacher_vectors = draws.normal(size=(5, 2, 4)), draws.normal(size=(5, 2, 3))
    vectors = torch.tensor(sides, requires_grad=True)
    loss = ranking_loss(vectors, torch.tensor(teacher_vectors), recipe)
    loss.backward()
    assert loss.item() == pytest.approx(plain_loss(sides, teacher_vectors, recipe), rel=1e-9)
    steps = 1e-5 * np.eye(sides.size).reshape(-1, *sides.shape)
    ahead, behind = (
        [plain_loss(sides + each, teacher_vectors, recipe) for each in side] for side in (steps, -steps)
    )
    slopes = np.subtract(ahead, behind) / 2e-5
    assert vectors.grad.numpy().ravel() == pytest.approx(slopes, abs=1e-8)
    # The last batch may be one sentence, which has nothing to rank.
    one = torch.randn(1, 2, 4, requires_grad=True)
    alone = ranking_loss(one, torch.randn(1, 2, 3), recipe)
    alone.backward()
    assert alone.item() == pytest.approx(0, abs=1e-6)
    assert one.grad.abs().max() < 1e-5


def test_consistency_alone_needs_no_teacher():
    sides = torch.randn(4, 2, 3)
    first, second = torch.nn.functional.normalize(sides, dim=-1).unbind(dim=1)
    there = first @ second.T
    found = ranking_loss(sides, None, Recipe(consistency=0.4))
    assert found.item() == pytest.approx(0.4 * jensen_shannon(20 * there, 20 * there.T).item(), rel=1e-5)
