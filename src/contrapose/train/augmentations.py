"""What a training does to a batch between tokeniser and first layer: ESimCSE's repetition, and ConSERT's.

Wu et al., "ESimCSE: Enhanced Sample Building Method for Contrastive Learning of Unsupervised Sentence
Embedding", COLING 2022, section 3.1, and caskcsg/sentemb @5eeec55, `ESimCSE/train.py`.  Yan et al., "ConSERT:
A Contrastive Framework for Self-Supervised Sentence Representation Transfer", ACL 2021, section 3.2, and
yym6472/ConSERT @03c9e8f, `transformers/modeling_bert.py`.
"""

from dataclasses import replace

import numpy as np

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import generator
from contrapose.models.packed import embeddings_of
from contrapose.models.pooling import Pooling
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.models.tokens import Tokens
from contrapose.settings.recipes import EncoderRecipe

BELOW = 10  # fewer word pieces are repeated: ESimCSE's code
FEWEST = 2  # so many may be repeated in a text of any length: ESimCSE's paper


def check(encoder: SentenceEncoder, recipe: EncoderRecipe) -> None:
    """Raise a ConfigError if an encoder cannot be trained with a recipe's augmentations."""
    pieces = np.array([recipe.max_length])
    longest = recipe.max_length + int(_most(recipe, pieces, pieces - 2)[0])
    if recipe.repetition and longest > encoder.positions:
        raise ConfigError(
            f"recipe: max_length is {recipe.max_length}. With repeated words, texts have up to "
            f"{longest} word pieces, but the encoder takes at most {encoder.positions}. Lower "
            "max_length."
        )
    if recipe.feature_cutoff and embeddings_of(encoder.model) is None:
        raise ConfigError(
            "recipe: feature_cutoff needs an encoder whose embeddings are one module, such as BERT. "
            f"An encoder of type {encoder.model.config.model_type} has none. Remove feature_cutoff."
        )


def augmented(
    batch: Tokens, sides: np.ndarray, encoder: SentenceEncoder, recipe: EncoderRecipe, *key: str | int
) -> Tokens:
    """Return a batch as a recipe augments its anchors and positives; without augmentations, itself.

    `sides`, of shape (B,): 0 for anchors, 1 for positives, another number for other texts.
    `key`: what the random draws depend on, beside the lengths of the texts.
    """
    positive = sides == 1
    if recipe.repetition:
        batch = repeated(batch, positive, encoder.tokenizer, recipe, generator("repetition", *key))
    if recipe.token_shuffling:
        batch = shuffled(batch, positive, encoder.form.pooling, generator("shuffle", *key))
    if recipe.feature_cutoff:
        width = encoder.model.get_input_embeddings().weight.shape[1]
        kept = kept_columns(len(batch), width, recipe.feature_cutoff, generator("cutoff", *key))
        batch = replace(batch, columns=kept | (sides != 0)[:, None])
    return batch


def repeated(
    batch: Tokens, chosen: np.ndarray, tokenizer: object, recipe: EncoderRecipe, draws: np.random.Generator
) -> Tokens:
    """Repeat some tokens of the chosen sentences, bool of shape (B,), each once and after itself.

    Every number of them from 0 to the most is equally likely.  Tokens at the ends that stand for no text are
    not repeated.
    """
    special = [getattr(tokenizer, f"{name}_token_id") for name in ("cls", "sep", "bos", "eos")]
    inner = ~np.isin(batch.ids, [each for each in special if each is not None]) & ~_of_prompt(batch)
    counts = np.add.reduceat(inner, batch.start[:-1])
    number = (draws.random(len(batch)) * (1 + _most(recipe, batch.lengths, counts))).astype(int)
    number = np.where(chosen, np.minimum(number, counts), 0)
    keys = np.where(inner, draws.random(len(inner)), 1.0)
    rank = np.empty(len(keys), int)  # of each token among those of its sentence, from 0
    rank[np.lexsort((keys, _sentences(batch)))] = batch.positions
    twice = rank < np.repeat(number, batch.lengths)
    return replace(batch, ids=np.repeat(batch.ids, 1 + twice), lengths=batch.lengths + number)


def _most(recipe: EncoderRecipe, pieces: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Return the largest number of tokens to repeat, of `pieces` with [CLS] and [SEP], `inner` without."""
    if recipe.repetition_count == "paper":
        return np.maximum(FEWEST, (recipe.repetition * inner).astype(int))
    return np.clip((recipe.repetition * pieces).astype(int), 1, BELOW) - 1


def shuffled(batch: Tokens, chosen: np.ndarray, pooling: Pooling, draws: np.random.Generator) -> Tokens:
    """Let the tokens of the chosen sentences, bool of shape (B,), change places.

    For a mean, as if their position ids were permuted, of [CLS] and [SEP], too, as in the authors' code.
    Ours: a single token that the pooling takes keeps its place, as those do that it leaves out.
    """
    places = batch.positions
    keys = np.where(np.repeat(chosen, batch.lengths), draws.random(len(places)), places)
    if "cls" in pooling.modes:
        keys[batch.start[:-1]] = -1
    if "lasttoken" in pooling.modes:
        keys[batch.start[1:] - 1] = len(places)
    keys = np.where(_of_prompt(batch), places - len(places), keys)
    return replace(batch, ids=batch.ids[np.lexsort((keys, _sentences(batch)))])


def kept_columns(sentences: int, width: int, share: float, draws: np.random.Generator) -> np.ndarray:
    """Draw the columns that stay, all but `share` of them, rounded down: bool of shape (sentences, width)."""
    zeros = int(share * width)
    columns = draws.random((sentences, width)).argpartition(zeros, axis=1)[:, :zeros]
    kept = np.ones((sentences, width), bool)
    np.put_along_axis(kept, columns, False, axis=1)
    return kept


def _of_prompt(batch: Tokens) -> np.ndarray:
    """Return which tokens pooling leaves out: bool (N,)."""
    skipped = np.zeros(len(batch), np.int64) if batch.skipped is None else batch.skipped
    return batch.positions < np.repeat(skipped, batch.lengths)


def _sentences(batch: Tokens) -> np.ndarray:
    return np.repeat(np.arange(len(batch)), batch.lengths)
