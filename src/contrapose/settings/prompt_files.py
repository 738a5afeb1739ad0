"""`config/prompts/*.yaml` and `*.txt`: what a language model is asked about a sentence, or for sentences."""

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from contrapose.settings.spec import Spec

VERSIONS = 5  # paraphrases in an answer.  Thesis, section 3.2
# The parser accepts exactly five paraphrases, so a prompt for five has to ask for five.
FIVE = re.compile(r"\b(?:5|five)\b", re.I)
AskedFor = Literal["paraphrases", "paraphrase", "negative", "triplet", "sentences"]
Choices = dict[str, Annotated[list[str], Field(min_length=1)]]  # words by placeholder


class PromptExample(Spec):
    """A sentence, and a good answer about it: two turns before the question. Brown et al. 2020."""

    sentence: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class Prompt(Spec):
    """What is asked about a sentence: one instruction, or a pool of them as SynCSE has, and examples."""

    one_of: list[str] = Field(min_length=1, description="Instructions; each sentence draws one")
    frame: str = Field(
        "{instruction}",
        description="What is around each, with {instruction}; it or the instructions hold {sentence} once",
    )
    answer: AskedFor | None = Field(
        None,
        description="What an answer is: five paraphrases, one paraphrase, a hard negative, a triplet in "
        "JSON, or sentences. null: five paraphrases if the instructions say 5 or five, else a hard negative",
    )
    choices: Choices = Field({}, description="Words for further {placeholders}; a request draws one of each")
    answer_tokens: int | None = Field(
        None, ge=1, description="Tokens of an answer, for estimates; null: as the sentence tells"
    )
    examples: list[PromptExample] = Field([], description="Put before the sentence, as turns of their own")

    @model_validator(mode="after")
    def _of_one_kind(self) -> "Prompt":
        if "{instruction}" not in self.frame:
            raise ValueError(
                "frame has no {instruction}, which marks the place of the instructions of one_of"
            )
        for each in self.choices:
            if not any(f"{{{each}}}" in text for text in self.texts):
                raise ValueError(f"choices: no instruction contains {{{each}}}")
        if self.answer is None and len({bool(FIVE.search(each)) for each in self.texts}) > 1:
            raise ValueError("some instructions of one_of contain 5 or five, and some do not. Set `answer`")
        return self

    @property
    def texts(self) -> list[str]:
        return [self.frame.replace("{instruction}", each) for each in self.one_of]

    @property
    def asked_for(self) -> AskedFor:
        return self.answer or ("paraphrases" if FIVE.search(self.texts[0]) else "negative")
