"""Four endpoints of 2026, as scripts: each refuses what the real one is documented or reported to refuse.

- OpenAI, GPT-5 and later: developers.openai.com, guides/latest-model (parameter compatibility); the wording
  of errors from johny-b/llmcomp#69, chatboxai/chatbox#2627, crystal-autobot/autobot#40.
- Claude's compatible address: platform.claude.com, models/haiku-5-5/migration-guide; sipeed/picoclaw#2939.
- vLLM: docs.vllm.ai, features/reasoning_outputs; vllm-project/vllm#20409.
- Ollama: docs.ollama.com, api/openai-compatibility; nashsu/llm_wiki#348.
"""

from collections.abc import Callable

from tests.unit.generate.scripted_endpoint import Say, body, five

WINDOW = 2048  # of the vLLM server
REASONING = 580  # tokens that each model takes before it answers, unless it is told not to
WRITTEN = 100  # tokens of the answer


def answered(request: dict, limit: int, reasons: bool) -> Say:
    """Answer within the limit; reasoning comes first and counts."""
    needed = WRITTEN + (REASONING if reasons else 0)
    text = five(request["messages"][-1]["content"]) if needed <= limit else ""
    usage = {"prompt_tokens": 30, "completion_tokens": min(needed, limit)}
    usage["total_tokens"] = sum(usage.values())
    reasoning = min(REASONING, limit) if reasons else 0
    details = {"completion_tokens_details": {"reasoning_tokens": reasoning}}
    return Say(content=body(text, "stop" if text else "length") | {"usage": {**usage, **details}})


def refused(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> Say:
    return Say(
        status, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}
    )


def openai(request: dict, count: int) -> Say:
    for field, hint in (("max_tokens", " Use 'max_completion_tokens' instead."), ("top_p", "")):
        if field in request:
            message = f"Unsupported parameter: '{field}' is not supported with this model.{hint}"
            return refused(message, field, "unsupported_parameter")
    if request.get("temperature", 1) != 1:
        message = "Unsupported value: 'temperature' does not support this value with this model."
        return refused(
            f"{message} Only the default (1) value is supported.", "temperature", "unsupported_value"
        )
    for field in sorted(
        request.keys() - {"model", "messages", "temperature", "max_completion_tokens", "seed"}
    ):
        if field != "reasoning_effort":
            return refused(f"Unrecognized request argument supplied: {field}")
    return answered(request, request["max_completion_tokens"], request.get("reasoning_effort") != "none")


def claude(request: dict, count: int) -> Say:
    for field in ("temperature", "top_p"):
        if field in request:
            return refused(f"`{field}` is deprecated for this model.", code="invalid_request_error")
    limit = request.get("max_tokens") or request["max_completion_tokens"]
    return answered(request, limit, request.get("thinking") != {"type": "disabled"})


def vllm(request: dict, count: int) -> Say:
    limit = request.get("max_completion_tokens") or request["max_tokens"]
    if limit + 30 > WINDOW:
        return refused(
            f"This model's maximum context length is {WINDOW} tokens. However, you requested more."
        )
    if not 0 < request.get("top_p", 1) <= 1:
        return refused("top_p must be in (0, 1].")
    thinks = request.get("chat_template_kwargs", {}).get("enable_thinking", True)
    return answered(request, limit, thinks)


def ollama(request: dict, count: int) -> Say:
    if request["model"] != "qwen3:8b":
        return refused(f"model '{request['model']}' not found", code="model_not_found", status=404)
    effort = request.get("reasoning_effort", "medium")
    if effort not in ("none", "low", "medium", "high"):
        return refused(f"invalid reasoning value: '{effort}'")
    return answered(request, request.get("max_tokens", 10**6), effort != "none")


MODES: dict[str, Callable[[dict, int], Say]] = {
    "gpt": openai,
    "claude": claude,
    "vllm": vllm,
    "ollama": ollama,
}
