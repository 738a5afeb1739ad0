"""Ask a language model for a translation of every sentence of one shard."""

from typing import Annotated

from contrapose.errors import ConfigError
from contrapose.generate.jobs import AskingJob
from contrapose.generate.llm import Ask
from contrapose.steps import Outputs, Project, Shard, planned
from contrapose.tables import COMPLETIONS, TRANSLATIONS
from contrapose.tasks import UNTRANSLATED


@planned
def plan(project: Project, llm: str, **shard: str) -> AskingJob:
    translator = project.world.translator
    if getattr(translator, "llm", None) != llm:
        raise ConfigError(
            f"llms.{llm} is not the translator of the world '{project.world_name}'. Name it: "
            f"translator: {{kind: llm, llm: {llm}}}."
        )
    return project.asking.translations()


def build(
    spec: AskingJob, sentences: list[str], ask: Ask, shard: Shard
) -> Annotated[tuple, Outputs(translations=TRANSLATIONS, completions=COMPLETIONS)]:
    """Ask about the sentences of a shard."""
    from contrapose.generate.chat_texts import translate_shard
    from contrapose.generate.tries import read_shard

    own = read_shard(sentences[0], *shard)
    return ask(
        lambda client: translate_shard(own, spec, client),
        corpus=UNTRANSLATED,
        prompt=spec.prompt,
        shard="{}-of-{}".format(*shard),
    )
