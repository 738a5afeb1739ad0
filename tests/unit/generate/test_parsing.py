import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.generate.parsing import Refusal, compared, five_paraphrases

SOURCE = "The mill burned down in 1911 after a storm."
FIVE = [
    "A storm led to the mill burning down in 1911.",
    "In 1911, fire destroyed the mill after a storm.",
    "The mill was lost to fire in 1911.",
    "After a storm in 1911 the mill went up in flames.",
    "Fire took the mill in 1911.",
]


def parsed(text, reason="stop", source=SOURCE):
    return five_paraphrases(text, reason, source)


def listed(form, items=FIVE, between="\n"):
    return between.join(form.format(n=n, text=item) for n, item in enumerate(items, 1))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FIVE),
        json.dumps({"paraphrases": FIVE}),
        json.dumps({str(n): item for n, item in enumerate(FIVE, 1)}),
        json.dumps({f"paraphrase_{n}": item for n, item in enumerate(FIVE, 1)}),
        json.dumps([{"id": n, "text": item} for n, item in enumerate(FIVE, 1)], indent=2),
        json.dumps([f"{n}. {item}" for n, item in enumerate(FIVE, 1)]),
        "Here you go:\n```json\n" + json.dumps(FIVE) + "\n```",
        "```\n" + listed("{n}. {text}") + "\n```",
    ],
)
def test_json_and_code_fences_are_read(text):
    assert parsed(text) == FIVE


@pytest.mark.parametrize(
    ("source", "items"),
    [
        # One marker is taken off and no more.
        ("1. FC Köln was the winner.",
         ["Cologne won.", "1. FC Köln won the cup.", "3.5 million saw 2. Bundesliga.", "- 5 was it.", "X."]),
        (SOURCE, ["Sure enough, the mill burned down.", *FIVE[1:]]),
        (SOURCE, ['"Well," he said, "it burned."', *FIVE[1:]]),
        (f'"{SOURCE}"', [f'"{item}"' for item in FIVE]),
        ("I paraphrase sentences as an AI language model does.",
         [f"Paraphrasing, number {word}." for word in ("one", "two", "three", "four", "five")]),
    ],
)  # fmt: skip
def test_what_belongs_to_a_text_stays(source, items):
    assert parsed(listed("{n}. {text}", items), source=source) == items


SONG = '"Hey Jude" is a song of 1968.'
SONGS = [
    '"Hey Jude" was sung in 1968.',
    'In 1968 came "Hey Jude" and was "a song".',
    '"Hey Jude" is of 1968: "a song."',
    "A song of 1968 is called Hey Jude.",
    'Of 1968 is the song "Hey Jude."',
]


def test_quotes_around_items_are_told_from_those_of_a_name_at_their_ends():
    assert parsed(listed('{n}. "{text}"', SONGS), source=SONG) == SONGS
    assert parsed(listed("{n}. {text}", SONGS), source=SONG) == SONGS
    merged = [item.removeprefix('"') for item in SONGS]
    assert parsed(listed('{n}. "{text}"', merged), source=SONG) == Refusal.QUOTES


@pytest.mark.parametrize(
    "form", ["{n} ({near}): {text}", "**Scale {n} ({near}):** {text}", "{n} ({near})\n{text}"]
)
def test_a_number_may_say_in_brackets_how_near_its_item_is(form):
    near = ["closest", "close", "in between", "far", "most divergent, least similar"]
    lines = [form.format(n=n, near=near[n - 1], text=item) for n, item in enumerate(FIVE, 1)]
    assert parsed("\n".join(lines)) == FIVE


def test_plain_lines_are_read_only_if_they_are_five_whole_sentences():
    assert parsed("\n".join(FIVE)) == FIVE
    assert parsed("Five versions:\n" + "\n".join(FIVE)) == FIVE
    assert parsed("\n".join(["Sure, here is one.", *FIVE[1:]])) == Refusal.PROSE
    assert parsed("\n".join([*FIVE[:4], "I hope this helps!"])) == Refusal.TALKING
    assert parsed("\n".join(["Five versions follow.", *FIVE[:4]])) == Refusal.PROSE
    assert parsed("\n".join([*FIVE[:4], "The mill burned"])) == Refusal.PROSE
    assert parsed("\n".join(FIVE[:3]) + "\n\n" + "\n".join(FIVE[3:])) == Refusal.PROSE
    romans = ("XI", "XII", "XIII", "XIV", "XV")
    assert parsed("\n".join(f"{n}) {item}" for n, item in zip(romans, FIVE, strict=True))) == Refusal.PROSE
    assert parsed(" ".join(FIVE)) == Refusal.PROSE
    assert parsed(listed("{n}. {text}", between=" ")) != FIVE


