"""Models that `config/catalogs/*.yaml` names, and how to reach or make them.

The other half of a catalog, its texts and evaluation sets, is in the modules that read them.
"""

from pydantic import Field

from contrapose.settings.catalogs.chat_models import (
    LLM,
    RECORDED,
    ChatModel,
    Connection,
    LLMSource,
    RecordedLLM,
    SamplingParams,
    changed_llm,
    serving_module,
)
from contrapose.settings.catalogs.local_models import (
    MASKED_SHARE,
    ContinuedEncoder,
    EmbeddingEndpoint,
    EncoderSource,
    LanguageModelSource,
    PretrainedEncoder,
    PretrainedLanguageModel,
    SmallEncoder,
    SmallLanguageModel,
    TrainedVectors,
)
from contrapose.settings.catalogs.model_sources import (
    EncoderFolder,
    EncoderHub,
    LanguageModelHub,
    Model,
    ModelSource,
    PinnedEncoder,
    PinnedModel,
    Prompts,
    VectorForm,
)
from contrapose.settings.catalogs.translators import (
    BackTranslation,
    BackTranslator,
    TranslatedPairs,
    Translator,
)
from contrapose.settings.spec import Spec


class MiniWorld(Spec):
    """The generator writes a closed set of English and Chinese texts in the original file formats."""

    seed: int = Field(
        2023, description="This seed makes the generated texts. Another seed gives other texts."
    )
    articles: int = Field(400, ge=1, description="This many articles are generated.")
    pairs: int = Field(
        60,
        ge=2,
        description="Each subset of STS has this many scored pairs. The sizes of the other sets follow "
        "from it.",
    )
