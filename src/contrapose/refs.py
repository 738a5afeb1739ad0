"""The names of `contrapose.settings.refs` that strategies and tables of version 0.4 import from here."""

from contrapose.settings.refs import (
    CorpusName,
    EncoderName,
    LLMName,
    PairsId,
    PromptName,
    Size,
    TrainableName,
)

__all__ = ["CorpusName", "EncoderName", "LLMName", "PairsId", "PromptName", "Size", "TrainableName"]
