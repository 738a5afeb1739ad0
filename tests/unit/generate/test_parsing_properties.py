"""Five known items in every wrapping and mess we could think of: what comes out is them, or nothing."""

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from contrapose.generate.parsing import Refusal, compared, five_paraphrases

SOURCE = "The old mill by the river burned down after a storm in 1911."

# What a parser takes for a marker, a label, a quotation or an end, and belongs to the text.
TRICKY = [
    "3.5 million", "1. FC Köln", "2. Bundesliga", "5 - 3", "No. 4", "(twice)", "a) and b)", "U.S.", "Dr. Who",
    "O'Neill", '"fire"', "at 5:30", "#1", "1911:", "I. and II.", "e.g. bread", "½", "①", "50 %", "C++", "*",
    "Sure enough", "Paraphrase 2", "- so to say -", "and/or", "rock & roll", "日本", "naïve", "’twas", "x_1",
]  # fmt: skip
PLAIN = [
    "river", "storm", "mill", "burned", "town", "old", "miller", "flames", "at night", "again", "1911",
]  # fmt: skip
OPENERS = ["After", "Once", "Later", "There", "Nobody", "Every", "Flames", "Lightning", "Grain", "Stones"]


def sentences(words):
    texts = st.lists(st.sampled_from(words), min_size=3, max_size=8).map(" ".join)
    firsts = st.lists(st.sampled_from(OPENERS), min_size=5, max_size=5, unique=True)
    five = st.tuples(firsts, st.lists(texts, min_size=5, max_size=5))
    return five.map(lambda made: [f"{first} the {rest}." for first, rest in zip(*made, strict=True)])


plain, tricky = sentences(PLAIN), sentences([*PLAIN, *TRICKY])

NUMBERS = [
    "{n}. {text}", "{n}) {text}", "({n}) {text}", "[{n}] {text}", "{n}: {text}", "{n} - {text}", "{n}.{text}",
    "**{n}.** {text}", "**{n}. {text}**", "{n}. **{text}**", "  {n}.   {text}  ",
]  # fmt: skip
LABELLED = [
    "Paraphrase {n}: {text}", "Paraphrased sentence {n}: {text}", "Scale {n}: {text}",
    "**Paraphrase {n}:** {text}", "Paraphrase {n}:\n{text}", "### {n}. {text}",
]  # fmt: skip
QUOTED = ['{n}. "{text}"', "{n}. “{text}”", "- “{text}”"]
BULLETS = ["- {text}", "* {text}", "• {text}"]
FORMS = [*NUMBERS, *LABELLED, *BULLETS, "{full}．{text}", "{circled} {text}", "{n}\ufe0f\u20e3 {text}"]


def listed(items, form="{n}. {text}", between="\n"):
    full, circled = "０１２３４５６７８９", "⓪①②③④⑤⑥⑦⑧⑨"
    marks = ({"n": n, "full": full[n], "circled": circled[n]} for n in range(1, len(items) + 1))
    return between.join(form.format(text=text, **each) for text, each in zip(items, marks, strict=True))


def parsed(text, source=SOURCE):
    return five_paraphrases(text, "stop", source)


def these_or_none(text, items):
    found = parsed(text)
    assert isinstance(found, Refusal) or found == [" ".join(item.split()) for item in items], (text, found)


HEAD = 'Here are 5 versions of "The old mill burned down":\n\n'
leads = st.sampled_from(["", "Sure!\n", HEAD, "Of course.\n\nMy five:\n", "\n\n", "<s>"])
ENDS = ["", "\n", "\n\nI can write 5 more.", "\n\nLet me know!\nBye.", "</s>", "<|im_end|>\n"]
remarks = st.sampled_from(ENDS)
DRAFTS = ["<think>\n\n</think>\n", "<think>1. A draft.\n2. Another.</think>\n", "[THINK]1. Hm.[/THINK]"]
thoughts = st.sampled_from(["", *DRAFTS, "so</think>\n"])
gaps = st.sampled_from(["\n", "\n\n", "\r\n"])


@given(plain, st.sampled_from([*FORMS, *QUOTED]), gaps, leads, remarks, thoughts)
def test_plain_items_come_out_of_every_style_and_frame(items, form, between, lead, remark, thought):
    assert parsed(thought + lead + listed(items, form, between) + remark) == items


@given(tricky, st.sampled_from([*FORMS, *QUOTED, "{text}"]), gaps, leads, remarks)
def test_texts_that_look_like_markers_stay_whole(items, form, between, lead, remark):
    these_or_none(lead + listed(items, form, between) + remark, items)


@given(tricky, st.sampled_from([*NUMBERS, *BULLETS]), st.data())
def test_an_item_that_is_broken_over_lines_is_never_cut(items, form, data):
    at = data.draw(st.integers(0, 4))
    cut = data.draw(st.sampled_from([match.start() for match in re.finditer(" ", items[at])]))
    gap = data.draw(st.sampled_from(["\n", "\n\n", "\n   ", " \u2028"]))
    broken = [*items[:at], items[at][:cut] + gap + items[at][cut + 1 :], *items[at + 1 :]]
    these_or_none(listed(broken, form), items)


@given(tricky, st.sampled_from([*NUMBERS, *LABELLED, *BULLETS, *QUOTED]), remarks, st.data())
def test_an_answer_that_was_cut_anywhere_gives_no_cut_item(items, form, remark, data):
    text = listed(items, form)
    kept = text[: data.draw(st.integers(0, len(text)))]
    assume(not re.search(r"[.!?…][\W_]*$", kept))  # right behind `U.S.` a text looks whole
    these_or_none(kept + remark, items)


@given(tricky, st.lists(st.integers(0, 400), max_size=3), st.sampled_from(list("\n.\"'*-)([{<>:1 `_|•#")))
@example(
    ["After the mill.", "Once the mill.", "Later the mill.", "There the mill.", "Every mill."], [0], "\n"
)
def test_stray_characters_add_or_take_nothing_but_themselves(items, places, stray):
    """An accepted item has the letters of the item it came from, in order."""
    text = listed(items)
    for at in places:
        at = min(at, len(text))
        text = text[:at] + stray + text[at:]
    found = parsed(text)
    if not isinstance(found, Refusal):
        letters = [re.sub(r"[\W_1]", "", item) for item in items]
        assert [re.sub(r"[\W_1]", "", item) for item in found] == letters
        assert len({compared(item) for item in found}) == 5


texts = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=200)
pieces = st.sampled_from(
    [
        "1. ", "2. ", "3) ", "4. ", "5. ", "- ", "* ", "\n", "\n\n", '"', "**", "{", "[", "```", "①", "</s>",
        "User:", "<think>", "</think>", "a.", "A mill.", "Sure!", SOURCE,
        *(f"{word} mill." for word in OPENERS),
    ]
)  # fmt: skip


@given(st.one_of(texts, st.lists(pieces, max_size=30).map("".join)), st.one_of(texts, st.just(SOURCE)))
def test_whatever_the_answer_five_different_single_lines_come_out_or_a_reason(text, source):
    found = five_paraphrases(text, "stop", source)
    if isinstance(found, Refusal):
        return
    assert len(found) == 5
    assert len({compared(item) for item in found} | {compared(source)}) == 6
    assert all(compared(item) and item == " ".join(item.split()) for item in found)
