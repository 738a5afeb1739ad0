import pandas as pd
import pytest

from contrapose.pairs.pair_rows import by_sentence
from contrapose.score.paraphrase_quality import sentence_scores, slot_scores
from contrapose.score.scored_texts import read_texts
from contrapose.tables import PAIRS, PARAPHRASES, SENTENCES, write_table
from contrapose.text.languages import counted_words
from tests.tables import paired, sentences

GERMAN = [
    ("Er sagt z. B. nichts.", "Er sagt nichts."),
    ("Sie geht.", "Sie läuft."),
    ("Er sagt z. B. nichts.", "Er sagt z. B. wenig."),
]


def own(rows: list[tuple[str, str]]) -> pd.DataFrame:
    return paired(*zip(*rows, strict=True), id=[f"own:{line}" for line in range(len(rows))])


def test_lines_with_the_same_first_sentence_are_its_paraphrases_in_their_order(tmp_path):
    write_table(own(GERMAN), tmp_path / "pairs.parquet", PAIRS)
    found = read_texts([str(tmp_path / "pairs.parquet")])
    assert found.id.tolist() == ["own:0", "own:1", "own:0"]
    assert found.slot.tolist() == [0, 0, 1]
    assert found.positive.tolist() == [positive for _, positive in GERMAN]


def test_without_pairs_the_answers_of_a_language_model_are_read(tmp_path):
    files = {name: str(tmp_path / f"{name}.parquet") for name in ("sentences", "paraphrases")}
    write_table(sentences("One.", "Two.", ids="ab"), files["sentences"], SENTENCES)
    paraphrases = pd.DataFrame(
        [("a", 0, "1."), ("a", 1, "I."), ("b", 0, "2."), ("b", 1, "II.")], columns=PARAPHRASES.columns
    )
    write_table(paraphrases, files["paraphrases"], PARAPHRASES)
    found = read_texts([*files.values()])
    assert (found.slot.tolist(), found.positive.tolist()) == ([0, 0, 1, 1], ["1.", "2.", "I.", "II."])


@pytest.mark.parametrize(
    ("language", "source", "paraphrase"),
    [
        ("english", "A man sleeps very well", "A man sleeps very badly"),
        # For NLTK l'homme is one word, so that no four in a row are kept, and the Japanese text is one, too.
        ("french", "l'homme dort bien ici", "l'homme dort bien là"),
        ("japanese", "猫が好きですか", "猫が好きですよ"),
        ("german", "Er sagt z. B. nichts", "Er sagt z. B. wenig"),
    ],
)
def test_words_are_those_of_the_language(language, source, paraphrase):
    pairs, cut = by_sentence(own([(source, paraphrase)])), counted_words(language)
    cosines = pairs[["id", "slot"]].rename(columns={"id": "sentence_id"}).assign(cosine=1.0)
    slots = slot_scores(pairs, cosines, cut)
    (scores,) = sentence_scores(pairs, slots, cut).to_dict("records")
    # Of five words four are kept, of four pairs three, of three triplets two, of two 4-grams one.
    assert scores["bleu"] == slots.bleu[0] == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))
    assert scores["common_4gram"]
