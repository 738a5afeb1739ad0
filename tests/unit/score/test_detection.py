from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.models import classifier
from contrapose.models.checkpoint import Checkpoints
from contrapose.score.detection import (
    Detection,
    HumanTexts,
    Writings,
    balanced,
    detections,
    human_texts,
    trainer,
)
from contrapose.settings.classifiers import Detector
from contrapose.tables import BENCHMARK, DETECTIONS, HELD_OUT, PAIRS, SENTENCES, write_table
from tests.tables import benchmark, sentences

SUBJECTS, VERBS, PLACES = ["cat", "dog", "bird"], ["sat", "ran", "flew", "slept"], ["mat", "park", "tree"]
HUMAN = [f"the {who} {did} in the {place}" for who in SUBJECTS for did in VERBS for place in PLACES]
MACHINE = [text.replace("the", "a") for text in HUMAN]
DEV = Writings([f"big {text}" for text in MACHINE[::3]], [f"big {text}" for text in HUMAN[::3]])


def pairs_of(texts) -> pd.DataFrame:
    rows = {"id": [f"s{number}" for number in range(len(texts))], "slot": 0, "view": 0}
    texts = {"anchor": "the cat sat", "positive": texts, "label": 0.5, "weight": 1.0}
    return pd.DataFrame({**rows, **texts}, columns=PAIRS.columns)


class Remembering:
    """Trains classifiers that give 1, 2, 3 ... for the first, second, third lesson; keeps what was asked."""

    def __init__(self):
        self.lessons = []

    def __call__(self, fold, examples, held_out):
        lesson = SimpleNamespace(texts=set(examples.texts), held_out=held_out, judged=[])
        self.lessons.append(lesson)
        number = float(len(self.lessons))
        return lambda texts: lesson.judged.append(list(texts)) or np.full(len(texts), number)


def test_classes_are_equal_parts_and_a_text_of_both_is_human():
    texts = Writings(["m1", "both", "m2", "m3", "m4"], ["h1", "both", "h2"])
    examples = balanced(texts, 1, "texts")
    assert examples.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert set(examples.texts[:3]) < {"m1", "m2", "m3", "m4"}
    assert examples.texts[3:] == ["h1", "both", "h2"]
    drawn = {tuple(balanced(texts, seed, "texts").texts[:3]) for seed in range(20)}
    assert len(drawn) > 5  # any of the 24 that there are
    few = balanced(Writings(["m1"], ["h1", "h2"]), 1, "texts")
    assert few.texts == ["m1", "h1"]  # of human texts the first
    with pytest.raises(TableError, match="held-out texts: 0 machine texts and 1 human texts remain"):
        balanced(Writings(["h1"], ["h1"]), 1, "held-out texts")


def test_every_row_has_a_logit_and_a_text_is_judged_once():
    pairs = pairs_of([*MACHINE, MACHINE[3], MACHINE[3], HUMAN[0]])
    teach = Remembering()
    judged, held_out = detections(pairs, [*HUMAN, *HUMAN[:5]], DEV, Detector(), teach)
    (lesson,) = teach.lessons
    assert lesson.judged[0] == [*MACHINE, HUMAN[0]]
    assert judged.id.tolist() == pairs.id.tolist()
    assert set(judged.logit) == {1.0}
    assert judged.seen.tolist() == [text in lesson.texts for text in pairs.positive]
    assert judged.seen.all()  # as many machine as human texts
    assert held_out.text.tolist() == lesson.judged[1] == lesson.held_out.texts
    assert held_out.human.sum() * 2 == len(held_out) == 2 * len(DEV.human)
    # Held-out texts that the classifier was trained on are left out.
    known = Writings([*DEV.machine, MACHINE[0]], [HUMAN[1], *DEV.human])
    _, held_out = detections(pairs_of(MACHINE), HUMAN, known, Detector(), Remembering())
    assert set(held_out.text) == {*DEV.machine, *DEV.human}


@pytest.mark.parametrize("dev", [DEV, None])
def test_no_classifier_of_a_fold_has_seen_a_text_that_it_judges(dev, tmp_path):
    pairs = pairs_of([*MACHINE, *MACHINE[:4], *HUMAN[:9]])  # what a machine copied is a human text, too
    teach = Remembering()
    judged, held_out = detections(pairs, HUMAN, dev, Detector(folds=3), teach)
    write_table(judged, tmp_path / "i.parquet", DETECTIONS)
    write_table(held_out, tmp_path / "h.parquet", HELD_OUT)
    assert len(teach.lessons) == 3
    assert not judged.seen.any()
    assert judged.logit.tolist() == (judged.fold + 1.0).tolist()  # by its own classifier
    assert judged.groupby(pairs.positive).fold.nunique().max() == 1
    every = [text for lesson in teach.lessons for text in lesson.judged[0]]
    assert sorted(every) == sorted(set(pairs.positive))
    for fold, lesson in enumerate(teach.lessons):
        assert lesson.texts.isdisjoint(pairs.positive[judged.fold == fold])
        assert lesson.texts.isdisjoint(held_out.text)
    texts = [part.text.tolist() for _, part in held_out.groupby("fold")]
    assert len(texts) == 3
    assert texts[0] == texts[1] == texts[2]


def test_human_texts_are_the_second_sentences_of_a_split_or_the_sentences_of_a_corpus(tmp_path):
    benchmarks, corpus = str(tmp_path / "b.parquet"), str(tmp_path / "s.parquet")
    sets = [benchmark([("a", "b", 1.0), ("g", "b", 1.0)], "mrpc", "train")]
    sets += [benchmark([("c", "d", 1.0)], "mrpc", "dev"), benchmark([("e", "f", 1.0)], "qqp", "train")]
    write_table(pd.concat(sets), benchmarks, BENCHMARK)
    assert human_texts(benchmarks, HumanTexts(tasks=["mrpc"], split="train")) == ["b", "b"]
    with pytest.raises(TableError, match="split test of mrpc has no pair"):
        human_texts(benchmarks, HumanTexts(tasks=["mrpc"], split="test"))
    write_table(sentences("x", "y"), corpus, SENTENCES)
    assert human_texts(corpus, HumanTexts()) == ["x", "y"]


def test_detection_that_is_broken_off_in_its_second_fold_goes_on_there_to_the_same_bytes(
    tiny_encoder, tmp_path, monkeypatch
):
    spec = Detector(learning_rate=1e-2, batch_size=8, epochs=1, folds=3)
    job = Detection(detector=spec, human=[])

    def judged(checkpoints=None) -> pd.DataFrame:
        train = trainer(job, str(tiny_encoder("bert")), "cpu", checkpoints)
        return pd.concat(detections(pairs_of(MACHINE), HUMAN, DEV, spec, train))

    done = []

    def noting(*arguments, training=classifier._FineTuning._step):
        if len(done) == broken:
            raise KeyboardInterrupt
        done.append(arguments)
        training(*arguments)

    broken = -1
    monkeypatch.setattr(classifier._FineTuning, "_step", noting)
    whole, steps = judged(), len(done)
    done.clear()
    broken = steps // 2  # in the second of three folds
    checkpoints = Checkpoints(tmp_path, 0)
    with pytest.raises(KeyboardInterrupt):
        judged(checkpoints)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fold0", "fold1"]
    broken = -1
    assert judged(checkpoints).equals(whole)
    assert len(done) == steps  # none of them twice
