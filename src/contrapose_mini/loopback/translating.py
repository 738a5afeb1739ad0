"""What the imagined translator answers: the facts of a Chinese sentence in English, or a mess."""

from collections.abc import Sequence

from contrapose.seeds import generator
from contrapose_mini.facts import chance, choice
from contrapose_mini.loopback.personas import Answer, fault_of
from contrapose_mini.loopback.rewriting import Knowledge
from contrapose_mini.styles import question
from contrapose_mini.wording import T, Wording, tidied, untokenised

TRANSLATOR = "translator"  # its name as a model
HABIT = 0.9  # ours: chance of its usual word or construction
HOPELESS = 0.004  # sentences that no seed makes it translate
# Ours.  Chances of an answer that is no translation, and of decoration around one.
FAULTS = {"refusal": 0.01, "left in Chinese": 0.015, "empty": 0.005, "cut": 0.01, "explained": 0.01}
QUOTED, LABELLED = 0.06, 0.08
LABELS = ("Translation: {}", "English: {}", "Sure! Here is the translation:\n\n{}", "**Translation:** {}")
REFUSALS = (
    "I'm sorry, but as an AI language model I cannot translate this sentence.",
    "I'm sorry, I am not able to translate this without more context.",
)
REMARK = "\n\nNote: the subject of the Chinese sentence is implied."


class Habitual(Wording):
    """Mostly the same English for the same thing, as translators have it, whatever the Chinese words were."""

    def _draw(self, what: str, options: Sequence[T]) -> T:
        rng = generator("loopback", TRANSLATOR, what) if chance(self.rng, HABIT) else self.rng
        return choice(rng, options)


def translation(knowledge: Knowledge, prompt: str, *request: str | int) -> Answer:
    """Answer a prompt whose last line is a Chinese sentence.

    Parameters
    ----------
    knowledge : Knowledge
        With the sentences that can be asked about; any other one is refused.
    prompt : str
        The text of the last message of the user.
    request : str or int
        Everything else the answer may depend on; the same request has the same answer.
    """
    source = prompt.strip().rpartition("\n")[2]
    known = knowledge.find(source)
    if known is None or chance(generator("loopback", TRANSLATOR, "hopeless", source), HOPELESS):
        return Answer(REFUSALS[1], cut=False)
    rng = generator("loopback", TRANSLATOR, prompt, *request)
    fault = fault_of(rng, FAULTS)
    if fault == "refusal":
        return Answer(choice(rng, REFUSALS), cut=False)
    if fault == "empty":
        return Answer("", cut=False)
    text = untokenised(tidied(question(known.meaning, Habitual(rng))))
    if fault == "left in Chinese":
        return Answer(f"{text.rstrip('?')}{source[-3:]}", cut=False)
    if fault == "cut":
        return Answer(text[: len(text) // 2], cut=True)
    if fault == "explained":
        return Answer(text + REMARK, cut=False)
    text = f'"{text}"' if chance(rng, QUOTED) else text
    return Answer(choice(rng, LABELS).format(text) if chance(rng, LABELLED) else text, cut=False)
