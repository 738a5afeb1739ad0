"""A task of mteb that needs no download. Imported where mteb is installed."""

import datasets
from mteb.abstasks.sts import AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata


class LocalSTS(AbsTaskSTS):
    """Four scored pairs."""

    rows = (
        ("A dog runs in the park.", "A dog is running.", 4.0),
        ("A man eats.", "A plane flies.", 0.5),
        ("The cat sleeps.", "A cat is asleep.", 4.5),
        ("Rain falls.", "The sun shines.", 1.0),
    )
    metadata = TaskMetadata(
        name="LocalSTS",
        description="Four pairs",
        reference=None,
        dataset={"path": "local/sts", "revision": "1"},
        type="STS",
        category="t2t",
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="cosine_spearman",
        date=None,
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
        modalities=["text"],
    )
    min_score, max_score = 0, 5

    def load_data(self, **_):
        names = ("sentence1", "sentence2", "score")
        columns = dict(zip(names, map(list, zip(*self.rows, strict=True)), strict=True))
        self.dataset = datasets.DatasetDict({"test": datasets.Dataset.from_dict(columns)})
        self.data_loaded = True
