"""Words in place of others by a masked language model of `transformers`, such as BERT."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModelForMaskedLM

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import computed
from contrapose.models.checkpoint import identity
from contrapose.models.devices import chosen_device, on_device, piece_tokens
from contrapose.models.folders import length_limit, model_folder
from contrapose.models.tokens import Inputs, inputs_of, pieces
from contrapose.models.transformer import model_and_tokenizer, read_config

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

WHAT = "masked language model"


class MaskedLanguageModel:
    """A masked language model, in float32, and the words of its vocabulary that are one token.

    From a folder, or of the hub with a commit.  Raises ConfigError if it was saved without the layer that
    predicts words, as sentence encoders are.
    """

    def __init__(self, source: str | Path, device: str, revision: str | None = None) -> None:
        folder = model_folder(source, revision, WHAT)
        config = read_config(folder, WHAT)
        kinds = config.architectures or []
        if not any(kind.endswith(("ForMaskedLM", "ForPreTraining")) for kind in kinds):
            raise ConfigError(
                f"{WHAT} '{folder}' is {', '.join(kinds) or 'of no known architecture'}, which "
                "predicts no masked words. Name a pretrained model like bert-base-uncased, not a "
                "sentence encoder."
            )
        model, self.tokenizer = model_and_tokenizer(AutoModelForMaskedLM, folder, config, what=WHAT)
        self.tokenizer.padding_side = "right"
        self.model: PreTrainedModel = model.to(chosen_device(device)).eval()
        made_by = f"{torch.__version__} {self.model.device.type}"
        self.identity = partial(identity, made_by, identity(*model.state_dict().values()))
        self.words = _words(self.tokenizer)
        if not any(self.words):
            raise ConfigError(f"{WHAT} '{folder}' has no whole word in its vocabulary. Name another model.")
        self.tokens = defaultdict[str, list[int]](list)  # of each word, in lower case
        for token, word in enumerate(self.words):
            self.tokens[word.lower()].append(token)

    @property
    def mask(self) -> str:
        return self.tokenizer.mask_token

    @torch.inference_mode()
    def fill(
        self, texts: Sequence[str], words: Sequence[Sequence[str]], draws: Sequence[Sequence[float]] | None
    ) -> list[list[str]]:
        """Return a word for each mask of each text, another one than `words` has there, whatever the case.

        All masks of a text are filled from one pass.  The likeliest word; with `draws`, a number from 0 to 1
        for each mask, the one at which the probabilities, summed up in the order of the vocabulary, reach it.
        Texts are cut at the model's limit: masks after it have no word.
        """
        inputs = inputs_of(texts, self.tokenizer, length_limit(self.model, self.tokenizer))
        order, sizes = pieces(inputs.lengths, piece_tokens(self.model.device))
        filled: list[list[str]] = [[] for _ in texts]
        for rows in np.split(order, np.cumsum(sizes)[:-1]):
            texts_of, logits = self._logits(inputs.take(rows))
            for row, scores in zip(rows[texts_of].tolist(), logits, strict=True):
                at = len(filled[row])
                if at < len(words[row]):  # else a mask that stands in the sentence itself
                    scores[self.tokens.get(words[row][at].lower(), [])] = -torch.inf
                    token = scores.argmax() if draws is None else _drawn(scores, draws[row][at])
                    filled[row].append(self.words[int(token)])
        return filled

    def _logits(self, inputs: Inputs) -> tuple[np.ndarray, Tensor]:
        """Return the text of each mask, (M,), and logits, (M, V): -inf for what is no whole word."""
        arguments = inputs.padded(self.tokenizer)
        computed(self.model, arguments["input_ids"].size)
        masks = arguments["input_ids"] == self.tokenizer.mask_token_id
        device = self.model.device
        logits = self.model(**{name: on_device(each, device) for name, each in arguments.items()}).logits
        logits = logits[torch.from_numpy(masks).to(device)].float().cpu()
        logits[:, [not word for word in self.words]] = -torch.inf
        return np.nonzero(masks)[0], logits


def _drawn(scores: Tensor, draw: float) -> Tensor:
    sums = scores.double().softmax(0).cumsum(0)
    return torch.searchsorted(sums, (draw * sums[-1]).clamp(min=torch.finfo(sums.dtype).tiny))


def _words(tokenizer: "PreTrainedTokenizerBase") -> list[str]:
    """Return the word that each token is, or an empty text: pieces of words, marks and special tokens."""
    tokens = range(len(tokenizer))
    start = tokenizer.tokenize("a a")[-1].removesuffix("a")  # of a word: nothing in BERT's, Ġ in RoBERTa's
    names = tokenizer.convert_ids_to_tokens(tokens)
    texts = (text.strip() for text in tokenizer.batch_decode([[token] for token in tokens]))
    return [
        text if name.startswith(start) and text.isalnum() else ""
        for name, text in zip(names, texts, strict=True)
    ]
