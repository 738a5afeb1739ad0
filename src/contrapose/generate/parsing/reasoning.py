"""Cut what a model thinks before it answers, and the tokens that chat templates put around a turn.

Every pattern looks a bounded number of characters ahead, so that megabytes of a repeated tag take seconds.
"""

import re

from contrapose.generate.parsing.refusals import Refusal, refuse_if

# `<think>`, `[THINK]` (Mistral), `◁think▷` (Kimi), `<mm:think>` (MiniMax), `<seed:think>` (ByteDance),
# `<|START_THINKING|>` (Cohere), `<|begin_of_thought|>` (OpenThoughts), `<scratchpad>` and the like.
TAG = re.compile(
    r"[<\[◁][|｜]?(?=[/a-z])(?P<place>/|(?:begin|start|end)_(?:of_)?|)(?:[a-z]{1,12}:)?"
    r"(?P<name>(?:ant|[a-z]{1,12}_)?(?:think(?:ing)?|thoughts?|monologue)|thought_process|reason(?:ing)?"
    r"|analysis|reflection|scratchpad)(?:\s[^<>\[\]\n]{0,80})?[|｜]?[>\]▷]",
    re.I,
)
CLOSING = ("/", "end")
# What other models and servers write in place of these tags: Gemma 4, MedGemma, Apriel.
OTHER_TAGS = {
    "<|channel>thought": "<think>",
    "<channel|>": "</think>",
    "<unused94>thought": "<think>",
    "<unused95>": "</think>",
    "[BEGIN FINAL RESPONSE]": "</think>",
    "[END FINAL RESPONSE]": "",
}
# Ollama's command line, and servers built on it.
THINKING = re.compile(r"\A\s{0,9}Thinking\.\.\.(?=\s)")
DONE_THINKING = "...done thinking."
# gpt-oss gives its turn in channels, of which `final` is the answer.  OpenAI's harmony response format
CHANNEL = re.compile(
    r"<\|channel\|>\s{0,9}(?P<name>\w{1,20})[^<]{0,60}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>"
)
# The same from a server that leaves its special tokens out: `analysisThey want ...assistantfinalIt rained.`
BARE_CHANNEL = re.compile(
    r"\A\s{0,9}(?P<first>(?:analysis|commentary)(?=\w)|final(?=[A-Z]))|assistant(?P<name>analysis|commentary|final)"
)
FINAL = "final"
# Where a model was told to put its answer, or has learnt to: DeepSeek-R1-Zero, Granite, Hunyuan.
WRAPPER = re.compile(r"<(?P<end>/?)(?P<name>answer|final_answer|final|output|response|solution)>", re.I)
ROLE = r"(?:(?:assistant|model)(?=\s*(?:\n|<)))?"
START_TOKENS = re.compile(
    r"(?:\s*(?:<s>|<bos>|\[/INST\]|<start_of_turn>|<\|message\|>|<\|end_(?:header_id|of_role)\|>"
    rf"|<[|｜](?:im_start|start|begin|bos|assistant|chatbot)[\w▁]{{0,30}}[|｜]>){ROLE})+",
    re.I,
)
END_TOKEN = re.compile(
    r"(?=[<\[][/a-z|｜])(?:</s>|<eos>|<pad>|<turn\|>|<end_of_(?:turn|text|utterance)>|\[/INST\]|\[\|endofturn\|\]"
    r"|<[|｜](?:end|eot|eom|eos|im_|start|return|call|user|assistant|system)[\w▁]{0,30}[|｜]>)",
    re.I,
)


def without_reasoning(text: str, source: str) -> str:
    """Return an answer without the reasoning before it, in whatever form a server leaves it in the text.

    Reasoning that has no end is refused, as is a second end of what has no beginning.
    """
    for other, tag in OTHER_TAGS.items():
        text = text.replace(other, tag)
    if THINKING.match(text):
        text = THINKING.sub("<think>", text).replace(DONE_THINKING, "</think>", 1)
    if "<|channel|>" in text:
        text = _last_channel(CHANNEL, text)
    text = _without_tags(text)
    if "assistant" in text or text.lstrip()[:1] in "acf":
        text = text if BARE_CHANNEL.search(source) else _last_channel(BARE_CHANNEL, text)
    return text


def without_tokens(text: str, source: str) -> str:
    """Return an answer without the tokens around its turn, and without tags such as `<answer>` around it all.

    More text after the end of the turn is refused.
    """
    if "<" not in text and "[" not in text:
        return text
    begin = START_TOKENS.match(text)
    text, *rest = END_TOKEN.split(text[begin.end() :] if begin else text)
    refuse_if(any(part.strip() for part in rest), Refusal.TURNS)
    tags = [*WRAPPER.finditer(text)]
    if len(tags) == 2 and not WRAPPER.search(source) and not text[tags[1].end() :].strip():
        first, last = tags
        if not first["end"] and last["end"] and first["name"].lower() == last["name"].lower():
            return text[first.end() : last.start()]
    return text


def _last_channel(pattern: re.Pattern[str], text: str) -> str:
    """Return the text of the last channel, which has to be that of the answer."""
    channels = [*pattern.finditer(text)]
    refuse_if(channels and channels[-1][channels[-1].lastgroup or 0] != FINAL, Refusal.THINKING)
    return text[channels[-1].end() :] if channels else text


def _without_tags(text: str) -> str:
    kept, at, begun, ends = list[str](), 0, "", 0  # `begun`: the name of the tag that is open
    for tag in TAG.finditer(text):
        closes, name = tag["place"].lower().startswith(CLOSING), tag["name"].lower()
        if closes and begun == name:
            kept.append("\n")
            at, begun = tag.end(), ""
        elif closes and not begun:
            # Some chat templates open the block in the prompt, so that the answer has only the closing tag.
            kept, at, ends = [], tag.end(), ends + 1
        elif not closes and not begun:
            kept.append(text[at : tag.start()])
            begun = name
    refuse_if(begun or ends > 1, Refusal.THINKING)
    return "".join(kept) + text[at:] if at else text
