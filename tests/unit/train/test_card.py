"""The model card of a trained encoder, in its folder."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from huggingface_hub import ModelCard
from sentence_transformers import SentenceTransformer

from contrapose.encoders.embeddings import embeddings
from contrapose.fingerprint import canonical
from contrapose.settings.recipes import Recipe
from contrapose.stage import provenance
from contrapose.train import training
from contrapose.train.training import CardFacts, TrainingSettings
from tests.unit.train.trainings import TEXTS, same, trained

FACTS = CardFacts(
    world="w",
    world_description="of small things",
    generated=True,
    base="bert-base (a/b at 0123)",
    base_model="a/b",
    language="en",
)
RECIPE = Recipe(epochs=1, batch_size=8, max_length=8, dropout=0.1)


@pytest.fixture
def written(tiny_encoder, tmp_path):
    """Give a function from facts to the folder of an encoder that is trained and written."""

    def write(name="one", facts=FACTS):
        job = SimpleNamespace(
            rule="train_encoder",
            wildcards={"pairs": "p+size=20", "recipe": "r", "seed": "7"},
            params=SimpleNamespace(settings=canonical(TrainingSettings(recipe=RECIPE, seed=7)), code="c"),
        )
        encoder, history = trained(tiny_encoder("bert"), RECIPE, same(), seed=7)
        save, log = training.trained(
            encoder, history, facts, partial(provenance, job), pairs=20, pairs_used=20
        )
        assert log.attrs == {"pairs": 20, "pairs_used": 20}
        folder = tmp_path / name
        folder.mkdir()
        save(folder / "encoder")
        return encoder, folder

    return write


def test_the_card_says_how_the_encoder_was_trained_and_the_folder_loads(written):
    encoder, folder = written()
    card = ModelCard.load(folder / "encoder" / "README.md")
    found = (card.data.base_model, card.data.language, card.data.library_name)
    assert found == ("a/b", "en", "sentence-transformers")
    assert "sentence-similarity" in card.data.tags
    assert "# p+size=20/r/seed7\n" in card.text
    for line in (
        "| pretrained encoder | bert-base (a/b at 0123) |",
        "| pairs | `p+size=20`, 20 rows, of which 20 were used |",
        "| optimiser steps | 3 |",
        "| seed | 7 |",
    ):
        assert f"\n{line}\n" in card.text
    assert "`r`: batch_size 8, " in card.text
    code = card.text.split("```python\n")[1].split("```")[0].replace("FOLDER", str(folder / "encoder"))
    names: dict = {}
    exec(code, names)
    texts = TEXTS[:4].tolist()
    theirs = SentenceTransformer(str(folder / "encoder"), device="cpu").encode(texts)
    assert np.abs(theirs - embeddings(encoder, texts)).max() < 1e-5


def test_equal_trainings_have_equal_cards_without_a_path(written, tmp_path):
    one, other = (written(name)[1] / "encoder" / "README.md" for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert str(tmp_path.parent) not in one.read_text()


def test_a_made_up_world_is_said_to_be_one_and_a_real_one_is_not(written):
    for generated in (True, False):
        _, folder = written(str(generated), FACTS.model_copy(update={"generated": generated}))
        text = (folder / "encoder" / "README.md").read_text()
        assert ("made-up mini world" in text) == generated
