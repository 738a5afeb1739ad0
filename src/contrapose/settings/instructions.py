"""`config/prompts/dino/*.yaml`: instructions after which a language model writes a text for a sentence."""

from pydantic import Field, model_validator

from contrapose.settings.spec import Spec

QUOTE = '"'  # encloses a sentence in an instruction; the next one ends the written text


class LabelInstruction(Spec):
    """The instruction for a label. DINO, section 3."""

    label: float = Field(ge=0, le=1, description="Similarity that the text is to have")
    relation: str = Field(min_length=1, description="Words of the frame that ask for it")
    counters: list[float] = Field(
        [], description="Labels whose instruction must not be followed instead: self-debiasing"
    )
    masked: float = Field(
        0.0, ge=0, lt=1, description="Share of the sentence's words that a chat model sees as <mask>. CLAIF"
    )


class Instructions(Spec):
    """A frame, and the instruction in it for each label."""

    frame: str = Field(
        description="With {relation} and {sentence}; ends with the text's opening quotation mark"
    )
    labels: list[LabelInstruction] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> "Instructions":
        for part in ("{relation}", "{sentence}"):
            if self.frame.count(part) != 1:
                raise ValueError(f"frame must contain {part} exactly once")
        if not self.frame.endswith(QUOTE):
            raise ValueError(f"frame must end with the quotation mark ({QUOTE}) that opens the text")
        known = [each.label for each in self.labels]
        if len(set(known)) < len(known):
            raise ValueError(f"labels must differ, but they are {known}")
        for each in self.labels:
            if wrong := [one for one in each.counters if one not in known or one == each.label]:
                raise ValueError(
                    f"counters of label {each.label:g} can name only other labels of {known}, not {wrong}"
                )
        return self

    def prompt(self, label: float, sentence: str) -> str:
        relation = next(each.relation for each in self.labels if each.label == label)
        return self.frame.replace("{relation}", relation).replace("{sentence}", sentence)
