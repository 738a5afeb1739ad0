"""Pre-train a small encoder of a real architecture by masked language modelling.

For catalogs whose text no available encoder can read: the mini world, and real text without a published one.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor, nn
from tqdm import tqdm
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertTokenizerFast,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizerFast,
)

from contrapose.base.seeds import derived_seed, generator
from contrapose.jobs.timing import computed
from contrapose.models.checkpoint import Checkpoints, RunProgress, identity, run_steps
from contrapose.models.devices import computing_in
from contrapose.settings.catalogs import MASKED_SHARE, ContinuedEncoder, SmallEncoder, SmallLanguageModel

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Rows = list[list[int]]  # of token ids
LossOf = Callable[[Rows], Tensor]  # mean loss in nats of a batch
Training = SmallEncoder | SmallLanguageModel | ContinuedEncoder
Task = Callable[[Any, Any], tuple[Rows, LossOf]]  # of a model and its tokenizer: what there is to learn

MASK_TOKEN_SHARE, RANDOM_TOKEN_SHARE = 0.8, 0.1  # BERT, section 3.1
IGNORED = -100


def pretrain_encoder(
    texts: Sequence[str],
    spec: SmallEncoder,
    folder: Path,
    tokenizer: "PreTrainedTokenizerBase | None" = None,
    task: Task | None = None,
    checkpoints: Checkpoints | None = None,
) -> Path:
    """Train tokenizer and encoder, and save them as a transformers folder, which is returned.

    `folder` gets config, tokenizer and `model.safetensors` (float16, no pooler) and `recipe.json`.  Without a
    `tokenizer`, one like the architecture's is trained on the texts; without a `task`, it is masked language
    modelling of the texts, one by one.  The weights are a function of the arguments on one machine with one
    thread.
    """
    # A setting that came later must not change the seeds of encoders made before it: those of masked texts
    # alone were made without `language`, those of another task with it.
    recipe = spec.model_dump_json(exclude=None if task else {"language"})
    torch.manual_seed(derived_seed("mini", "encoder", recipe) % 2**63)
    tokenizer = tokenizer or (_wordpiece if spec.architecture == "bert" else _byte_level)(texts, spec)
    model = _masked_model(spec, tokenizer)
    to_learn = (task or masked_texts(texts, spec.positions))(model, tokenizer)
    training = trained(model, *to_learn, spec, checkpoints)
    encoder = model.bert if spec.architecture == "bert" else model.roberta
    save_with_recipe(encoder, tokenizer, spec.model_dump() | training, folder)
    return folder


def save_with_recipe(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", recipe: dict[str, Any], folder: Path
) -> None:
    """Save a model as float16, its tokenizer, and the settings it was made with in `recipe.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    made = recipe | {"sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()}
    (folder / "recipe.json").write_text(json.dumps(made, indent=2) + "\n")


def _wordpiece(texts: Sequence[str], spec: SmallEncoder) -> PreTrainedTokenizerFast:
    vocabulary = _wordpiece_vocabulary(texts, spec.vocabulary)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    tokenizer.decoder = decoders.WordPiece()
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=spec.positions)


def _wordpiece_vocabulary(texts: Sequence[str], size: int) -> dict[str, int]:
    """Return a WordPiece vocabulary: every letter, word-initial and as `##` letter, then frequent pieces.

    The library's own WordPiece trainer numbers its letters by a random hash and so gives a different
    vocabulary each time; its BPE trainer with a given alphabet does not, so that one is used.
    """
    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    words: Counter[str] = Counter()
    for text in texts:
        words.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    letters = sorted({letter for word in words for letter in word})
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=letters, show_progress=False)
    pieces.train_from_iterator((word for word in sorted(words) for _ in range(words[word])), trainer)
    counts: Counter[str] = Counter()
    for word in sorted(words):
        first, *rest = pieces.encode(word).tokens
        counts.update({first: words[word]})
        counts.update({f"##{piece}": words[word] for piece in rest})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # The normalizer puts spaces around Chinese characters, so they never continue a word.
    alphabet = [*letters, *(f"##{letter}" for letter in letters if not "\u4e00" <= letter <= "\u9fff")]
    common = sorted(counts.keys() - set(alphabet), key=lambda piece: (-counts[piece], piece))
    return {token: number for number, token in enumerate([*special, *alphabet, *common][:size])}


def byte_level(texts: Iterable[str], vocabulary: int, special: list[str]) -> Tokenizer:
    """Return a byte-level BPE tokenizer like GPT-2's, trained on texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _byte_level(texts: Sequence[str], spec: SmallEncoder) -> PreTrainedTokenizerFast:
    tokenizer = byte_level(texts, spec.vocabulary, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return RobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=spec.positions)


