"""TSDAE's decoder: it writes a text from the vector of its damaged form, and is thrown away after training.

Wang, Reimers, Gurevych, "TSDAE: Using Transformer-based Sequential Denoising Auto-Encoder for Unsupervised
Sentence Embedding Learning", Findings of EMNLP 2021; `DenoisingAutoEncoderLoss` of sentence-transformers.
"""

import copy
from contextlib import suppress
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModelForCausalLM

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed
from contrapose.models.devices import on_device
from contrapose.models.distributed import ranks
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.models.tokens import Tokens
from contrapose.models.transformer import LOCAL

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Decoder(nn.Module):
    """A decoder with the encoder's weights, which attends to one vector.

    The weights are shared and trained together; only its attention to the vector and its output layer are its
    own.  The output layer is the checkpoint's, if that has one; what is new follows from `seed` alone.
    Raises ConfigError if `transformers` has no such decoder for the encoder's type, as it has for BERT and
    RoBERTa, or there are several processes.
    """

    def __init__(self, encoder: SentenceEncoder, seed: int) -> None:
        super().__init__()
        if ranks() > 1:
            raise ConfigError("recipe: loss tsdae trains in one process. Set nproc_per_node to 1.")
        self.model: PreTrainedModel = _decoder_of(encoder.model, seed)
        self.padding = encoder.tokenizer.pad_token_id

    def forward(self, vectors: Tensor, texts: Tokens) -> Tensor:
        """Return the mean cross-entropy, in nats per token, of B texts given vectors, of shape (B, D)."""
        ids, _ = (on_device(each, vectors.device) for each in texts.padded(self.padding))
        output = self.model(
            input_ids=ids[:, :-1], encoder_hidden_states=vectors.unsqueeze(1), use_cache=False
        )
        logits = output.logits.float().flatten(end_dim=1)  # (B (T - 1), vocabulary)
        return functional.cross_entropy(logits, ids[:, 1:].flatten(), ignore_index=self.padding)


def _decoder_of(model: "PreTrainedModel", seed: int) -> "PreTrainedModel":
    config = copy.deepcopy(model.config)
    config.is_decoder, config.add_cross_attention = True, True
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("decoder", seed))
        decoder = None
        with suppress(ValueError):  # of a type without a decoder
            decoder = AutoModelForCausalLM.from_pretrained(
                model.config.name_or_path, config=config, dtype=torch.float32, **LOCAL
            )
    if decoder is None or "crossattention" not in " ".join(decoder.base_model.state_dict()):
        raise ConfigError(
            "recipe: loss tsdae needs a decoder of the same type as the encoder, but transformers "
            f"has none with cross-attention for {config.model_type}. Use BERT, RoBERTa or "
            "XLM-RoBERTa, or another loss."
        )
    for name, parameter in model.named_parameters():
        module, _, last = name.rpartition(".")
        setattr(decoder.base_model.get_submodule(module), last, parameter)
    decoder.tie_weights()
    return decoder.to(model.device).train()
