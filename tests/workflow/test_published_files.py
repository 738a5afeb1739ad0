"""A corpus and NLI triples that somebody published, from their files to a trained encoder."""

import shutil

import pandas as pd

from tests.checkout import Checkout

CORPUS = "results/corpus/simcse.parquet"
TRAINED = "results/train/nli/supervised/seed42/history.parquet"


def test_published_files_become_a_corpus_and_a_supervised_encoder(finished: Checkout, tmp_path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    copy.run(CORPUS, TRAINED)

    sentences = pd.read_parquet(copy.folder / CORPUS)
    lines = (copy.folder / "results/retrieve/data/wiki1m_for_simcse.txt").read_text().splitlines()
    assert len(sentences) == 64
    assert [lines[number] for number in sentences.position] == sentences.text.tolist()

    history = pd.read_parquet(copy.folder / TRAINED)
    assert history.sentences.tolist() == [96, 180]  # 60 triples, 32 a batch
    folder = (copy.folder / TRAINED).parent / "encoder"
    # [CLS], then the MLP: a supervised encoder keeps it.
    assert [path.name for path in sorted(folder.iterdir()) if path.is_dir()] == ["1_Pooling", "2_Dense"]