def _masked_model(spec: SmallEncoder, tokenizer: PreTrainedTokenizerFast) -> "PreTrainedModel":
    shape = {
        "vocab_size": len(tokenizer),
        "num_hidden_layers": spec.layers,
        "hidden_size": spec.hidden,
        "num_attention_heads": spec.heads,
        "intermediate_size": 4 * spec.hidden,
        "pad_token_id": tokenizer.pad_token_id,
    }
    if spec.architecture == "bert":
        return BertForMaskedLM(BertConfig(max_position_embeddings=spec.positions, **shape))
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    # RoBERTa counts positions from pad_token_id + 1: the rows before it are never used.
    rows = spec.positions + tokenizer.pad_token_id + 1
    return RobertaForMaskedLM(RobertaConfig(max_position_embeddings=rows, type_vocab_size=1, **shape, **ends))


def trained(
    model: "PreTrainedModel",
    encoded: Rows,
    loss_of: LossOf,
    spec: Training,
    checkpoints: Checkpoints | None = None,
    precision: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Train in place with AdamW on batches of token ids; a training that was killed ends with the same bytes.

    `loss_of` maps the token ids of a batch to the mean loss in nats, which is differentiated.  Returns
    `final_loss` (mean of the last 100 steps), `seconds` (of this process), `threads` and `torch`, for
    `recipe.json`.  Raises StoppedError if SIGTERM was received and the checkpoint has been written.
    """
    training = _Pretraining(model, encoded, loss_of, spec, precision)
    started = time.perf_counter()
    run_steps(training, training.all_steps(), training.identity, checkpoints)
    losses = [row["loss"] for row in training.progress.history[-100:]]
    return {
        "final_loss": round(float(np.mean(losses)), 4),  # nats per scored token
        "seconds": round(time.perf_counter() - started),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
    }


@dataclass
class _Pretraining:
    """The state of a training on batches of token ids; its history has the loss of each step."""

    model: "PreTrainedModel"
    encoded: Rows
    loss_of: LossOf
    spec: Training
    precision: torch.dtype
    progress: RunProgress = field(default_factory=RunProgress)

    def __post_init__(self) -> None:
        self.steps, self.weights = self.spec.steps, nn.ModuleList([self.model])
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=self.spec.learning_rate, weight_decay=0.01
        )

    def kept(self) -> tuple[nn.ModuleList, Any, None]:
        # With the states of PyTorch's generators: masks and dropout go on where the checkpoint was.
        self.weights.register_buffer("random", torch.get_rng_state())
        if self.on_cuda:
            self.weights.register_buffer("random_cuda", torch.cuda.get_rng_state(self.model.device))
        return self.weights, self.optimiser, None

    @property
    def on_cuda(self) -> bool:
        return bool(self.model.device.type == "cuda")

    def identity(self) -> str:
        made_by = (
            f"{self.spec.model_dump_json()} {torch.__version__} {self.model.device.type} {self.precision}"
        )
        rows = (np.array(row).tobytes() for row in self.encoded)
        return identity(made_by, *rows, *self.weights.state_dict().values())

    def _rate(self, step: int) -> float:
        warm_up = max(1, self.steps // 20)
        share = min((step + 1) / warm_up, max(0.0, (self.steps - step) / (self.steps - warm_up)))
        return self.spec.learning_rate * share

    def all_steps(self) -> Iterator[None]:
        done, history = self.progress.step, self.progress.history
        if done:
            torch.set_rng_state(self.weights.get_buffer("random"))
        if done and self.on_cuda:
            torch.cuda.set_rng_state(self.weights.get_buffer("random_cuda"), self.model.device)
        self.model.train()
        with tqdm(total=self.steps, initial=done, unit="step", mininterval=5, desc="pre-train") as bar:
            for rows in islice(_batches(self.encoded, self.spec), done, None):
                for group in self.optimiser.param_groups:
                    group["lr"] = self._rate(self.progress.step)
                with computing_in(self.precision, self.model.device):
                    loss = self.loss_of(rows)
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimiser.step()
                history.append({"loss": float(loss.detach())})
                self.progress.step += 1
                bar.set_postfix_str(f"loss {history[-1]['loss']:.3f}", refresh=False)
                bar.update()
                yield


def _batches(encoded: Rows, spec: Training) -> Iterator[Rows]:
    """Yield `steps` batches; the rows of a batch have similar lengths, for speed."""
    rng = generator("mini", "encoder batches", spec.seed)
    chunk = 20 * spec.batch
    done = 0
    while True:
        order = rng.permutation(len(encoded))
        for start in range(0, len(order), chunk):
            rows = sorted((encoded[i] for i in order[start : start + chunk]), key=len)
            starts = np.arange(0, len(rows), spec.batch)
            for begin in rng.permutation(starts):
                if done == spec.steps:
                    return
                done += 1
                yield rows[begin : begin + spec.batch]


def masked_texts(texts: Sequence[str], max_length: int) -> Task:
    """Return the task to find masked tokens of each text."""

    def task(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> tuple[Rows, LossOf]:
        encoded = tokenizer(list(texts), truncation=True, max_length=max_length)["input_ids"]
        return encoded, lambda rows: masked_loss(model, masked(rows, tokenizer))[0]

    return task


def masked(rows: Rows, tokenizer: PreTrainedTokenizerFast) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids with some masked, attention mask, and labels, each of shape (B, T)."""
    longest = max(map(len, rows))
    pad = tokenizer.pad_token_id
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])  # (B, T)
    attention = (ids != pad).long()
    special = torch.isin(ids, torch.tensor(tokenizer.all_special_ids))
    chosen = (torch.rand(ids.shape) < MASKED_SHARE) & ~special
    labels = torch.where(chosen, ids, IGNORED)
    fate = torch.rand(ids.shape)
    ids = torch.where(chosen & (fate < MASK_TOKEN_SHARE), tokenizer.mask_token_id, ids)
    to_random = chosen & (fate >= MASK_TOKEN_SHARE) & (fate < MASK_TOKEN_SHARE + RANDOM_TOKEN_SHARE)
    return torch.where(to_random, torch.randint(len(tokenizer), ids.shape), ids), attention, labels


def masked_loss(
    model: "PreTrainedModel", batch: tuple[Tensor, Tensor, Tensor], **inputs: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the loss of a batch from `masked`, and the vectors of the first tokens, (B, D).

    Of BERT, RoBERTa and their relatives only masked positions are scored, which saves most of that work.
    """
    ids, attention, labels = (each.to(model.device) for each in batch)
    computed(model, ids.numel())
    chosen = labels != IGNORED
    head = getattr(model, "cls", None) or getattr(model, "lm_head", None)  # BERT's and RoBERTa's name
    if head is None:  # as of DistilBERT and ModernBERT
        outputs = model(input_ids=ids, attention_mask=attention, output_hidden_states=True, **inputs)
        hidden, scores = outputs.hidden_states[-1], outputs.logits[chosen].float()
    else:
        hidden = model.base_model(input_ids=ids, attention_mask=attention, **inputs).last_hidden_state
        scores = head(hidden[chosen]).float()
    if not len(scores):  # the mean of no token would be NaN, and every weight after it
        return scores.sum(), hidden[:, 0]
    return nn.functional.cross_entropy(scores, labels[chosen]), hidden[:, 0]
