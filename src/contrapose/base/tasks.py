"""The evaluation sets of scored sentence pairs and the transfer tasks: which there are, and how large.

A suite is what an encoder is scored on in one job: sets in a language that it reads.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Suite = Literal[
    "english", "chinese", "translated", "paraphrase", "pair_tasks_english", "pair_tasks_japanese", "own"
]
# fmt: off
Task = Literal[
    "sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr", "sickr_train",
    "atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh",
    "bq_en", "lcqmc_en",
    "stsb_glue", "qqp", "mrpc", "paws_qqp", "pawsx_en_dev",
    "esci_us", "stsb_pairs", "sick_pairs", "snli", "sick_nli", "paws",
    "esci_jp", "jsts", "jsick", "jnli", "jsick_nli", "pawsx_ja",
    "own", "own_2", "own_3", "own_4", "own_5",
]
# fmt: on
TransferTask = Literal["mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc"]
SUITES: tuple[Suite, ...] = get_args(Suite)
# Encoders are fine-tuned on the train splits of these, and judged by what they then say of the test splits.
FINE_TUNED_SUITES: tuple[Suite, ...] = ("pair_tasks_english", "pair_tasks_japanese")
# ISO 639-1 codes; pairs that a user brings are in any language.
LANGUAGES: dict[Suite, str] = {
    **dict.fromkeys(("english", "translated", "paraphrase", "pair_tasks_english"), "en"),
    **{"chinese": "zh", "pair_tasks_japanese": "ja"},
}
DevTask = Literal["stsb", "stsb_zh", "own"]
FEWEST_PAIRS = 3  # two pairs have a correlation of 1 or -1, whatever the encoder


@dataclass(frozen=True)
class ScoredPairs:
    """What is known of a set before a file is read."""

    suite: Suite
    pairs: dict[str, int]  # published numbers of scored pairs, by split; 0: not published
    low: float = 0.0  # ends of the scale of its gold scores
    high: float = 5.0
    dev: bool = False  # encoders are scored on its dev split, too: by which settings are chosen
    labels: bool = False  # gold scores are 0 and 1, told apart by a threshold that dev pairs choose
    classes: int = 0  # of a set that encoders are fine-tuned on: scores are classes from 0; 0: regression
    cut_dev: bool = False  # of such a set: released without dev pairs, we hold some out of train


def _pair_task(
    language: Literal["english", "japanese"],
    train: int,
    dev: int,
    test: int,
    low: float = 0.0,
    classes: int = 0,
    cut_dev: bool = False,
) -> ScoredPairs:
    suite: Suite = f"pair_tasks_{language}"  # type: ignore[assignment]
    pairs = {"train": train, "dev": dev, "test": test}
    high = classes - 1.0 if classes else 5.0
    return ScoredPairs(suite, pairs, low=low, high=high, classes=classes, cut_dev=cut_dev)


# Numbers of pairs as in SimCSE's SentEval; of the Chinese sets as in EdaCSE and the splits of C-MTEB.  PAWS-X
# counts the 49,401 pairs that were released; EdaCSE has 49,129 of them.
TASKS: dict[Task, ScoredPairs] = {
    "sts12": ScoredPairs("english", {"test": 3108}),
    "sts13": ScoredPairs("english", {"test": 1500}),
    "sts14": ScoredPairs("english", {"test": 3750}),
    "sts15": ScoredPairs("english", {"test": 3000}),
    "sts16": ScoredPairs("english", {"test": 1186}),
    "stsb": ScoredPairs("english", {"train": 5749, "dev": 1500, "test": 1379}, dev=True),
    "sickr": ScoredPairs("english", {"train": 4500, "dev": 500, "test": 4927}, low=1.0),
    # Where SICK's test pairs are not at hand: those of its train and trial files, together.
    "sickr_train": ScoredPairs("english", {"test": 5000}, low=1.0),
    "atec": ScoredPairs("chinese", {"train": 62477, "dev": 20000, "test": 20000}, high=1.0, dev=True),
    "bq": ScoredPairs("chinese", {"train": 100000, "dev": 10000, "test": 10000}, high=1.0, dev=True),
    "lcqmc": ScoredPairs("chinese", {"train": 238766, "dev": 8802, "test": 12500}, high=1.0, dev=True),
    "pawsx_zh": ScoredPairs("chinese", {"train": 49401, "dev": 2000, "test": 2000}, high=1.0, dev=True),
    "stsb_zh": ScoredPairs("chinese", {"train": 5231, "dev": 1458, "test": 1361}, dev=True),
    "bq_en": ScoredPairs("translated", {"test": 10000}, high=1.0),
    "lcqmc_en": ScoredPairs("translated", {"test": 12500}, high=1.0),
    # As GLUE has them, cased and not tokenised.  The labels of QQP's test split are not public: as in RISE's
    # code the first 5 % of its train split are dev, and its dev split is test.
    "stsb_glue": ScoredPairs("paraphrase", {"train": 5749, "dev": 1500, "test": 1379}, dev=True),
    "qqp": ScoredPairs("paraphrase", {"train": 345654, "dev": 18192, "test": 40430}, high=1.0, labels=True),
    "mrpc": ScoredPairs("paraphrase", {"train": 3668, "dev": 408, "test": 1725}, high=1.0, labels=True),
    "paws_qqp": ScoredPairs("paraphrase", {"dev": 338, "test": 339}, high=1.0, labels=True),
    # Where the labels of PAWS-X's English test pairs are not at hand, as in XTREME's copy: its dev pairs.
    "pawsx_en_dev": ScoredPairs("paraphrase", {"test": 2000}, high=1.0, labels=True),
    # PPDB-CSE, tables 1 and 2.  Classes: NLI_CLASSES, ESCI_CLASSES; 1 is a paraphrase.
    "esci_us": _pair_task("english", 1254438, 138625, 425762, classes=4, cut_dev=True),
    "stsb_pairs": _pair_task("english", 5749, 1500, 1379),
    "sick_pairs": _pair_task("english", 4439, 495, 4906, low=1.0),
    "snli": _pair_task("english", 549367, 9842, 9824, classes=3),
    "sick_nli": _pair_task("english", 4439, 495, 4906, classes=3),
    "paws": _pair_task("english", 49401, 8000, 8000, classes=2),
    "esci_jp": _pair_task("japanese", 294874, 32272, 118907, classes=4, cut_dev=True),
    "jsts": _pair_task("japanese", 11205, 1246, 1457, cut_dev=True),
    "jsick": _pair_task("japanese", 4500, 500, 4927, low=1.0),
    "jnli": _pair_task("japanese", 18065, 2008, 2434, classes=3, cut_dev=True),
    "jsick_nli": _pair_task("japanese", 4500, 500, 4927, classes=3),
    "pawsx_ja": _pair_task("japanese", 49401, 2000, 2000, classes=2),
    # Pairs that a user brings, in any language and on any scale.
    "own": ScoredPairs("own", {"dev": 0, "test": 0}, -math.inf, math.inf, dev=True),
    # More of them, each a column of a table; dev pairs are those of the first.
    **{
        name: ScoredPairs("own", {"test": 0}, -math.inf, math.inf)
        for name in ("own_2", "own_3", "own_4", "own_5")
    },
}


def one_suite(tasks: Iterable[Task]) -> Suite:
    """Return the suite of some tasks; raise a ValueError if there are several."""
    first, *others = tasks
    suite = TASKS[first].suite
    for other in others:
        if TASKS[other].suite != suite:
            fitting = ", ".join(task for task, about in TASKS.items() if about.suite == suite)
            raise ValueError(
                f"{first} is one of the {suite} sets, but {other} is one of the {TASKS[other].suite} sets, "
                f"and these cannot be used together. With {first}, name only {fitting}"
            )
    return suite


USER_TASKS: tuple[Task, ...] = tuple(name for name, about in TASKS.items() if about.suite == "own")
PRODUCT_RETRIEVAL: tuple[Task, ...] = ("esci_us", "esci_jp")  # its titles are long
NLI_CLASSES = ("entailment", "neutral", "contradiction")
ESCI_CLASSES = ("exact", "substitute", "complement", "irrelevant")

# Numbers of items of the transfer tasks by split, counted in SentEval's files (of SUBJ and TREC: Conneau and
# Kiela 2018, table 1).  Tasks with `all` have no given splits.
TRANSFER_ITEMS: dict[TransferTask, dict[str, int]] = {
    "mr": {"all": 10662},
    "cr": {"all": 3775},
    "subj": {"all": 10000},
    "mpqa": {"all": 10606},
    "sst2": {"train": 67349, "dev": 872, "test": 1821},
    "trec": {"train": 5452, "test": 500},
    "mrpc": {"train": 4076, "test": 1725},
}

# The Chinese sets whose test splits are translated, and what they are called in English.  PrdSimCSE, table 6.
TRANSLATED: dict[Task, Task] = {"bq": "bq_en", "lcqmc": "lcqmc_en"}
UNTRANSLATED = "untranslated"  # their sentences, in the place of a corpus's name
