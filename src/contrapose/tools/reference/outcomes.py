"""The page of what a language model can answer, from the tables of outcomes and refusals."""

import inspect
import re

from contrapose.generate.outcomes import OUTCOMES, Action
from contrapose.generate.parsing import Refusal
from contrapose.tools.reference.markdown import begun, rows

INTRODUCTION = """# Answers of language models

Contrapose sends a request for each sentence and stores every answer that was paid for. This page lists all
outcomes of a request, and all reasons why an answer is refused. The log of a job, `results/generate/cost.md`
and the notes of tables count them.

## Actions

Each outcome leads to one of these actions:

"""
ACTIONS = {
    Action.ACCEPT: "The answer is parsed.",
    Action.TRY: "The answer is useless, and counts as one of the attempts that `max_attempts` allows.",
    Action.RESEND: "The request is sent again after a pause. This does not use up an attempt.",
    Action.WAIT: "All requests pause, then they are sent again. This does not use up an attempt.",
    Action.READY: "While the server has not answered yet, or is failing, the request is sent again. "
    "Otherwise, the job stops.",
    Action.GIVE_UP: "The sentence gets no answer. The job continues with the others.",
    Action.STOP: "The job stops with a message. Stored answers are kept.",
}
OUTCOMES_TEXT = """
## Outcomes

The column *billed* says whether the provider charges for the request. The last column names the setting of
the [language model](configuration/catalog-language-models.md#llms-endpoint) to check if a job stops.

"""
REFUSALS_TEXT = """
## Refused answers

Contrapose removes reasoning, tokens of chat templates, code fences and JSON around the texts. The rest must
hold five different texts, and none of them may be the source sentence. Some prompts ask for one text only.
Any other answer is refused as a whole, and Contrapose requests another one. A sentence gets up to
`max_attempts` answers. If all of them are refused, the sentence is replaced by another one in corpora of kind
`sampled`, and dropped elsewhere. The column `refused` of the table
[completions](tables/generate.md#completions) has one of these codes:

"""


def page() -> str:
    """Return the page."""
    actions = "".join(f"- *{action}*: {ACTIONS[action]}\n" for action in Action)
    outcomes = [
        [f"`{one.name}`", begun(one.says), one.action, one.paid, f"`{one.setting}`" if one.setting else ""]
        for one in OUTCOMES.values()
    ]
    reasons = re.findall(r'= "(\w+)"  # (.+)', inspect.getsource(Refusal))
    assert [code for code, _ in reasons] == list(Refusal), "each code of Refusal has its reason as a comment"
    refusals = [[f"`{code}`", begun(reason)] for code, reason in reasons]
    return "".join(
        [
            *(INTRODUCTION, actions),
            *(OUTCOMES_TEXT, rows(["outcome", "meaning", "action", "billed", "setting"], outcomes), "\n"),
            *(REFUSALS_TEXT, rows(["code", "meaning"], refusals)),
        ]
    )
