"""How InfoNCE's candidates count, against sentence-transformers and loops after the authors' code."""

import math

import numpy as np
import pytest
import torch
from sentence_transformers.sentence_transformer import losses as peers
from transformers import AutoTokenizer

from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.batches import tokenised_pairs
from contrapose.train.dev_scores import loss_scorer
from contrapose.train.losses.info_nce import info_nce
from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.objective import batch_loss
from contrapose.train.recipe import Recipe
from contrapose.train.rows import RowIds, View
from tests.unit.train.test_losses import Given, assert_equal, cosine
from tests.unit.train.trainings import IDS, LONGER, RAGGED, SIX, tokenising, trained

ROWS, T = 6, 0.5
MNRL = peers.MultipleNegativesRankingLoss
EVERY = ("query_to_doc", "query_to_query", "doc_to_query", "doc_to_doc")
BOTH_WAYS = {"directions": ("query_to_doc", "doc_to_query"), "partition_mode": "per_direction"}


PEERS = {  # their options, ours
    "symmetric": (BOTH_WAYS, {"symmetric": True}),
    "gte": ({"directions": EVERY}, {"candidates": "gte"}),
}


def random_sides(sides, dimensions=4):
    torch.manual_seed(sides)
    return torch.randn(ROWS, sides, dimensions, dtype=torch.float64, requires_grad=True)


def rows_of(sides, **given):
    return RowIds(np.arange(ROWS * sides).reshape(ROWS, sides), (sides - 2,), **given)


@pytest.mark.parametrize("number", [2, 3, 4])
@pytest.mark.parametrize("name", PEERS)
def test_directions_are_those_of_sentence_transformers(name, number):
    theirs, ours = PEERS[name]
    sides = random_sides(number)
    features = [{"sentence_embedding": side} for side in sides.unbind(dim=1)]
    peer = MNRL(Given(), **theirs)(features, None)
    assert_equal(batch_loss(sides, rows_of(number), None, Recipe(**ours)), peer, sides)
    plain = batch_loss(sides, rows_of(number), None, Recipe())
    assert abs(plain - peer) > 1e-3


class Guide(Given):
    """A guide that returns the vectors that it is given."""

    def forward(self, features):
        return {"sentence_embedding": features["guided"]}


@pytest.fixture(scope="module")
def guided(tiny_encoder):
    model, guide = Given(), Guide()
    for each in (model, guide):  # one tokenizer: the guide reads what the model reads
        each.tokenizer, each.max_seq_length = AutoTokenizer.from_pretrained(tiny_encoder("bert")), 8
    return model, guide


@pytest.mark.parametrize("candidates", ["gistembed", "positives"])
@pytest.mark.parametrize("kind", ["absolute", "relative"])
@pytest.mark.parametrize("margin", [0, 0.3])
@pytest.mark.parametrize("number", [2, 3])
def test_what_a_guide_removes_is_what_gistembed_removes(guided, number, margin, kind, candidates):
    sides = random_sides(number)
    vectors = random_sides(number, dimensions=3).detach().float()
    texts = zip(sides.unbind(dim=1), vectors.unbind(dim=1), strict=True)
    features = [{"sentence_embedding": each, "guided": guide} for each, guide in texts]
    blocks = dict.fromkeys(["contrast_anchors", "contrast_positives"], candidates == "gistembed")
    options = {"temperature": 0.01, "margin": margin, "margin_strategy": kind, **blocks}
    peer = peers.GISTEmbedLoss(*guided, **options)(features, None)
    ours = {"guide_margin": margin, "guide_margin_kind": kind, "candidates": candidates}
    recipe = Recipe(guide="any", temperature=0.01, **ours)
    loss = batch_loss(sides, rows_of(number), None, recipe, vectors.reshape(-1, 3).numpy())
    assert_equal(loss, peer, sides)
    alone = batch_loss(sides, rows_of(number), None, Recipe(temperature=0.01, candidates=candidates))
    assert abs(alone - peer) > 1e-3


# Loops over rows, with two hard negatives in each but one, after the authors' code.
SIDES = random_sides(4).detach()
GUIDED = random_sides(4, dimensions=3).detach()
ABSENT = (2, 1)  # row 2 has no second hard negative
OTHERS = [(i, k) for k in (0, 1) for i in range(ROWS) if (i, k) != ABSENT]
PRESENT = torch.tensor([(i, k) != ABSENT for k in (0, 1) for i in range(ROWS)])
WEIGHTS = [0.2, 2, 0, 1, 0.5, 0.7]


