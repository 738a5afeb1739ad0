"""The evaluation sets of scored sentence pairs and the transfer tasks: which there are, and how large.

A suite is what an encoder is scored on in one job: sets in a language that it reads.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Suite = Literal["english", "chinese", "translated", "paraphrase"]
# fmt: off
Task = Literal[
    "sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr",
    "atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh",
    "bq_en", "lcqmc_en",
    "stsb_glue", "qqp", "mrpc", "paws_qqp",
]
# fmt: on
TransferTask = Literal["mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc"]
SUITES: tuple[Suite, ...] = get_args(Suite)
DevTask = Literal["stsb", "stsb_zh"]


@dataclass(frozen=True)
class ScoredPairs:
    """What is known of a set before a file is read."""

    suite: Suite
    pairs: dict[str, int]  # published numbers of scored pairs, by split
    low: float = 0.0  # ends of the scale of its gold scores
    high: float = 5.0
    dev: bool = False  # encoders are scored on its dev split, too: by which settings are chosen
    labels: bool = False  # gold scores are 0 and 1, told apart by a threshold that dev pairs choose


# Methods 2.1; of the Chinese ones SPEC 3.3 and the splits of C-MTEB (methods 12.1).  PAWS-X counts the 49,401
# pairs that were released; the paper has 49,129 of them.
TASKS: dict[Task, ScoredPairs] = {
    "sts12": ScoredPairs("english", {"test": 3108}),
    "sts13": ScoredPairs("english", {"test": 1500}),
    "sts14": ScoredPairs("english", {"test": 3750}),
    "sts15": ScoredPairs("english", {"test": 3000}),
    "sts16": ScoredPairs("english", {"test": 1186}),
    "stsb": ScoredPairs("english", {"train": 5749, "dev": 1500, "test": 1379}, dev=True),
    "sickr": ScoredPairs("english", {"train": 4500, "dev": 500, "test": 4927}, low=1.0),
    "atec": ScoredPairs("chinese", {"train": 62477, "dev": 20000, "test": 20000}, high=1.0, dev=True),
    "bq": ScoredPairs("chinese", {"train": 100000, "dev": 10000, "test": 10000}, high=1.0, dev=True),
    "lcqmc": ScoredPairs("chinese", {"train": 238766, "dev": 8802, "test": 12500}, high=1.0, dev=True),
    "pawsx_zh": ScoredPairs("chinese", {"train": 49401, "dev": 2000, "test": 2000}, high=1.0, dev=True),
    "stsb_zh": ScoredPairs("chinese", {"train": 5231, "dev": 1458, "test": 1361}, dev=True),
    "bq_en": ScoredPairs("translated", {"test": 10000}, high=1.0),
    "lcqmc_en": ScoredPairs("translated", {"test": 12500}, high=1.0),
    # As GLUE has them, cased and not tokenised (RISE; methods 5.1).  The labels of QQP's test split are not
    # public: the first 5 % of its train split are dev, its dev split is test.
    "stsb_glue": ScoredPairs("paraphrase", {"train": 5749, "dev": 1500, "test": 1379}, dev=True),
    "qqp": ScoredPairs("paraphrase", {"train": 345654, "dev": 18192, "test": 40430}, high=1.0, labels=True),
    "mrpc": ScoredPairs("paraphrase", {"train": 3668, "dev": 408, "test": 1725}, high=1.0, labels=True),
    "paws_qqp": ScoredPairs("paraphrase", {"dev": 338, "test": 339}, high=1.0, labels=True),
}

# Published numbers of items of the transfer tasks (methods 2.5; of SUBJ and TREC Conneau and Kiela 2018,
# table 1), by split: `all` has no given ones.
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
