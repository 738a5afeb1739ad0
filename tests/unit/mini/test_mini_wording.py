import numpy as np
import pytest

from contrapose.seeds import generator
from contrapose_mini.facts import Entity, Fact
from contrapose_mini.styles import STYLES, styled
from contrapose_mini.wording import Wording, clause, untokenised

CHASED = Fact("chase", Entity("dog"), Entity("cat"), place="park")


def wording(number=0, reference=None, keep=0.0):
    return Wording(generator("test", number), reference, keep)


def chosen(**choices):
    made = wording()
    made.chosen.update({name.replace("_", " "): value for name, value in choices.items()})
    return made


def test_an_active_and_a_converse_clause_say_the_same():
    plain = Fact("chase", Entity("dog"), Entity("cat"))
    for voice, first, last in (
        ("active", "dog", "cat"),
        ("converse", "cat", "dog"),
        ("passive", "cat", "dog"),
    ):
        made = chosen(voice_chase=voice, noun_dog="dog", noun_cat="cat", article_dog="the", article_cat="the")
        text = clause(plain, made, "past")
        assert text.startswith(f"the {first} ")
        assert text.endswith(f" the {last}")


def test_a_wording_that_keeps_everything_repeats_the_sentence_and_one_that_keeps_nothing_no_content_word():
    first = wording(1)
    text = styled("caption", (CHASED,), first)
    assert styled("caption", (CHASED,), wording(2, first, keep=1.0)) == text
    others = set(styled("caption", (CHASED,), wording(2, first, keep=0.0)).split())
    function_words = {"a", "the", "is", "are", "being", "by", "there", "from", "after", "in", "on", ",", "."}
    assert not (set(text.split()) & others) - function_words


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("happened", [True, False])
def test_every_style_words_every_fact(style, happened):
    patient = Entity("patient", "old", 2)
    fact = Fact("treat", Entity("doctor", person="Keller"), patient, "stalwin", "1931", "quickly", happened)
    for number in range(20):
        text = styled(style, (fact,), wording(number))
        assert "Keller" in text
        assert "  " not in text
        assert "{" not in text


def test_a_negated_fact_is_always_worded_with_a_denial():
    fact = Fact("steal", Entity("thief"), Entity("jewel"), happened=False)
    texts = [styled("news", (fact,), wording(number)) for number in range(50)]
    assert all(set(text.split()) & {"not", "never", "no", "failed"} for text in texts)


def test_prose_has_a_capital_and_no_space_before_marks():
    assert untokenised("in the U.S. , it was Dr. Keller , a surgeon , that left .") == (
        "In the U.S., it was Dr. Keller, a surgeon, that left."
    )


def test_a_wording_draws_from_its_own_generator_only():
    state = np.random.get_state()[1].tolist()
    styled("news", (CHASED,), wording(5))
    assert np.random.get_state()[1].tolist() == state