def test_plain_lines_may_begin_in_lower_case_as_the_source_does():
    low = [item[0].lower() + item[1:] for item in FIVE]
    assert parsed("\n".join(low), source=SOURCE[0].lower() + SOURCE[1:]) == low
    assert parsed("\n".join(low)) == Refusal.PROSE


def test_plain_lines_share_words_with_the_source_whatever_their_endings():
    lines = [*FIVE[:4], "Storms took it away."]
    assert parsed("\n".join(lines)) == lines
    assert parsed("\n".join([*FIVE[:4], "Hail took it away."])) == Refusal.PROSE


@pytest.mark.parametrize(
    ("source", "items"),
    [
        ("The st\ufffdrm took the mill.", ["A st\ufffdrm took the mill.", *FIVE[1:]]),
        ('"It burned," he said.', ['"It burned," said he.', '"Burned," he said.', *FIVE[2:]]),
        ("© 1911 by the mill.", [f"© {item}" for item in FIVE]),
    ],
)
def test_what_is_odd_in_the_source_may_be_so_in_items(source, items):
    answer = listed("{n}. {text}", items)
    assert parsed(answer, source=source) == items
    assert isinstance(parsed(answer), Refusal)


NUMBERED = listed("{n}. {text}")
REFUSED = [
    (None, Refusal.EMPTY),
    ("</s>", Refusal.EMPTY),
    (NUMBERED.replace("storm", "st\ufffdrm"), Refusal.GARBLED),
    (NUMBERED.replace("storm", "stâ\x80\x99rm"), Refusal.GARBLED),
    (json.dumps([*FIVE[:4], "Fire took the\x07 mill."]), Refusal.JSON),
    ("<think>first " + NUMBERED, Refusal.THINKING),
    ("one draft</think>another</think>\n" + NUMBERED, Refusal.THINKING),
    (NUMBERED + "</s>\nWhat else?", Refusal.TURNS),
    (NUMBERED + " User: Thank you.", Refusal.TURNS),
    ('{"a": "x", "b": "y"}', Refusal.JSON),
    (json.dumps({"numbers": [1, 2, 3, 4, 5]}), Refusal.JSON),
    (json.dumps({str(n): item for n, item in enumerate(FIVE, 1)})[:-1] + ', "5": "Twice."}', Refusal.JSON),
    (json.dumps([f"{n}{'.)'[n % 2]} {item}" for n, item in enumerate(FIVE, 1)]), Refusal.NUMBERING),
    (json.dumps(FIVE[:4]), Refusal.FEWER),
    (json.dumps([*FIVE, "Six."]), Refusal.MORE),
    (listed("{n}. {text}", FIVE[:4]), Refusal.FEWER),
    (listed("{n}. {text}", [*FIVE, "A sixth."]), Refusal.MORE),
    (NUMBERED.replace("3. ", "4. "), Refusal.NUMBERING),
    (NUMBERED.replace("\n2.", "\n- more\n2."), Refusal.MIXED),
    (f"Formal:\n{NUMBERED}\nCasual:\n{NUMBERED}", Refusal.LISTS),
    (f"Formal:\n```json\n{json.dumps(FIVE)}\n```\nCasual:\n{NUMBERED}", Refusal.LISTS),
    (f"a\nb\nc\nd\n{NUMBERED}", Refusal.LISTS),
    (f"{NUMBERED}\n\nA\nB\nC", Refusal.LISTS),
    (NUMBERED + "\nI hope this helps!", Refusal.BROKEN),
    (NUMBERED.replace("\n3.", "\n\nCasual:\n3."), Refusal.BROKEN),
    (NUMBERED.replace("took the mill", "took the mill of Mr.\n\nSmith"), Refusal.BROKEN),
    (NUMBERED + "\n\nand the barn, too.", Refusal.BROKEN),
    (NUMBERED + " 6. It burned.", Refusal.LABELS),
    (listed("{n}. {text}", [f"✅ {FIVE[0]}", *FIVE[1:4], f"✅ {FIVE[4]}"]), Refusal.NUMBERING),
    (NUMBERED.replace(FIVE[0], f"Concise: {FIVE[0]}").replace(FIVE[3], f"Plain: {FIVE[3]}"), Refusal.LABELS),
    (listed("- {text}", ["Here you go:", "Fire:", *FIVE[2:]]), Refusal.LABELS),
    (NUMBERED.replace("fire", "*fire*"), Refusal.MARKUP),
    (NUMBERED.replace("fire", "fire / flames"), Refusal.MARKUP),
    (NUMBERED.replace("fire", "fire &#39;"), Refusal.MARKUP),
    (listed(f"{{n}}. {SOURCE} → {{text}}"), Refusal.MARKUP),
    (NUMBERED.replace(FIVE[0], f'"{FIVE[0]}"'), Refusal.QUOTES),
    (NUMBERED.replace(FIVE[2], FIVE[1].replace("fire", "f\u200bire\u200f")), Refusal.DUPLICATE),
    (NUMBERED.replace(FIVE[2], "I hope these help!"), Refusal.TALKING),
    (listed("{n}. {text}", ["Formal", *FIVE[1:]]), Refusal.BROKEN),
    (listed("{n}. {text}", ["Formal versions.", *FIVE[1:]]), Refusal.TALKING),
    (listed("{n}. {text}", [*FIVE[:4], "(No more.)"]), Refusal.LABELS),
    (listed("{n}. {text} 0.9"), Refusal.LABELS),
    (listed("{n}. {text} Similarity: 0.9"), Refusal.LABELS),
    (listed("{n}. {text} Lexical divergence = 0.{n}"), Refusal.LABELS),
    (NUMBERED.replace(FIVE[0], f"Write it anew: {SOURCE}"), Refusal.COPY),
    (NUMBERED.replace(FIVE[0], "Generate 5 new sentences, which are semantically similar"), Refusal.BROKEN),
    (
        NUMBERED.replace(FIVE[0], "Generate 5 new sentences which are semantically similar to it."),
        Refusal.TALKING,
    ),
    (listed('{n}. "{text}"', [*FIVE[:4], 'The "mill" burned']).removesuffix('"') + "!", Refusal.QUOTES),
    (NUMBERED.replace(FIVE[1], "Formal - " + FIVE[1]).replace(FIVE[3], "Short - " + FIVE[3]), Refusal.LABELS),
    (listed("{n}. Most similar: {text}"), Refusal.LABELS),
    (listed("{n}. {text} (least similar)"), Refusal.LABELS),
    (NUMBERED.replace("1911", "[year]"), Refusal.PLACEHOLDER),
    (NUMBERED.replace(FIVE[2], "..."), Refusal.BLANK),
    (NUMBERED.replace(FIVE[2], SOURCE), Refusal.COPY),
    ("I'm sorry, but as an AI language model I cannot help with this.", Refusal.TALKING),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=lambda value: None)
