"""Pairs of a sentence with its paraphrases by a language model, optionally with a hard negative by one."""

import logging
from typing import Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError, OutdatedError, TableError, counted
from contrapose.jobs.inputs import Pairs, Paraphrases, Sentences
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import FEWEST, as_pairs, in_lists, no_pairs
from contrapose.pairs.strategy import AskedPairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.prompt_files import VERSIONS
from contrapose.settings.refs import CorpusName, LLMName, PromptName
from contrapose.settings.spec import Spec

logger = logging.getLogger(__name__)


class ParaphrasePairs(Spec, AskedPairs):
    """The positives are an LLM's paraphrases. Thesis, section 4.1."""

    kind: Literal["paraphrase"]
    corpus: CorpusName = Field(description="This names the corpus whose sentences are paraphrased.")
    llm: LLMName = Field("chatgpt", description="This entry of the catalog's `llms` writes the paraphrases.")
    prompt: PromptName = Field(
        "2",
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without its ending.",
    )
    negative_prompt: PromptName | None = Field(
        None,
        description="With this prompt, the same language model writes one hard negative for each "
        "sentence (Zhang et al. 2023). With null, there are no hard negatives.",
    )
    positives: int = Field(
        1,
        ge=1,
        le=VERSIONS,
        description="A sentence has five paraphrases. This many of them are positives at the same time, "
        "each in a view of its own, and their losses are added. The others make further slots, and each "
        "epoch trains on one slot. So 1 gives five slots of one paraphrase, 2 gives two slots of two, "
        "and 5 gives one slot of five. A remainder is not used.",
    )

    paraphrases: int | None = Field(
        None,
        ge=1,
        le=VERSIONS,
        description="The pair set uses only the first paraphrases of each sentence, this many. With "
        "null, it uses all five.",
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        files = super().inputs(paths)
        if self.negative_prompt:
            files["negatives"] = paths.generated(self.corpus, self.llm, self.negative_prompt, "paraphrases")
        return files

    def check(self, project: Plan) -> None:
        if project.entry("prompts", self.prompt).asked_for not in ("paraphrases", "paraphrase"):
            raise ConfigError(
                f"pairs: prompt '{self.prompt}' does not ask for paraphrases. Contrapose expects the word "
                "`five` or `5` in it. Name another prompt, or ask for five paraphrases in "
                f"config/prompts/{self.prompt}.txt. For one paraphrase, write `answer: paraphrase` in a "
                ".yaml file of that name."
            )
        if self.positives > (count := self._versions(project)):
            raise ConfigError(
                f"pairs: positives is {self.positives}, but the pair set uses only "
                f"{counted(count, 'paraphrase')} of an answer to prompt '{self.prompt}'. Set positives to "
                f"{count} or less. To use more paraphrases, remove `paraphrases`, and name a prompt that "
                "requests five."
            )
        if self.negative_prompt and project.entry("prompts", self.negative_prompt).asked_for != "negative":
            raise ConfigError(
                f"pairs: negative_prompt '{self.negative_prompt}' does not ask for a hard negative. Its "
                "file contains the word `five` or `5`, or lacks `answer: negative`. Name another prompt, "
                "such as negative."
            )

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        prompts = filter(None, (self.prompt, self.negative_prompt))
        return [(self.corpus, self.llm, prompt) for prompt in prompts]

    def _versions(self, project: Plan) -> int:
        """Return the number of paraphrases that are used of an answer to the prompt."""
        several = project.entry("prompts", self.prompt).asked_for == "paraphrases"
        return min(self.paraphrases or VERSIONS, VERSIONS if several else 1)

    def views(self, project: Plan) -> int:
        return self.positives

    def sides(self, project: Plan) -> int:
        return 1 + self.positives * (1 + (self.negative_prompt is not None))

    def slot_count(self, project: Plan) -> int:
        return self._versions(project) // self.positives


def build(
    spec: ParaphrasePairs, sentences: Sentences, paraphrases: Paraphrases, negatives: Paraphrases
) -> Pairs:
    """Pair each sentence with its paraphrases: see `paraphrase_pairs`."""
    what = "a paraphrase" if set(paraphrases.slot) == {0} else "five paraphrases"
    paraphrases = paraphrases[paraphrases.slot < (spec.paraphrases or VERSIONS)]
    return paraphrase_pairs(
        sentences, paraphrases, negatives if spec.negative_prompt else None, spec.positives, what
    )


def paraphrase_pairs(
    sentences: pd.DataFrame,
    paraphrases: pd.DataFrame,
    negatives: pd.DataFrame | None = None,
    positives: int = 1,
    what: str = "five paraphrases",
) -> pd.DataFrame:
    """Pair each sentence with all its paraphrases, paraphrase j in slot j.  Thesis, section 4.1.

    Epoch e trains on slot e mod n_slots, so each epoch sees every sentence once, with a different paraphrase
    than the epoch before.  The source sentence is always the anchor.  Its hard negative is the same in every
    slot: a sentence on the same topic, written by a model to contradict it, as in SynCSE-partial
    (Zhang et al. 2023, section 2).

    `sentences`: after replacement, if there is one.
    `paraphrases`: rows of sentences that are not in `sentences` are left out and counted in the log.
    `negatives`: a PARAPHRASES table with one slot.
    `positives`: paraphrases in one loss, m: paraphrase j is view j mod m of slot j // m.  An incomplete last
        slot is left out and logged.
    `what`: name of the texts, for the note on sentences that lack them.

    Returns PAIRS slot by slot and view by view, within a view in the order of the sentences.  Sentences
    without paraphrases, or without a negative if `negatives` is given, are dropped, and the status says how
    many.  If fewer than two are left, the table is empty, and the status says why.  Raises TableError if the
    slots are not numbered 0, 1, 2 ..., a sentence has only some of them, or there are fewer than `positives`.
    """
    texts = _by_slot(sentences, paraphrases, positives)
    texts, dropped = _kept(texts, texts.notna().any(axis="columns"), what, len(sentences))
    unused = paraphrases.sentence_id.nunique() - len(texts)
    logger.info(
        "%d sentences x %d paraphrases; %d sentences with other paraphrases are not used",
        *texts.shape,
        unused,
    )
    hard = None
    if negatives is not None:
        opposite = negatives.set_index("sentence_id").text.reindex(texts.index)
        texts, without = _kept(texts, opposite.notna(), "a hard negative", len(sentences))
        dropped, hard = [*dropped, *without], in_lists(opposite[texts.index])
    note = f"{' and '.join(dropped)} are dropped" if dropped else ""
    return _as_slots(sentences, texts, hard, positives, note)


def _by_slot(sentences: pd.DataFrame, paraphrases: pd.DataFrame, positives: int) -> pd.DataFrame:
    """Return the paraphrases of each sentence, one column per slot; check that all or none are missing."""
    slots = sorted(int(slot) for slot in paraphrases.slot.unique())
    if slots != list(range(len(slots))):
        raise OutdatedError("paraphrases", f"the column slot has {slots}, but 0, 1, 2 ... are expected")
    texts = paraphrases.pivot(index="sentence_id", columns="slot", values="text").reindex(sentences.id)
    present = texts.notna()
    lacking = present.any(axis="columns") & ~present.all(axis="columns")
    if lacking.any():
        first = texts.index[lacking][0]
        raise OutdatedError(
            "paraphrases",
            f"{int(lacking.sum())} of {len(sentences)} sentences have too few texts. The first is '{first}', "
            f"which has {present.loc[first].sum()} of {len(slots)}",
        )
    if 0 < len(slots) < positives:
        raise TableError(
            f"pairs: positives is {positives}, but each sentence has only {len(slots)} paraphrases. Set "
            f"positives to {len(slots)} or less."
        )
    return texts


def _kept(texts: pd.DataFrame, kept: pd.Series, what: str, count: int) -> tuple[pd.DataFrame, list[str]]:
    dropped = texts.index[~kept]
    if len(dropped) == 0:
        return texts, []
    logger.warning("%d of %d sentences lack %s. The first is '%s'", len(dropped), count, what, dropped[0])
    return texts[kept], [f"{len(dropped)} of {count} sentences without {what}"]


def _as_slots(
    sentences: pd.DataFrame, texts: pd.DataFrame, negatives: pd.Series | None, positives: int, dropped: str
) -> pd.DataFrame:
    """Return the PAIRS table of complete sentences; an empty one if there are fewer than two."""
    if len(texts) < FEWEST:
        return no_pairs(f"pairs: {dropped or f'{len(sentences)} sentences are too few'}")
    anchor = sentences.set_index("id").text[texts.index]
    used = texts.columns[: len(texts.columns) // positives * positives]
    if len(used) < len(texts.columns):
        unused = len(texts.columns) - len(used)
        logger.info(
            "%d of %d paraphrases are not used, because slots have %d each",
            unused,
            len(texts.columns),
            positives,
        )
    parts = [
        as_pairs(pd.Series(texts.index), anchor, texts[each], each // positives, each % positives, negatives)
        for each in used
    ]
    return with_status(pd.concat(parts, ignore_index=True), skipped=[dropped] if dropped else [])
