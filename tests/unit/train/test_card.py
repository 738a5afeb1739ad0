from types import SimpleNamespace

import numpy as np
import pandas as pd
from huggingface_hub import ModelCard
from sentence_transformers import SentenceTransformer

from contrapose.jobs.fingerprint import canonical
from contrapose.jobs.status import read_status
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import new_encoder
from contrapose.train import training
from contrapose.train.recipe import Recipe
from contrapose.train.training import CardFacts, TrainingSettings
from tests.unit.train.trainings import TEXTS

FACTS = CardFacts(
    catalog="w",
    catalog_description="of small things",
    generated=True,
    base="bert-base (a/b at 0123)",
    base_model="a/b",
    language="en",
    asked=["chatgpt is qwen"],
)
RECIPE = Recipe(epochs=1, batch_size=8, max_length=8, dropout=0.1)


def written(folder, encoder, facts=FACTS):
    """Write an encoder as a training does that took three steps."""
    spec = TrainingSettings(recipe=RECIPE, seed=7)
    job = SimpleNamespace(
        resources=SimpleNamespace(card=facts.model_dump_json()),
        rule="train_encoder",
        wildcards={"pairs": "p+size=20", "recipe": "r", "seed": "7"},
        params=SimpleNamespace(settings=canonical(spec), code="c"),
    )
    counts = {"pairs": 20, "pairs_used": 20}
    save, log = training._finish(spec, job)(encoder, pd.DataFrame({"step": [1, 2, 3]}), **counts)
    assert read_status(log.attrs).counts == counts
    save(folder)
    return (folder / "README.md").read_text()


def test_the_card_says_how_the_encoder_was_trained_and_the_folder_loads(tiny_encoder, tmp_path):
    encoder, folder = new_encoder(tiny_encoder("bert"), RECIPE, 42), tmp_path / "encoder"
    written(folder, encoder)
    card = ModelCard.load(folder / "README.md")
    assert (card.data.base_model, card.data.language) == ("a/b", "en")
    assert card.data.library_name == "sentence-transformers"
    assert "sentence-similarity" in card.data.tags
    assert "# p+size=20/r/seed7\n" in card.text
    for line in (
        "| pretrained encoder | bert-base (a/b at 0123) |",
        "| pairs | `p+size=20`, 20 rows, of which 20 were used |",
        "| language models | chatgpt is qwen |",
        "| optimiser steps | 3 |",
        "| seed | 7 |",
    ):
        assert f"\n{line}\n" in card.text
    assert "`r`: batch_size 8, " in card.text
    # Of the loss what is used, and its temperature.
    assert "temperature 0.05" in card.text
    assert "guide_margin" not in card.text
    code = card.text.split("```python\n")[1].split("```")[0].replace("FOLDER", str(folder))
    names: dict = {}
    exec(code, names)
    texts = TEXTS[:4].tolist()
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    assert np.abs(theirs - embeddings(encoder, texts)).max() < 1e-5


def test_equal_trainings_have_equal_cards_which_say_that_a_catalog_is_made_up(tiny_encoder, tmp_path):
    encoder, real = (
        new_encoder(tiny_encoder("bert"), RECIPE, 42),
        FACTS.model_copy(update={"generated": False}),
    )
    cards = [written(tmp_path / facts.catalog, encoder, facts) for facts in (FACTS, FACTS, real)]
    assert cards[0] == cards[1]
    assert str(tmp_path.parent) not in cards[0]
    assert ["A program wrote the text of this catalog" in card for card in cards] == [True, True, False]
