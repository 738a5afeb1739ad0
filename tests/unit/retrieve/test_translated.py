import pandas as pd

from contrapose.corpus.untranslated import build as untranslated_sentences
from contrapose.retrieve.translated import translated_benchmarks
from contrapose.settings.catalogs import TranslatedPairs
from contrapose.tables import BENCHMARK, TRANSLATIONS

ALL = TranslatedPairs()


def benchmarks(task, *pairs, split="test"):
    rows = [(task, "senteval", split, task, row, *pair) for row, pair in enumerate(pairs)]
    return pd.DataFrame(rows, columns=BENCHMARK.columns)


CHINESE = pd.concat(
    [
        benchmarks("bq", ("甲", "乙", 1.0), ("乙", "丙", 0.0), ("甲", "丁", 0.0)),
        benchmarks("lcqmc", ("丙", "戊", 1.0), ("甲", "戊", 0.0)),
        benchmarks("lcqmc", ("己", "庚", 1.0), split="dev"),
        benchmarks("atec", ("辛", "壬", 1.0)),
    ],
    ignore_index=True,
)


def translations(**english):
    return pd.DataFrame(list(english.items()), columns=TRANSLATIONS.columns)


def test_pairs_of_the_test_splits_get_english_sentences_and_keep_rows_and_labels():
    assert sorted(untranslated_sentences(ALL, CHINESE).text) == sorted("甲乙丙丁戊")  # each once
    english = translations(甲="A", 乙="B", 丙="C", 丁="D", 戊="E")
    found, notes = translated_benchmarks(CHINESE, english, ALL)
    assert found.to_numpy().tolist() == [
        ["bq_en", "senteval", "test", "bq_en", 0, "A", "B", 1.0],
        ["bq_en", "senteval", "test", "bq_en", 1, "B", "C", 0.0],
        ["bq_en", "senteval", "test", "bq_en", 2, "A", "D", 0.0],
        ["lcqmc_en", "senteval", "test", "lcqmc_en", 0, "C", "E", 1.0],
        ["lcqmc_en", "senteval", "test", "lcqmc_en", 1, "A", "E", 0.0],
    ]
    assert notes[0].startswith("bq_en: 3 of 3 pairs were to be translated; 0 of these are skipped")


def test_a_sample_is_the_same_for_the_sentences_and_for_the_pairs_and_grows():
    every = benchmarks("bq", *((f"第{n}句", f"第{n}问", float(n % 2)) for n in range(40)))
    few, more = (TranslatedPairs(size=pairs, seed=5) for pairs in (7, 20))
    texts = [set(untranslated_sentences(spec, every).text) for spec in (few, more)]
    assert len(texts[0]) == 14
    assert texts[0] < texts[1]
    english = {text: f"English {n}" for n, text in enumerate(sorted(texts[1]))}
    found, notes = translated_benchmarks(every, translations(**english), few)
    assert len(found) == 7  # though all pairs of the larger sample have translations
    assert {t for n, t in enumerate(sorted(texts[1])) if f"English {n}" in set(found.sentence1)} <= texts[0]
    assert notes[0].startswith("bq_en: 7 of 40 pairs")