def view_of(sides, **given):
    anchor, positive, *hard = sides.unbind(dim=1)
    return View(anchor, positive, torch.cat(hard), PRESENT, **given)


def table(sides):
    """The cosine of each row's anchor with all positives, and with all hard negatives."""
    cosines = [[cosine(a, p).item() for p in sides[:, 1]] for a in sides[:, 0]]
    hard = [{(j, k): cosine(a, sides[j, 2 + k]).item() for j, k in OTHERS} for a in sides[:, 0]]
    return cosines, hard


POSITIVES, NEGATIVES = table(SIDES)
GUIDE_POSITIVES, GUIDE_NEGATIVES = table(GUIDED)


def logits(row):
    """The candidates of a row by name, the positives by their number."""
    return dict(enumerate(value / T for value in POSITIVES[row])) | {
        other: value / T for other, value in NEGATIVES[row].items()
    }


def losses(change=lambda row, logits: None):
    found = []
    for row in range(ROWS):
        chosen = logits(row)
        change(row, chosen)
        found.append(math.log(sum(map(math.exp, chosen.values()))) - chosen[row])
    return found


def plus_own(added):
    def change(row, logits):
        for other in logits:
            if other in OTHERS and other[0] == row:
                logits[other] += added(row, other)

    return losses(change)


def zeroed(row, logits):
    near = dict(enumerate(GUIDE_POSITIVES[row])) | GUIDE_NEGATIVES[row]
    for other in logits:
        if other != row and near[other] > 0.5:
            logits[other] = 0


def with_mixtures(row, logits):
    anchors, positives = SIDES[:, 0], SIDES[:, 1]
    for j in range(ROWS):
        next_one = (j + 1) % ROWS
        mixture = 0.2 * positives[j] + 0.8 * positives[next_one]
        logits["positives", j] = 0 if next_one == row else cosine(anchors[row], mixture).item() / T
        mixture = 0.2 * anchors[row] + 0.8 * anchors[(row + 1) % ROWS]
        logits["anchors", j] = 0 if j == (row + 1) % ROWS else cosine(mixture, positives[j]).item() / T


def margins(row):
    own = [value - POSITIVES[row][row] for (i, _), value in NEGATIVES[row].items() if i == row]
    return sum(max(each + 0.1, 0) + max(-each - 0.3, 0) for each in own) / len(own)


def mean(values):
    return sum(values) / ROWS


