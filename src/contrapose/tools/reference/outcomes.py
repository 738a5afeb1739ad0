"""The page of what a language model can answer: the outcomes of requests, and advice on each."""

from pathlib import Path

import yaml

from contrapose.generate.outcomes import OUTCOMES, Action
from contrapose.generate.parsing import Refusal
from contrapose.tools.reference.markdown import rows

ADVICE = Path(__file__).with_name("outcomes.yaml")
INTRODUCTION = """# Answers of language models

Contrapose sends a request for each sentence to a language model, and keeps every answer that was paid for.
Each request ends with one code. The code shows whether the answer is used, and if not, why not. This page
lists all codes, each with an example and what you can do.

## Where the codes are shown

- The file `results/generate/cost.md` counts requests by code, in its column *outcome*.
- The log of a job and the notes below a table count refused answers by code.
- The column `refused` of the table [completions](tables/generate.md#completions) has the code of each answer
  that was not used. It is empty for an answer that was accepted.
- `contrapose llm-cache forget LLM CODE` sends the requests of this code again in the next run.

## How a request ends

Each request takes these steps:

1. The server returns an answer, or an error. After an error, Contrapose sends the request again, gives this
   sentence up, or stops the job. The code decides, and the lists below are ordered by it.
2. Contrapose reads the answer. It removes reasoning, tokens of chat templates, code fences and JSON around
   the texts. What is left must be what the prompt requests: mostly five different texts, none of which is
   the sentence itself. Such an answer is *accepted*.
3. Any other answer is *refused* as a whole, and Contrapose requests another one. A sentence gets up to
   `max_attempts` answers, by default 3. If all are refused, corpora of kind `sampled` replace the sentence by
   another one. Other corpora lose the sentence.

A model of the catalog can have the setting
[`accept: some`](configuration/catalog-language-models.md#llms-common-keys).
Contrapose then drops the bad texts of a list and uses the others. At least two texts must be good, and at
least half of the list. Of more than five texts, the first five good ones are used. Fewer are repeated in turn
until there are five. This helps with the codes `fewer`, `more`, `copy`, `duplicate`, `blank_item`, `labels`,
`markup` and `placeholder`. It concerns only prompts for five paraphrases: with a prompt for one text, such as
a hard negative, `accept: some` changes nothing. With `accept: all`, which is the default, one bad text is
enough to refuse the answer.

The examples below are answers about this sentence:

> The mill burned down in 1911 after a storm.
"""
GROUPS = {
    Action.ACCEPT: """
## The server has answered

The code `answer` only says that an answer came back. Contrapose then reads it, and `cost.md` counts the
request as `accepted`, or under the code of a refusal. A request whose answer no table uses today is counted
as `unused`.
""",
    Action.TRY: """
## The answer is refused

The provider charges for a refused answer, and it uses up one of the `max_attempts` attempts. A few refused
answers are normal. A job stops if significantly more than half of its answers are refused, which the key
[`max_invalid_ratio`](configuration/config.md#keys-of-the-file) can change. The code `filtered` ends the
attempts at a sentence at once. After `cut` and `unsaid`, the next attempt may have twice as many tokens.

Some remedies cost money again, because a stored answer belongs to one exact request:

- **Another `temperature`, `top_p`, `max_tokens`, `extra_body`, `system` or `model`** makes new requests. The
  next run sends all requests of this model again, also those with an accepted answer, and the provider bills
  them. An edited prompt does the same for its own requests.
- **`accept: some`** sends nothing for sentences that have answers. Contrapose reads the stored answers again.
  It then builds the pair sets that use them anew, and trains these methods again.
- **`contrapose llm-cache forget LLM CODE`** lets the next run request only refused answers again, with the
  same settings. Sentences with an accepted answer keep it. With `temperature: 0` or `send_seed: true`, the
  same answer is likely to come back, and is billed again.

Two pieces of advice hold for every code of this list. Read some refused answers in the column `answer` of
the table [completions](tables/generate.md#completions). Then try another prompt or model
with `contrapose preview`, which sends only 200 sentences.
""",
    Action.GIVE_UP: """
## The sentence gets no answer

The job continues with the other sentences. This sentence is replaced or dropped, as after refused answers.
""",
    Action.RESEND: """
## Contrapose sends the request again

Contrapose waits a moment and sends the same request again. This uses up no attempt. The job stops if the
server gives no answer at all for `no_response_timeout` seconds. You need not do anything unless this
happens. The column *billed* shows whether the provider charges for the failed request.
""",
    Action.STOP: """
## The job stops

The job stops with a message, because each further request would fail in the same way. The answers so far are
kept. Correct the cause and run the same command again. The column *setting* names the key of the
[language model](configuration/catalog-language-models.md#llms-endpoint) to check.
""",
}
ALSO = {Action.WAIT: Action.RESEND, Action.READY: Action.STOP}  # listed in the group of another action
AS_REFUSED = ("filtered",)  # gives a sentence up, but is an answer


def page() -> str:
    """Return the page."""
    advice = yaml.safe_load(ADVICE.read_text(encoding="utf-8"))
    known = {*OUTCOMES, *Refusal}
    assert {*advice} == known, f"outcomes.yaml and the code differ: {sorted({*advice} ^ known)}"
    parts = [INTRODUCTION]
    for action, text in GROUPS.items():
        codes = [name for name in advice if _group(name) is action]
        further = {Action.RESEND: "billed", Action.STOP: "setting"}.get(action)
        header = ["code", "meaning", "example", *([further] if further else []), "what you can do"]
        parts += [text, "\n", rows(header, (_cells(name, advice[name], further) for name in codes)), "\n"]
    return "".join(parts)


def _group(name: str) -> Action:
    """Return the action under which a code is listed; codes of refusals are those of useless answers."""
    if name not in OUTCOMES or name in AS_REFUSED:
        return Action.TRY
    action = OUTCOMES[name].action
    return ALSO.get(action, action)


def _cells(name: str, advice: dict[str, str], further: str | None) -> list[str]:
    outcome = OUTCOMES.get(name)
    cells = {
        "billed": outcome.paid if outcome else "",
        "setting": f"`{outcome.setting}`" if outcome and outcome.setting else "",
    }
    told = [cells[further]] if further else []
    return [f"`{name}`", advice["meaning"], advice["example"], *told, advice["do"]]
