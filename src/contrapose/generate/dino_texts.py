"""Texts that a causal language model writes for sentences, by label.  DINO, section 3, and its code."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from contrapose.base.seeds import uniforms
from contrapose.generate.decoding import continued, token_bytes
from contrapose.generate.shard_rows import shard_rows
from contrapose.jobs.fingerprint import canonical
from contrapose.models.checkpoint import identity
from contrapose.models.devices import free_bytes
from contrapose.models.perplexity import CausalLM
from contrapose.settings.corpora import DinoTexts
from contrapose.settings.instructions import QUOTE, Instructions
from contrapose.tables import SYNTHETIC, read_tables, write_table

logger = logging.getLogger(__name__)

# Our choice: limits of a block, for keys and values and for sentences; so many are enough to fill a core.
BLOCK_BYTES, MOST_SENTENCES = 2 * 2**30, 16
# Our choice: on a GPU, blocks are joined up to this share of its free memory, which leaves room for
# attention, and up to this many sentences, which a kill may lose.
GPU_SHARE, GPU_SENTENCES = 0.5, 256
LOGIT_BYTES = 4 * 4  # per row and vocabulary entry: logits and sampling, four float32

# Why a text cannot be used, as in DINO's code `modeling.py`, or was not written.
NO_END, EMPTY, LINE_BREAK = "no quotation mark", "empty", "line break"
TOO_LONG = "sentence too long for the language model"


class SourceText(NamedTuple):
    """A sentence that texts are written for."""

    id: str
    text: str
    prompts: list[list[int]]  # token ids of the instruction for each label; none if one is too long


class Text(NamedTuple):
    """A text to write: a row of SYNTHETIC except the text itself."""

    sentence_id: str
    label: float
    entry: int


def read_sentences(
    lm: CausalLM, sentences: pd.DataFrame, instructions: Instructions, max_tokens: int
) -> list[SourceText]:
    """Return sentences (columns id, text) with their tokenised instructions; `max_tokens` fit after each."""
    labels = [each.label for each in instructions.labels]
    prompt_texts = [instructions.prompt(label, text) for text in sentences.text for label in labels]
    tokens = lm.tokenizer(prompt_texts, verbose=False)["input_ids"] if prompt_texts else []
    sources = []
    for at, (name, text) in enumerate(zip(sentences.id, sentences.text, strict=True)):
        prompts = tokens[at * len(labels) : (at + 1) * len(labels)]
        fits = lm.max_tokens is None or max(map(len, prompts)) + max_tokens <= lm.max_tokens
        sources.append(SourceText(name, text, prompts if fits else []))
    return sources


class Memory(NamedTuple):
    """Memory limits of a block, and what a sentence needs."""

    bytes: float
    sentences: int  # at most
    token: int  # bytes for one token of all rows of a sentence: keys and values
    fixed: int = 0  # bytes for a sentence, however long


def in_blocks(parts: Iterable[Sequence[SourceText]], tokens: int, memory: Memory) -> list[list[SourceText]]:
    """Join parts into blocks of sentences written in one batch, which changes probabilities by rounding.

    A block has as many parts, which are never split, as fit into memory, padded to the longest prompt and
    with `tokens` written after each at most; at least one.
    """
    blocks: list[list[SourceText]] = []
    longest = 0
    for part in parts:
        prompt_tokens = max((len(prompt) for sentence in part for prompt in sentence.prompts), default=0)
        count = len(blocks[-1]) + len(part) if blocks else 0
        needed = count * ((max(longest, prompt_tokens) + tokens) * memory.token + memory.fixed)
        if 0 < count <= memory.sentences and needed <= memory.bytes:
            blocks[-1] += part
            longest = max(longest, prompt_tokens)
        else:
            blocks.append([*part])
            longest = prompt_tokens
    return blocks


def _blocks(
    lm: CausalLM, sentences: list[SourceText], rows: int, tokens: int, shard: int, shards: int
) -> list[list[SourceText]]:
    """Return the blocks of a shard; a sentence has `rows` rows."""
    token = rows * token_bytes(lm.model)
    # From the whole corpus, on any machine: the blocks do not depend on the number of shards.
    blocks = in_blocks([[each] for each in sentences], tokens, Memory(BLOCK_BYTES, MOST_SENTENCES, token))
    blocks = blocks[shard_rows(len(blocks), shard, shards)]
    free = free_bytes(lm.model.device)
    if free is None:
        return blocks
    words = lm.model.get_output_embeddings().weight.shape[0]
    memory = Memory(free * GPU_SHARE, GPU_SENTENCES, token, rows * words * LOGIT_BYTES)
    return in_blocks(blocks, tokens, memory)


def dino_texts(
    lm: CausalLM,
    sentences: pd.DataFrame,
    instructions: Instructions,
    spec: DinoTexts,
    state: Path,
    shard: int = 0,
    shards: int = 1,
) -> pd.DataFrame:
    """Let a language model write `entries` texts for each sentence and label.  DINO, section 3.

    Blocks of consecutive sentences are written in one batch: a sentence's instructions are read once for all
    entries and all labels that counter them, and finished texts leave the block.  A text ends at the first
    quotation mark, or at a line break, after which it would be refused anyway.  The draws of a text depend
    on the seed and its sentence, label and entry.

    Memory beside the model: 2 GiB for keys and values, or what one sentence needs (gpt2-xl: 614 kB a row and
    token, 30 rows with the defaults), and about four float32 for each row and word of the vocabulary.  On a
    GPU, half of what is free: blocks of a shard are joined as far as they fit, so that a large model writes
    for many sentences at once.  This depends on the machine, and may change a draw by rounding.

    `sentences` are the whole corpus, of which the blocks of a shard are written.  `state` keeps each block
    when it is finished, so that a killed job resumes there and gives the same bytes.

    Returns SYNTHETIC, entries x labels rows per sentence.  Texts end before the closing quotation mark;
    nothing is stripped.  An unusable text has a reason: no quotation mark, empty, line break, or a sentence
    that is too long, for which nothing is written.
    """
    rows = spec.entries * sum(1 + len(each.counters) for each in instructions.labels)
    read = read_sentences(lm, sentences, instructions, spec.max_tokens)
    blocks = _blocks(lm, read, rows, spec.max_tokens, shard, shards)
    who = identity(canonical(spec), canonical(instructions), *lm.model.state_dict().values())
    files = [
        state / f"{identity(who, *(part for each in block for part in (each.id, each.text)))}.parquet"
        for block in blocks
    ]
    writer = Writer(lm, instructions, spec)
    done = sum(file.exists() for file in files)
    logger.info("%d blocks of sentences; %d of them exist already", len(blocks), done)
    progress = tqdm(blocks, desc="texts", unit=" blocks", mininterval=5, delay=5)
    for block, file in zip(progress, files, strict=True):
        if not file.exists():
            write_table(writer.block(block), file, SYNTHETIC)
    table = read_tables(files, SYNTHETIC)
    logger.info(
        "%d texts; refused: %s", len(table), dict(Counter(table.refused[table.refused != ""])) or "none"
    )
    return table


class Writer:
    """Writes the texts of blocks of sentences with one language model."""

    def __init__(self, lm: CausalLM, instructions: Instructions, spec: DinoTexts) -> None:
        self.lm, self.instructions, self.spec = lm, instructions, spec
        pieces = self._decoded([[token] for token in range(len(lm.tokenizer))])
        width = lm.model.get_output_embeddings().weight.shape[0]  # may exceed the tokenizer's vocabulary
        self.ends = np.zeros(width, bool)
        self.ends[: len(pieces)] = [QUOTE in piece or "\n" in piece for piece in pieces]
        self.banned = sorted({*_ends_of_text(lm), *range(len(pieces), width)})
        self.place = {each.label: at for at, each in enumerate(instructions.labels)}

    def block(self, sentences: Sequence[SourceText]) -> pd.DataFrame:
        prompts: list[list[int]] = []
        texts: list[Text] = []
        numbers: list[list[int]] = []  # of the prompts of each text; none if they are too long
        for sentence in sentences:
            for each in self.instructions.labels:
                places = [len(prompts) + self.place[label] for label in (each.label, *each.counters)]
                texts += [Text(sentence.id, each.label, entry) for entry in range(self.spec.entries)]
                numbers += [places if sentence.prompts else []] * self.spec.entries
            prompts += sentence.prompts
        written = iter(self._written(prompts, texts, numbers))
        rows = [
            (*text, *(next(written) if number else ("", TOO_LONG)))
            for text, number in zip(texts, numbers, strict=True)
        ]
        table = pd.DataFrame(rows, columns=SYNTHETIC.columns)
        return table.astype({"label": "float32", "entry": "int16"})

    def _written(
        self, prompts: list[list[int]], texts: list[Text], numbers: list[list[int]]
    ) -> list[tuple[str, str]]:
        """Return the texts that have prompts, each with why it is refused, or nothing."""
        if not prompts:
            return []
        spec = self.spec
        taken = [text for text, number in zip(texts, numbers, strict=True) if number]
        numbers = [number for number in numbers if number]
        keys = [("dino", spec.seed, text.sentence_id, f"{text.label:g}", text.entry) for text in taken]
        draws = uniforms(keys, spec.max_tokens)
        with torch.inference_mode():
            tokens = continued(self.lm.model, prompts, numbers, draws, self.ends, self.banned, spec)
        # Some tokenizers strip a leading blank, so texts are decoded after their prompt.
        before = [prompts[number[0]] for number in numbers]
        whole = self._decoded([prompt + text for prompt, text in zip(before, tokens, strict=True)])
        starts = map(len, self._decoded(before))
        return [outcome(text[start:]) for text, start in zip(whole, starts, strict=True)]

    def _decoded(self, tokens: list[list[int]]) -> list[str]:
        return self.lm.tokenizer.batch_decode(tokens, clean_up_tokenization_spaces=False)


def outcome(written: str) -> tuple[str, str]:
    """Return a text up to its quotation mark, and why it is refused, or nothing."""
    text, mark, _ = written.partition(QUOTE)
    if "\n" in text:
        return text, LINE_BREAK
    if not mark:
        return text, NO_END
    return text, "" if text else EMPTY


def _ends_of_text(lm: CausalLM) -> set[int]:
    """Return the tokens that end a document: DINO's code never draws them."""
    configured = getattr(lm.model.generation_config, "eos_token_id", None)
    several = configured if isinstance(configured, list) else [configured]
    return {token for token in (*several, lm.tokenizer.eos_token_id) if token is not None}
