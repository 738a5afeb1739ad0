"""The page on language models has settings and commands that work, and so has examples/vicuna."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

from contrapose.settings.catalogs import LLM

HOME = Path(__file__).parents[3]
PAGES = [HOME / "docs/how-to" / f"{name}.md" for name in ("connect-a-model", "costs")]
TEXT = "".join(page.read_text(encoding="utf-8") for page in PAGES)
VICUNA = HOME / "examples" / "vicuna"
SCRIPTS = [
    *re.findall(r"^```bash\n(.*?)^```$", TEXT + (VICUNA / "README.md").read_text("utf-8"), re.M | re.S),
    *(file.read_text("utf-8") for file in sorted(VICUNA.glob("*.sbatch"))),
]
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.M | re.S)


def test_a_paid_model_of_the_hub_catalog_has_prices_with_their_date_and_a_budget():
    catalog = yaml.safe_load((HOME / "config/catalogs/hub.yaml").read_text(encoding="utf-8"))
    for settings in catalog["llms"].values():
        llm = LLM.model_validate(settings)
        paid = (llm.prompt_price, llm.completion_price, llm.prices_as_of, llm.budget)
        assert llm.key is None or all(paid)


def test_vicuna_has_one_version_everywhere():
    texts = [
        path.read_text(encoding="utf-8")
        for folder in ("docs", "config", "examples/vicuna")
        for path in (HOME / folder).rglob("*.*")
        if path.suffix in (".md", ".yaml", ".sbatch")
    ]
    named = set(re.findall(r"vicuna-13b[\w.-]*", "\n".join(texts)))
    assert named == {"vicuna-13b-v1.3", "vicuna-13b-v1.3.gguf"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_commands_are_valid_bash(script):
    checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_template_for_vicuna_writes_fastchats_prompt():
    template = (VICUNA / "vicuna.jinja").read_text("utf-8")
    # As transformers and vLLM set it up.
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

    def rendered(*turns):
        messages = [{"role": role, "content": content} for role, content in turns]
        given = {"add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>"}
        return environment.from_string(template).render(messages=messages, **given)

    system = (
        "A chat between a curious user and an artificial intelligence assistant. "
        "The assistant gives helpful, detailed, and polite answers to the user's questions."
    )
    assert rendered(("user", "Hi")) == f"<s>{system} USER: Hi ASSISTANT:"
    assert rendered(("system", "Be brief."), ("user", "Hi")) == "<s>Be brief. USER: Hi ASSISTANT:"
    talk = (("user", "Hi"), ("assistant", "Yo"), ("user", "So?"))
    assert rendered(*talk) == f"<s>{system} USER: Hi ASSISTANT: Yo</s>USER: So? ASSISTANT:"
