"""Language models of the mini world: how each is made, and the texts that it has read.

The texts come from a world of another seed than any study uses.
"""

from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path

from contrapose.settings.catalogs import SmallLanguageModel
from contrapose.settings.instructions import Instructions
from contrapose.train.small_language_models import Document, train_language_model
from contrapose_mini.articles import ArticleWriter
from contrapose_mini.facts import MadeWorld
from contrapose_mini.files import FACTS_PER_ARTICLE
from contrapose_mini.instructed import MINI_LANGUAGE_MODEL, mini_documents
from contrapose_mini.pretrain import WORLD_SEED, pretraining_texts
from contrapose_mini.rinna import train_rinna_language_model

ARTICLES = 4000  # ours; facts for so many, of which each is told about five times
# Shape and steps are ours: what knows an ungrammatical sentence (resources/mini/language_models/README.md
# says how well) after a few minutes of one core.  No dropout: no document is read twice.
ARTICLE_READER = SmallLanguageModel(
    layers=4,
    hidden=128,
    heads=4,
    dropout=0.0,
    vocabulary=2400,
    positions=192,
    documents=80_000,
    steps=2500,
    batch=32,
    learning_rate=2e-3,
)
MINI_LANGUAGE_MODELS = {
    "gpt2": MINI_LANGUAGE_MODEL,
    "gpt2-articles": ARTICLE_READER,
    "japanese-gpt2": ARTICLE_READER.model_copy(update={"vocabulary": 1600}),
}


def write_mini_language_model(name: str, instructions: Mapping[str, Instructions], folder: Path) -> None:
    """Train one of `MINI_LANGUAGE_MODELS`; `instructions` are those that `gpt2` has read."""
    spec = MINI_LANGUAGE_MODELS[name]
    if name == "gpt2":
        train_language_model(mini_documents(instructions, spec.documents), spec, folder)
    elif name == "gpt2-articles":
        train_language_model(article_documents(spec.documents), spec, folder)
    else:
        train_rinna_language_model(japanese_sentences(spec.documents), spec, folder)


def article_documents(documents: int, seed: int = WORLD_SEED) -> list[Document]:
    """Return `documents` sentences of the articles of a world, each as a text by itself."""
    writer = ArticleWriter(MadeWorld(seed, FACTS_PER_ARTICLE * ARTICLES), seed)
    for _ in takewhile(lambda _: len(writer.statements) < documents, writer.articles(ARTICLES)):
        pass  # the writer remembers its sentences
    return [Document("", statement.text) for statement in writer.statements[:documents]]


def japanese_sentences(count: int, seed: int = WORLD_SEED) -> list[str]:
    """Return `count` Japanese sentences of a world, in all its styles."""
    texts = pretraining_texts(count, "japanese", seed)  # of one sentence or two
    return [f"{part}。" for text in texts for part in text.split("。") if part][:count]
