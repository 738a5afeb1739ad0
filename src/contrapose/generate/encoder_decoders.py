"""Texts by a local encoder-decoder of `transformers`: translations, such as opus-mt-zh-en's, queries, NLI."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from transformers import AutoModelForSeq2SeqLM
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import computed
from contrapose.models.checkpoint import identity
from contrapose.models.devices import chosen_device
from contrapose.models.folders import model_folder
from contrapose.models.transformer import model_and_tokenizer, read_config

if TYPE_CHECKING:
    from transformers import BatchEncoding, PreTrainedModel

UNLIMITED = 10**6  # tokenizers without a limit state 10^30


class Seq2SeqModel:
    """An encoder-decoder, in float32; its weights are never read from a pickle.

    From a folder, or of the hub with a commit; `what` names it in messages.  Raises ConfigError if the folder
    has no such model, or only a pickle of its weights, and BackendError if `transformers` cannot read it.
    """

    def __init__(
        self, source: str | Path, device: str, revision: str | None = None, what: str = "translator"
    ) -> None:
        checked = model_folder(source, revision, what)
        config = read_config(checked, what)
        if type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
            raise ConfigError(
                f"{what} '{source}' is of type {config.model_type}, which is not an encoder-decoder. "
                "Use a model like opus-mt-zh-en or doc2query-t5."
            )
        model, self.tokenizer = model_and_tokenizer(AutoModelForSeq2SeqLM, checked, config, what=what)
        self.model: PreTrainedModel = model.to(chosen_device(device)).eval()
        # How it translates is a file of its folder, beside the weights.
        made_by = f"{torch.__version__} {self.model.device.type} {model.generation_config.to_json_string()}"
        self.identity = partial(identity, made_by, identity(*model.state_dict().values()))

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Translate a batch; an unfinished translation is empty.

        By greedy or beam search, as the folder's generation_config.json says; nothing is sampled.
        """
        ids = self.model.generate(**self._read(texts), do_sample=False)
        computed(self.model, ids.numel())
        ended = (ids[:, 1:] == self.model.generation_config.eos_token_id).any(dim=1).tolist()
        texts = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [text.strip() if whole else "" for text, whole in zip(texts, ended, strict=True)]

    @torch.inference_mode()
    def drawn(
        self, texts: Sequence[str], count: int, top_k: int, top_p: float, longest: int, seed: int
    ) -> list[str]:
        """Return `count` random texts for each text, one text's after the other's; from PyTorch's generator.

        A text ends after `longest` tokens at the latest.
        """
        torch.manual_seed(seed)
        ids = self.model.generate(
            **self._read(texts), do_sample=True, num_beams=1, num_return_sequences=count,
            max_new_tokens=longest, top_k=top_k, top_p=top_p,
        )  # fmt: skip
        computed(self.model, ids.numel())
        return [" ".join(text.split()) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    @torch.inference_mode()
    def probabilities(self, texts: Sequence[str], answers: Sequence[str]) -> np.ndarray:
        """Return how likely each answer is to each text, by its first token, among the answers alone.

        Float64 of shape (texts, answers); rows sum to 1.
        """
        read, begin = self._read(texts), self.model.config.decoder_start_token_id
        start = torch.full((len(texts), 1), begin, device=self.model.device)
        first = [self.tokenizer(answer)["input_ids"][0] for answer in answers]
        computed(self.model, read["input_ids"].numel())
        logits = self.model(**read, decoder_input_ids=start).logits[:, 0, first]
        return logits.double().softmax(-1).cpu().numpy()

    def cut(self, texts: Sequence[str], longest: int) -> list[str]:
        """Return texts with at most so many tokens: of longer ones what the first tokens say."""
        tokens = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        cut = (self.tokenizer.decode(ids[:longest]) if len(ids) > longest else "" for ids in tokens)
        return [short or text for short, text in zip(cut, texts, strict=True)]

    def _read(self, texts: Sequence[str]) -> "BatchEncoding":
        limit = getattr(self.model.config, "max_position_embeddings", None)
        if limit is None and self.tokenizer.model_max_length < UNLIMITED:  # T5: relative positions
            limit = self.tokenizer.model_max_length
        return self.tokenizer(
            list(texts),
            padding=True,
            truncation=limit is not None,
            max_length=limit,
            return_tensors="pt",
            return_token_type_ids=False,
        ).to(self.model.device)
