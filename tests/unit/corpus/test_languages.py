from pathlib import Path

import langdetect
import pytest
from langdetect import DetectorFactory, detector_factory
from sacremoses.corpus import NonbreakingPrefixes

from contrapose.text.languages import CODES, detokeniser, language_confidence, sentence_splitter, tokeniser

TEXTS = (
    "The committee published its final report in the autumn of 1998.",
    "Die Kommission hat ihren letzten Bericht im Herbst vorgelegt.",
    "Il comitato ha pubblicato la relazione finale.",
    "委員会は1998年の秋に最終報告書を公表した。",
    "Nagasaki, Sasebo, Omura",
)
WORDS = {
    "He doesn't like R&D now.": ["He", "doesn", "'t", "like", "R", "&", "D", "now", "."],
    'The "up-to-date" <x> [1]': ["The", '"', "up-to-date", '"', "<", "x", ">", "[", "1", "]"],
    "Mr. Ito paid $1,000, or 5.5%.": ["Mr.", "Ito", "paid", "$", "1,000", ",", "or", "5.5", "%", "."],
    "The teachers' one is here... what?": ["The", "teachers", "'", "one", "is", "here", "...", "what", "?"],
}
TOGETHER = {"R&D": "R & D", "<x>": "< x >"}  # what Moses's detokeniser leaves apart


@pytest.mark.parametrize("text", WORDS)
def test_english_words_are_moses_words_without_entities_and_come_together_again(text):
    assert tokeniser("english")(text) == WORDS[text]
    for before, after in TOGETHER.items():
        text = text.replace(before, after)
    assert detokeniser("english")(tokeniser("english")(text)) == text
    assert detokeniser("english")(["a", "&lt;", "b"]) == "a &lt; b"  # which only looks like an entity


def test_japanese_words_are_those_of_mecab_with_ipadic_and_come_together_without_blanks():
    words = ["すもも", "も", "もも", "も", "もも", "の", "うち"]
    assert tokeniser("japanese")("すもももももももものうち") == words
    assert detokeniser("japanese")(words) == "すもももももももものうち"


def test_english_sentences_end_by_moses_rules():
    text = 'Dr. Ito came at No. 7 Main St. on Monday. He left (early!) again? "Yes." It was 3.5 km.\nAnd back'
    first = "Dr. Ito came at No. 7 Main St. on Monday."
    others = ["He left (early!) again?", '"Yes."', "It was 3.5 km.", "And back"]
    assert sentence_splitter("english")(text) == [first, *others]
    assert sentence_splitter("english")(" \n\n ") == []


def test_german_keeps_its_abbreviations_and_comes_together_again():
    text = "Dr. Weiß kam am 3. Mai um 9.30 Uhr, z. B. zur »Alten Mühle«."
    words = "Dr. Weiß kam am 3. Mai um 9.30 Uhr , z. B. zur » Alten Mühle « ."
    assert " ".join(tokeniser("german")(text)) == words
    assert sentence_splitter("german")(f"{text} Das war's.") == [text, "Das war's."]
    plain = "Die Kommission hat, wie jedes Jahr, ihren Bericht (den letzten) vorgelegt."
    assert detokeniser("german")(tokeniser("german")(plain)) == plain


@pytest.mark.parametrize("language", sorted(CODES.keys() - {"japanese"}))
def test_each_language_is_known_to_all_three_libraries_by_its_code(language):
    code = CODES[language]
    assert NonbreakingPrefixes().available_langs[language] == code
    assert sentence_splitter(language)("A b. C d.")
    assert code in {path.name for path in Path(detector_factory.PROFILES_DIRECTORY).iterdir()}


def test_japanese_sentences_end_outside_quotes_after_normalisation_and_run_on_after_no():
    text = "彼は「そうだ。行く」と言った！　本当に？ﾀﾞﾒ。\n市（Ｎａｒａ）は１９９０年の\n都市 である。"
    expected = ["彼は「そうだ。行く」と言った!", "本当に?", "ダメ。", "市(Nara)は1990年の都市である。"]
    assert sentence_splitter("japanese")(text) == expected
    assert sentence_splitter("japanese")(" \n\n ") == []


def test_confidence_is_that_of_langdetect_with_the_seed_whatever_came_before(monkeypatch):
    monkeypatch.setattr(DetectorFactory, "seed", 5)
    monkeypatch.setattr(detector_factory, "_factory", None)
    found = [{each.lang: each.prob for each in langdetect.detect_langs(text)} for text in TEXTS]
    for language, name in (("english", "en"), ("german", "de"), ("japanese", "ja")):
        confidence = language_confidence(language, 5)
        expected = [each.get(name, 0.0) for each in found]
        assert [confidence(text) for text in TEXTS] == pytest.approx(expected, abs=1e-12)
        assert confidence(TEXTS[-1]) == pytest.approx(expected[-1], abs=1e-12)
    english = language_confidence("english", 5)
    assert english(TEXTS[0]) > 0.99 > 0.01 > english(TEXTS[1])
    assert english("1998, 12 - 34 (56)") == 0
