from functools import partial

import pytest

from tests.kinds import pairs
from tests.unit.pairs.tagged_sentences import tagged

negation_pairs = partial(pairs, "negation", corpus="own")

CASES = [
    # Auxiliaries and modal verbs.
    ("The dog is asleep.", "DT NN VBZ JJ .", "The dog is not asleep."),
    ("She can swim, too.", "PRP MD VB , RB .", "She can not swim, too."),
    ("She has left.", "PRP VBZ VBN .", "She has not left."),
    ("It has never been easy.", "PRP VBZ RB VBN JJ .", "It has not never been easy."),
    ("They do like it.", "PRP VBP VB PRP .", "They do not like it."),
    ("He'll go.", "PRP MD VB .", "He'll not go."),
    ("It's red.", "PRP VBZ JJ .", "It's not red."),
    ("We\u2019ve met.", "PRP VBP VBN .", "We\u2019ve not met."),
    # Other verbs.
    ("The cats sleep all day.", "DT NNS VBP DT NN .", "The cats do not sleep all day."),
    ("Anna goes  home.", "NNP VBZ NN .", "Anna does not go  home."),
    ("He lost his keys", "PRP VBD PRP$ NNS", "He did not lose his keys"),
    ("She has a dog.", "PRP VBZ DT NN .", "She does not have a dog."),
    ("They have to wait.", "PRP VBP TO VB .", "They do not have to wait."),
    ("He did the dishes.", "PRP VBD DT NNS .", "He did not do the dishes."),
    ("Sleeps well.", "VBZ RB .", "Does not sleep well."),
    # A negation goes.
    ("They will not come.", "PRP MD RB VB .", "They will come."),
    ("He is not.", "PRP VBZ RB .", "He is."),
    ("He isn't here.", "PRP VBZ RB RB .", "He is here."),
    ("He isn\u2019t here.", "PRP VBZ RB RB .", "He is here."),
    ("We can't go.", "PRP MD RB VB .", "We can go."),
    ("You cannot win.", "PRP MD RB VB .", "You can win."),
    ("Won't you stay?", "MD RB PRP VB .", "Will you stay?"),
    ("I shan't stay.", "PRP MD RB VB .", "I shall stay."),
    ("Not all men slept.", "RB DT NNS VBD .", "All men slept."),
    ("A house (not ours) is red, not blue.", "DT NN ( RB PRP ) VBZ JJ , RB JJ .",
     "A house (ours) is red, not blue."),
    # Questions.
    ("Is he here?", "VBZ PRP RB .", "Is not he here?"),
    ("Did the dog see it?", "VBD DT NN VB PRP .", "Did not the dog see it?"),
    ("Has Anna left?", "VBZ NNP VBN .", "Has not Anna left?"),
    ("Who lives here?", "WP VBZ RB .", "Who does not live here?"),
    # The verb of the main clause.
    ("The man who lives here is old.", "DT NN WP VBZ RB VBZ JJ .", "The man who lives here is not old."),
    ("When he came, she left.", "WRB PRP VBD , PRP VBD .", "When he came, she did not leave."),
    ("He said that she left.", "PRP VBD IN PRP VBD .", "He did not say that she left."),
    ("Because it slept.", "IN PRP VBD .", "Because it did not sleep."),
    # No verb.
    ("A big dog", "DT JJ NN", "Not a big dog"),
    ("Paris in spring", "NNP IN NN", "Not Paris in spring"),
    ("I and my dog", "PRP CC PRP$ NN", "Not I and my dog"),
    ("sleep well", "VB RB", "Not sleep well"),
    ("", "", "Not"),
    ("not", "RB", "Not not"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tags", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_sentence_is_negated_by_rules(text: str, tags: str, expected: str):
    found = negation_pairs(*tagged({text: tags}))
    assert (found.anchor[0], found.positive[0], list(found.negatives[0])) == (text, text, [expected])


def test_other_words_stand_before_a_sentence_without_a_verb():
    found = negation_pairs(*tagged({"A dog": "DT NN", "It is.": "PRP VBZ ."}), otherwise="It is false that")
    assert [each[0] for each in found.negatives] == ["It is false that a dog", "It is not."]
