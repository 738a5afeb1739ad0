"""Texts by a local encoder-decoder of `transformers`: translations, such as opus-mt-zh-en's, and queries."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from tqdm import tqdm
from transformers import AutoModelForSeq2SeqLM
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING

from contrapose.encoders.devices import chosen_device
from contrapose.encoders.encoder import model_and_tokenizer, read_config
from contrapose.encoders.folders import model_folder
from contrapose.errors import ConfigError
from contrapose.generate.parsing import Refusal
from contrapose.generate.translation import objection, there_and_back
from contrapose.tables import TRANSLATIONS
from contrapose.timing import computed

logger = logging.getLogger(__name__)

AT_ONCE = 32  # texts of about equal lengths
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
                "Use one like opus-mt-zh-en or doc2query-t5."
            )
        model, self.tokenizer = model_and_tokenizer(AutoModelForSeq2SeqLM, checked, config, what=what)
        self.model: Any = model.to(chosen_device(device)).eval()

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Translate a batch; an unfinished translation is empty.

        By greedy or beam search, as the folder's generation_config.json says; nothing is sampled.
        """
        ids = self.model.generate(**self._read(texts), do_sample=False)
        computed(self.model, ids.numel())
        ended = (ids[:, 1:] == self.model.generation_config.eos_token_id).any(dim=1).tolist()
        found = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [text.strip() if whole else "" for text, whole in zip(found, ended, strict=True)]

    @torch.inference_mode()
    def drawn(self, texts: Sequence[str], count: int, top_k: int, top_p: float, longest: int) -> list[str]:
        """Return `count` random texts for each text, one text's after the other's; from PyTorch's generator.

        A text ends after `longest` tokens at the latest.
        """
        ids = self.model.generate(
            **self._read(texts), do_sample=True, num_beams=1, num_return_sequences=count,
            max_new_tokens=longest, top_k=top_k, top_p=top_p,
        )  # fmt: skip
        computed(self.model, ids.numel())
        return [" ".join(text.split()) for text in self.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def _read(self, texts: Sequence[str]) -> Any:
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


def translated(texts: Sequence[str], translate: Seq2SeqModel) -> pd.DataFrame:
    """Translate texts, long ones first, in batches of about equal lengths.

    In the order of the texts, without those whose translation is empty, did not end or holds Chinese.
    """
    refused = (Refusal.BLANK, Refusal.UNTRANSLATED)
    found = _translations(texts, translate).items()
    kept = [(text, other) for text, other in found if objection(other, text) not in refused]
    logger.info("%d of %d sentences are translated", len(kept), len(texts))
    return pd.DataFrame(kept, columns=TRANSLATIONS.columns, dtype="str")


def backtranslated(
    sentences: pd.DataFrame, there: Seq2SeqModel, back: Seq2SeqModel
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Translate sentences into another language, and these translations back; each distinct text once.

    As `there_and_back`, without translations that are empty or did not end.
    """
    ways = _translations(sentences.text, there)
    ways = {text: other for text, other in ways.items() if other}
    return there_and_back(sentences, ways, _translations(ways.values(), back))


def _translations(texts: Iterable[str], translate: Seq2SeqModel) -> dict[str, str]:
    """Translate each distinct text, long ones first; in the order of the texts."""
    distinct = list(dict.fromkeys(texts))
    order = sorted(distinct, key=lambda text: (-len(text), text))
    batches = [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]
    progress = tqdm(batches, desc="translations", unit=f" x {AT_ONCE} texts", mininterval=5, delay=5)
    found = {text: other for batch in progress for text, other in zip(batch, translate(batch), strict=True)}
    return {text: found[text] for text in distinct}
