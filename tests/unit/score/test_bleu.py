import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, modified_precision, sentence_bleu

from contrapose.score.bleu import bleu, has_common, smoothed_bleus

# Few different tokens, so that n-grams repeat and overlap themselves.
tokens = st.lists(st.sampled_from(["a", "b", "the", ",", "\0"]), max_size=9)
texts = st.text(alphabet="ab\0é日", max_size=9)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([tokens, texts]).flatmap(lambda of: st.tuples(of, st.lists(of, min_size=1, max_size=5))),
    st.integers(1, 5),
)
def test_any_score_is_that_of_nltk(case, orders):
    source, paraphrases = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sentence_bleu(paraphrases, source, weights=(1 / orders,) * orders)
    assert bleu(source, paraphrases, orders) == pytest.approx(expected, rel=1e-12, abs=0)
    weights = [(1 / order,) * order for order in range(1, orders + 1)]
    smoothed = sentence_bleu(paraphrases, source, weights, SmoothingFunction().method1)
    assert smoothed_bleus(source, paraphrases, orders) == pytest.approx(
        smoothed if orders > 1 else [smoothed], rel=1e-12, abs=0
    )
    common = modified_precision(paraphrases, source, orders).numerator > 0
    assert has_common(source, paraphrases, orders) == common
