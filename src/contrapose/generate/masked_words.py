"""Replace some words of every sentence of a corpus by others that a masked language model puts there."""

import logging
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import Sentences, Slots
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.state import made_once
from contrapose.jobs.step import FromJob, Rows, State, planned
from contrapose.settings.catalogs import PinnedEncoder
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import PARAPHRASES, ROWS_PER_GROUP

if TYPE_CHECKING:
    from contrapose.generate.masked_language_model import MaskedLanguageModel

CORE = re.compile(r"\w(?:.*\w)?")  # a word without the marks around it

logger = logging.getLogger(__name__)


class WordFilling(Spec):
    """How words are replaced by those of a masked language model."""

    rate: float = Field(
        0.15,
        gt=0,
        lt=1,
        description="This share of the words is replaced, and at least one word. SimCSE, Table 1.",
    )
    choice: Literal["likeliest", "drawn"] = Field(
        "likeliest",
        description="The replacement is the most probable other word (`likeliest`), or it is drawn from "
        "the probabilities (`drawn`).",
    )
    seed: int = Field(1, ge=0, description="Seed of what is random")
    slots: Slots = 1


class MaskedWords(WordFilling):
    """What such sentences depend on, beside the corpus and the files of the model."""

    encoder: PinnedEncoder | None = Field(None, description="The model, if it is one of the hub")


class Masked(NamedTuple):
    """A sentence, the words that are masked, and a number from 0 to 1 for each."""

    words: list[str]
    places: list[int]
    draws: list[float]

    def cores(self) -> list[re.Match[str]]:
        return [core for place in self.places if (core := CORE.search(self.words[place]))]

    def text(self, others: list[str]) -> str:
        """Return the sentence with other words, with a capital for a capital; its own where they end."""
        words = [*self.words]
        for place, core, other in zip(self.places, self.cores(), others, strict=False):
            same_case = other[:1].upper() + other[1:] if core.group()[0].isupper() else other
            words[place] = core.string[: core.start()] + same_case + core.string[core.end() :]
        return " ".join(words)


@planned
def plan(project: Plan, corpus: str, filler: str, draw: str, **settings: str) -> MaskedWords:
    """Return how words are masked, as the output's path says, and the revision of the filler."""
    return MaskedWords(encoder=project.encoder(filler).hub, seed=int(draw), **settings)


def _model(spec: MaskedWords, job: SnakemakeJob) -> "MaskedLanguageModel":
    from contrapose.generate.masked_language_model import MaskedLanguageModel

    source, revision = (
        (spec.encoder.model, spec.encoder.revision) if spec.encoder else (job.resources.encoder, None)
    )
    return MaskedLanguageModel(source, job.resources.device, revision)


def build(
    spec: MaskedWords,
    sentences: Sentences,
    model: Annotated["MaskedLanguageModel", FromJob(_model)],
    state: State,
) -> Iterator[Annotated[pd.DataFrame, Rows(PARAPHRASES)]]:
    """Replace 15 % of the words of each sentence by those of a masked language model.  SimCSE, Table 1.

    The authors never released this code (princeton-nlp/SimCSE, issue 219); words are those between spaces
    (issue 231).  Ours: which words depends on the sentence's id, the slot and the draw alone; marks around a
    word stay; all masked words are predicted in one pass; what is put there is one token of the vocabulary
    that is a whole word, and never the word itself.  `state` keeps finished blocks.
    """
    blocks = [sentences[at : at + ROWS_PER_GROUP] for at in range(0, len(sentences), ROWS_PER_GROUP)]
    for block in tqdm(blocks, desc="masked words", unit=f" x {ROWS_PER_GROUP} sentences"):
        file = state / f"{model.identity(*block.id, *block.text)}.parquet"
        yield made_once(file, PARAPHRASES, partial(_replaced, spec, block, model))


def _replaced(spec: MaskedWords, block: pd.DataFrame, model: "MaskedLanguageModel") -> pd.DataFrame:
    keys = [(sentence, slot) for slot in range(spec.slots) for sentence in block.id]
    every = zip([*block.text] * spec.slots, keys, strict=True)
    masked = [_masked(spec, text, model.mask, *key) for text, key in every]
    texts = [each.text([model.mask] * len(each.places)) for each in masked]
    words = [[core.group() for core in each.cores()] for each in masked]
    draws = [each.draws for each in masked] if spec.choice == "drawn" else None
    filled = model.fill(texts, words, draws)
    lacking = sum(not others for others in filled)
    logger.info("%d sentences x %d slots; %d remain unchanged", len(block), spec.slots, lacking)
    changed = [each.text(others) for each, others in zip(masked, filled, strict=True)]
    table = pd.DataFrame(keys, columns=["sentence_id", "slot"]).assign(text=changed)
    return table.astype({"slot": "int16", "text": "str"})


def _masked(spec: MaskedWords, text: str, mask: str, sentence: str, slot: int) -> Masked:
    words = text.split()
    chances = uniforms([("masked_words", spec.seed, sentence, slot)], 2 * len(words))[0].tolist()
    places = [place for place, word in enumerate(words) if CORE.search(word) and mask not in text]
    count = max(1, round(spec.rate * len(words)))
    chosen = sorted(sorted(places, key=chances.__getitem__)[:count])
    return Masked(words, chosen, [chances[len(words) + place] for place in chosen])
