"""How many scored pairs the mini world's generator makes of each set."""

from collections.abc import Mapping

from contrapose.retrieve.chinese import BUNDLE_SPLITS
from contrapose.retrieve.mini import pair_tasks as mini_pairs
from contrapose.retrieve.mini.benchmarks import YEARS
from contrapose.retrieve.mini.chinese import pairs as mini_chinese
from contrapose.retrieve.mini.files import (
    MRPC_SPLITS,
    PAWS_QQP,
    QQP_FILES,
    SICK_SPLITS,
    STSB_SPLITS,
)
from contrapose.tasks import Task

SPLITS = ("train", "dev", "test")
# The mini world's sets by task, in the order of its generator; a translated set has the pairs of its source.
MINI_CHINESE: dict[Task, mini_chinese.PairSet] = dict(
    zip(("atec", "bq", "lcqmc", "pawsx_zh", "stsb_zh"), mini_chinese.PAIR_SETS, strict=True)
)
MINI_CHINESE |= {"bq_en": MINI_CHINESE["bq"], "lcqmc_en": MINI_CHINESE["lcqmc"]}
MRPC_TRAIN, QQP_TRAIN = MRPC_SPLITS["train"], QQP_FILES["train"]
# Of what has no dev file in the mini world dev is a part: see `retrieve.paraphrase`.
MINI_PARAPHRASE: dict[Task, dict[str, float]] = {
    "stsb_glue": dict(STSB_SPLITS),
    "mrpc": {"train": 0.9 * MRPC_TRAIN, "dev": 0.1 * MRPC_TRAIN, "test": MRPC_SPLITS["test"]},
    "qqp": {"train": 0.95 * QQP_TRAIN, "dev": 0.05 * QQP_TRAIN, "test": QQP_FILES["dev"]},
    "paws_qqp": {"dev": PAWS_QQP / 2, "test": PAWS_QQP / 2},
}


def _with_dev_of_train(train: int, test: int) -> dict[str, float]:
    return {"train": 0.9 * train, "dev": 0.1 * train, "test": test}


ESCI = _with_dev_of_train(mini_pairs.ESCI_SPLITS["train"], mini_pairs.ESCI_SPLITS["test"])
JGLUE = _with_dev_of_train(mini_pairs.JGLUE_SPLITS["train"], mini_pairs.JGLUE_SPLITS["valid"])
SICK = {ours: SICK_SPLITS[name] for ours, name in zip(SPLITS, SICK_SPLITS, strict=True)}
JSICK = {
    ours: mini_pairs.JSICK_SPLITS[name] for ours, name in zip(SPLITS, mini_pairs.JSICK_SPLITS, strict=True)
}
PAWSX = dict(zip(SPLITS, mini_pairs.PAWSX_FILES.values(), strict=True))
MINI_PAIR_TASKS: dict[Task, Mapping[str, float]] = {
    "esci_us": ESCI, "stsb_pairs": STSB_SPLITS, "sick_pairs": SICK, "snli": mini_pairs.SNLI_SPLITS,
    "sick_nli": SICK, "paws": mini_pairs.PAWS_SPLITS, "esci_jp": ESCI, "jsts": JGLUE, "jsick": JSICK,
    "jnli": JGLUE, "jsick_nli": JSICK, "pawsx_ja": PAWSX,
}  # fmt: skip


def set_units(task: Task, split: str) -> float:
    """Return the pairs of a split of a set, in units of the world's `pairs`."""
    if task in MINI_CHINESE:
        return MINI_CHINESE[task].units[BUNDLE_SPLITS[split]]
    if task in MINI_PAIR_TASKS:
        return MINI_PAIR_TASKS[task][split]
    if task in MINI_PARAPHRASE:
        return MINI_PARAPHRASE[task][split]
    english = {"stsb": STSB_SPLITS[split], "sickr": SICK_SPLITS["test_annotated"]}
    english |= {name[:5].lower(): len(subsets) for name, subsets in YEARS.items()}
    return english[task]