def test_a_doubtful_answer_is_refused_with_its_reason(text, reason):
    assert parsed(text) == reason


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        *((reason, Refusal.CUT) for reason in ("length", "max_tokens")),
        ("content_filter", Refusal.FILTERED),
        *((reason, Refusal.UNFINISHED) for reason in ("tool_calls", "function_call", "abort", "error")),
    ],
)
def test_a_bad_end_is_refused_even_if_five_items_are_there(finish, reason):
    assert parsed(NUMBERED, finish) == reason


@pytest.mark.parametrize(
    ("source", "item"),
    [
        ("what's the phone number of the mill", "The number of the mill is 555-0100."),
        ("can you check my mill's hours?", "When does your mill open?"),
        ("i need to find a mill", "What is the nearest mill to your location?"),
        ("i need a mill", "Have you considered a bakery?"),
    ],
)
def test_an_answer_or_a_question_back_is_no_paraphrase(source, item):
    asked = ["Where is the mill?", "I want the mill.", "Show me the mill.", "Is the mill near?"]
    assert parsed(listed("{n}. {text}", [*asked, item]), source=source) == Refusal.TALKING


def test_a_list_that_tells_of_something_else_is_no_paraphrase():
    source = "The water mill beside the bridge burned down in 1911 after a heavy thunderstorm at night."
    steps = ["Read it.", "Find the verb.", "Swap the verb.", "Change the order.", "Check the grammar."]
    assert parsed(listed("{n}. {text}", steps), source=source) == Refusal.TALKING
    assert parsed(listed("{n}. {text}", [*steps[:4], "Mills burned."]), source=source) != Refusal.TALKING
    seven = "The mill near a bridge burned after heavy rain."  # words of four letters: eight tell enough
    assert parsed(listed("{n}. {text}", steps), source=seven) == steps
    assert parsed(listed("{n}. {text}", steps), source=f"{seven[:-1]} late.") == Refusal.TALKING


texts = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=200)
pieces = st.sampled_from(
    [
        "1. ", "2. ", "3) ", "4. ", "5. ", "- ", "* ", "\n", "\n\n", '"', "**", "{", "[", "```", "①", "</s>",
        "User:", "<think>", "</think>", "a.", "A mill.", "Sure!", SOURCE, *FIVE,
    ]
)  # fmt: skip


@given(st.one_of(texts, st.lists(pieces, max_size=30).map("".join)), st.one_of(texts, st.just(SOURCE)))
def test_whatever_the_answer_five_different_single_lines_come_out_or_a_reason(text, source):
    found = five_paraphrases(text, "stop", source)
    if isinstance(found, Refusal):
        return
    assert len(found) == 5
    assert len({compared(item) for item in found} | {compared(source)}) == 6
    for item in found:
        assert item == " ".join(item.split())
        assert compared(item)
