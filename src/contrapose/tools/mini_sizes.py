"""How many pairs the evaluation sets of a generated catalog have, before it is made."""

from contrapose.base.tasks import Task

# Rows of train, dev and test in units of `pairs` of the catalog, as `contrapose_mini` writes them: 0 for
# none. Where readers take dev pairs of the train part, it is without these.
UNITS: dict[Task, tuple[float, float, float]] = {
    **{"sts12": (0, 0, 4), "sts13": (0, 0, 2.5), "sts14": (0, 0, 5), "sts15": (0, 0, 4), "sts16": (0, 0, 5)},
    **{"stsb": (16, 8, 8), "stsb_glue": (16, 8, 8), "stsb_pairs": (16, 8, 8)},
    **{"sickr": (10, 2, 12), "sick_pairs": (10, 2, 12), "sick_nli": (10, 2, 12)},
    **{"atec": (26, 8, 8), "bq": (42, 6, 6), "lcqmc": (100, 6, 8), "pawsx_zh": (20, 4, 4)},
    **{"stsb_zh": (3, 4, 4), "bq_en": (0, 0, 6), "lcqmc_en": (0, 0, 8)},
    **{"mrpc": (5.4, 0.6, 3), "qqp": (19, 1, 5), "paws_qqp": (0, 2, 2)},
    **{
        "snli": (8, 2, 3),
        "paws": (8, 2, 3),
        "pawsx_ja": (8, 2, 3),
        "jsick": (8, 2, 3),
        "jsick_nli": (8, 2, 3),
    },
    **{"esci_us": (9, 1, 3), "esci_jp": (9, 1, 3), "jsts": (9, 1, 3), "jnli": (9, 1, 3)},
}


def generated_pairs(task: Task, split: str, pairs: int) -> int | None:
    """Return the pairs of a split, about: some have no score. None if the generator writes no such split.

    `pairs` are those of each STS subset, as the catalog says.
    """
    units = dict(zip(("train", "dev", "test"), UNITS.get(task, ()), strict=False)).get(split)
    return round(units * pairs) if units else None