IN_BATCH = [math.log(sum(math.exp(each / T) for each in row)) - row[i] / T for i, row in enumerate(POSITIVES)]
GIVEN = {"weights": torch.tensor(WEIGHTS), "guide": view_of(GUIDED)}
WRITTEN_OUT = {
    "hard_negative_weight": ({"hard_negative_weight": 1.5}, (), mean(plus_own(lambda *_: 1.5))),
    "multicsr": (
        {"guide": "any", "guide_margin": 0.5, "guide_margin_kind": "threshold", "false_negatives": "zero"},
        ("guide",), mean(losses(zeroed)),
    ),
    "mixcse": ({"mixcse_lambda": 0.2}, (), mean(losses(with_mixtures))),
    "weights": ({}, ("weights",), mean(np.multiply(WEIGHTS, losses()))),
    "sncse": (
        {"soft_negative_weight": 0.5}, ("weights",),
        mean(np.multiply(WEIGHTS, [IN_BATCH[row] + 0.5 * margins(row) for row in range(ROWS)])),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_losses_are_those_written_out(name):
    settings, names, expected = WRITTEN_OUT[name]
    view = view_of(SIDES, **{each: GIVEN[each] for each in names})
    found = info_nce(InfoNCE(temperature=T, **settings), view).item()
    assert found == pytest.approx(expected, rel=1e-6)
    assert abs(found - mean(losses())) > 1e-3


# Sides with one letter have one text.
LETTERS = ["abcd", "eabf", "gbha", "ijik", "ilnl", "mopq"]
NUMBERS = torch.tensor([[ord(letter) for letter in row] for row in LETTERS])


def with_equal_texts_removed(kind):
    """The loss, candidate by candidate: (row, side), and which side of the row it is compared with."""
    found = []
    for i in range(ROWS):
        others = [j for j in range(ROWS) if j != i]
        chosen = [((j, 0 if kind == "anchors" and j != i else 1), 0) for j in range(ROWS)]
        chosen += [((j, 2 + k), 0) for j, k in OTHERS]
        if kind == "gte":
            chosen += [((j, side), side) for side in (0, 1) for j in others]
            chosen += [((j, 0), 1) for j in range(ROWS)]
            chosen += [((j, 2 + k), 1) for j, k in OTHERS if j != i]
        sums = 0
        for (j, side), of in chosen:
            texts = LETTERS[j][:2] if side < 2 else LETTERS[j][side]
            if (j == i and side < 2) or not {*LETTERS[i][:2]} & {*texts}:
                sums += math.exp(cosine(SIDES[i, of], SIDES[j, side]).item() / T)
        found.append(math.log(sums) - POSITIVES[i][i] / T)
    return mean(found)


@pytest.mark.parametrize("kind", ["positives", "anchors", "gte"])
def test_a_text_is_no_negative_of_itself_where_equal_texts_are_removed(kind):
    found, plain = (
        info_nce(InfoNCE(temperature=T, candidates=kind), view_of(SIDES, texts=texts)).item()
        for texts in (NUMBERS, None)
    )
    assert found == pytest.approx(with_equal_texts_removed(kind), rel=1e-6)
    assert found < plain - 1e-3


def test_equal_texts_are_those_that_look_the_same_in_both_directions(tiny_encoder):
    sentences = ["a man", "a\u00a0man", "a dog", "A dog"]
    pairs = as_pairs(IDS[:4], sentences, ["b", "c", "d", " b"], negatives=[["x"], ["a man "], ["x"], ["x"]])
    recipe = Recipe(equal_texts="removed", symmetric=True, temperature=T)
    tokenizer = AutoTokenizer.from_pretrained(tiny_encoder("bert"))
    rows, plain = (
        tokenised_pairs(pairs, tokenising(tokenizer), 8, recipe=each).slots[0] for each in (recipe, Recipe())
    )
    assert rows.equal.tolist() == [[0, 3, 6], [0, 4, 0], [1, 5, 6], [2, 3, 6]]
    assert plain.equal is None
    views = random_sides(3)[:4].detach()
    both = View(views[:2, 0], views[:2, 1], views[:2, 2], texts=torch.tensor([[0, 3, 0], [0, 4, 0]]))
    assert info_nce(InfoNCE(symmetric=True), both).item() == 0  # each row has its own positive alone
    found, every = (batch_loss(views, each, None, recipe).item() for each in (rows, plain))
    assert found < every - 1e-3


def test_mixtures_have_no_gradient():
    sides = random_sides(2)
    anchor, positive = sides.unbind(dim=1)
    mixed = [(0.2 * each + 0.8 * each.roll(-1, 0)).detach() for each in (anchor, positive)]
    one, two, three = (
        torch.cosine_similarity(left[:, None], right, dim=-1)
        for left, right in [(anchor, positive), (anchor, mixed[1]), (mixed[0], positive)]
    )
    here = torch.arange(ROWS)
    two[here.roll(-1), here] = three[here, here.roll(-1)] = 0
    chosen = torch.cat([one, two, three], dim=1)
    expected = torch.nn.functional.cross_entropy(chosen / T, here)
    assert_equal(info_nce(InfoNCE(mixcse_lambda=0.2, temperature=T), View(anchor, positive)), expected, sides)


def test_training_and_dev_loss_have_the_guide_and_weights_in_them(tiny_encoder):
    weight = np.float32([0.2, 0.9, 0, 1, 0.5, 0.7])
    pairs = as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED, weight=weight)
    settings = {"guide": "any", "guide_margin": -0.01, "hard_negative_weight": 3.0, "candidates": "gte"}
    recipe = Recipe(**settings, batch_size=6, max_length=9, dropout=0.0, dev="pairs", pooling="mean")
    guide = load_encoder(tiny_encoder("roberta"), pooling="mean")
    _, history = trained(tiny_encoder("bert"), recipe, pairs, pairs, guide=guide)
    encoder = new_encoder(tiny_encoder("bert"), recipe, 42)
    present = torch.tensor([k < len(texts) for k in (0, 1) for texts in RAGGED])
    flat = [texts[k] if k < len(texts) else "" for k in (0, 1) for texts in RAGGED]

    def view(encoder, **given):
        sides = (torch.from_numpy(embeddings(encoder, list(side))) for side in (SIX, LONGER, flat))
        return View(*sides, present, **given)

    whole = view(encoder, weights=torch.from_numpy(weight), guide=view(guide))
    expected = info_nce(recipe, whole).item()
    assert history.loss[0] == pytest.approx(expected, rel=1e-5)
    assert loss_scorer(encoder, pairs, recipe, guide=guide)() == pytest.approx(-expected, rel=1e-5)
    unguided = recipe.model_copy(update={"guide_margin": -2.0})
    assert abs(info_nce(unguided, whole).item() - expected) > 1e-3
