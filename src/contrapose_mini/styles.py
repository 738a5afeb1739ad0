"""The kinds of sentence that the benchmarks hold: captions, headlines, glosses, questions, forum posts ..."""

from collections.abc import Callable

from contrapose_mini.concepts import nouns
from contrapose_mini.facts import Meaning
from contrapose_mini.wording import Wording, clause, joined, prose_tokens, tidied

OPINIONS = (
    "i think that", "in my opinion ,", "i have read that", "a friend told me that", "as far as i know ,",
    "someone said that", "well ,", "to be honest ,", "i am sure that", "you should know that", "", "",
)  # fmt: skip
BELIEFS = (
    "i believe that",
    "they say that",
    "it is clear that",
    "we all know that",
    "people forget that",
    "so ,",
    "",
)
ANSWERS = ("because", "the reason is that", "this shows that", "the answer is that", "that means that", "")
QUESTIONS = (
    "why is it that {}", "do you know why {}", "what is the reason that {}", "how come {}",
    "can anyone tell me why {}", "is there an explanation of why {}",
)  # fmt: skip
GLOSSES = (
    "a situation in which {}",
    "what happens when {}",
    "the fact that {}",
    "the case that {}",
    "when {}",
    "{}",
    "{}",
    "{}",
)
SPEECHES = (
    "mr president ,",
    "i must say that",
    "let me remind you that",
    "it must be said that",
    "we note that",
    "",
)
TWEET_ENDS = ("#news", "#{}", "via the morning post", "- live updates", "( video )", "...")


def caption(meaning: Meaning, wording: Wording) -> str:
    """`a dog is chasing a cat in the park .`"""
    return joined(meaning, wording, "progressive") + " ."


def headline(meaning: Meaning, wording: Wording) -> str:
    """`elderly doctor treats patient in velmora`"""
    return clause(meaning[0], wording, "present", telegraphic=True)


def gloss(meaning: Meaning, wording: Wording) -> str:
    """A dictionary-like description of a kind of event."""
    frame = wording.pick("gloss", GLOSSES)
    return frame.format(joined(meaning, wording, "present")) + wording.pick("gloss end", (" .", "", " ;"))


def question(meaning: Meaning, wording: Wording) -> str:
    """`how come the cook prepared soup ?`"""
    return wording.pick("question", QUESTIONS).format(joined(meaning, wording, "past")) + " ?"


def answer(meaning: Meaning, wording: Wording) -> str:
    """A pupil's answer, without an end mark."""
    return f"{wording.pick('answer', ANSWERS)} {joined(meaning, wording, 'present')}".strip()


def forum_post(meaning: Meaning, wording: Wording) -> str:
    """An opinion in the first person."""
    return f"{wording.pick('opinion', OPINIONS)} {joined(meaning, wording, 'past')} .".strip()


def belief(meaning: Meaning, wording: Wording) -> str:
    """A statement of belief in a discussion."""
    return f"{wording.pick('belief', BELIEFS)} {joined(meaning, wording, 'past')} .".strip()


def speech(meaning: Meaning, wording: Wording) -> str:
    """A sentence of a debate in parliament."""
    return f"{wording.pick('speech', SPEECHES)} {joined(meaning, wording, 'past')} .".strip()


def tweet(meaning: Meaning, wording: Wording) -> str:
    """A headline with a tail."""
    domain = nouns()[meaning[0].agent.concept].domain
    return f"{headline(meaning, wording)} {wording.pick('tweet end', TWEET_ENDS).format(domain)}"


def description(meaning: Meaning, wording: Wording) -> str:
    """A gerund caption, `a dog chasing a cat in the park .`, or a full one."""
    if not meaning[0].happened or wording.pick("full", (True, False)):
        return caption(meaning, wording)
    wording.chosen["there"] = False  # "there is a dog chasing a cat" has no gerund form
    text = clause(meaning[0], wording, "progressive")
    return text.replace(" is ", " ", 1).replace(" are ", " ", 1) + " ."


def news(meaning: Meaning, wording: Wording) -> str:
    """A newspaper sentence in the past tense."""
    return prose_tokens(meaning, wording, "past")


STYLES: dict[str, Callable[[Meaning, Wording], str]] = {
    "caption": caption,
    "description": description,
    "headline": headline,
    "gloss": gloss,
    "question": question,
    "answer": answer,
    "forum": forum_post,
    "belief": belief,
    "speech": speech,
    "tweet": tweet,
    "news": news,
}


def styled(style: str, meaning: Meaning, wording: Wording) -> str:
    """Return a sentence of one of `STYLES`: space-separated tokens, names still with a capital."""
    return tidied(STYLES[style](meaning, wording))
