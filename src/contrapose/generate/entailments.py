"""Write for every sentence of a corpus one that it entails and one that contradicts it, and judge both.

Chen et al. 2022 (GenSE): one T5 that was trained on NLI to write and to judge.
"""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import pandas as pd
from tqdm import tqdm

from contrapose.base.seeds import derived_seed
from contrapose.generate.queries import EncoderDecoder
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.state import made_once
from contrapose.jobs.step import Rows, State, planned
from contrapose.models.given import OfLanguageModel
from contrapose.settings.plan import Plan
from contrapose.tables import ENTAILMENTS

if TYPE_CHECKING:
    from contrapose.generate.encoder_decoders import Seq2SeqModel

SENTENCES = 64  # per batch; a constant, because the texts drawn depend on it
# MatthewCYM/GenSE, `data_synthesis/generation.py`, `discrimination.py`.  There the parts of a prompt and the
# sentence are tokenised one by one; T5's tokens of the whole are the same with spaces between them.
WRITING = {
    "entailment": 'Write two sentences that are entailment. Sentence 1: " {} " Sentence 2:',
    "contradiction": 'Write two sentences that are contradictory. Sentence 1: " {} " Sentence 2:',
}
JUDGING, ANSWERS = 'if " {} ", does this mean that " {} "? true or false', ("true", "false")
# `gen.sh`, `filter.sh`, `arg_utils.py`: tokens of a sentence, of one that is judged, and of a text after its
# start token.
SOURCE, JUDGED, LONGEST = 96, 128, 63
TOP_K, TOP_P = 50, 0.9


class EntailmentWriting(OfLanguageModel):
    """What such texts depend on, beside the corpus and the files of the model."""


@planned
def plan(project: Plan, corpus: str, writer: str) -> EntailmentWriting:
    """Return the revision of the model that writes; its folder is no setting."""
    return EntailmentWriting(hub=project.language_model(writer).hub)


def build(
    spec: EntailmentWriting, sentences: Sentences, model: EncoderDecoder, state: State
) -> Annotated[pd.DataFrame, Rows(ENTAILMENTS)]:
    """Draw both texts from the 50 likeliest tokens, of mass 0.9, and let the same model judge them.

    A probability is that of `true` or `false` among these two, as the first token of the answer.  Every
    sentence has a row, in their order, whatever is written.  `state` keeps finished batches.  The texts
    follow from sentences and model alone, on one kind of device.
    """
    order = sentences.text.str.len().sort_values(ascending=False, kind="stable").index
    starts, parts = range(0, len(order), SENTENCES), []
    for at in tqdm(starts, desc="entailments", unit=f" x {SENTENCES} sentences", mininterval=5, delay=5):
        some = sentences.loc[order[at : at + SENTENCES]]
        file = state / f"{model.identity(*some.id, *some.text, str(at))}.parquet"
        parts.append(made_once(file, ENTAILMENTS, partial(_written, model, some, at)))
    return pd.concat(parts).set_index("sentence_id").loc[sentences.id].reset_index()


def _written(model: "Seq2SeqModel", some: pd.DataFrame, at: int) -> pd.DataFrame:
    source, judged = (model.cut(some.text.tolist(), longest) for longest in (SOURCE, JUDGED))
    table = pd.DataFrame({"sentence_id": some.id.array})
    for number, (kind, prompt) in enumerate(WRITING.items()):
        prompts, seed = [prompt.format(text) for text in source], derived_seed("entailments", kind, at)
        texts = model.drawn(prompts, 1, TOP_K, TOP_P, LONGEST, seed)
        pairs = [JUDGING.format(*pair) for pair in zip(judged, texts, strict=True)]
        table[kind] = pd.Series(texts, dtype="str")
        table[f"p_{kind}"] = model.probabilities(pairs, ANSWERS)[:, number].astype("float32")
    return table[ENTAILMENTS.columns]
