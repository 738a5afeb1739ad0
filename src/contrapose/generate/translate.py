"""Ask a language model for a translation of every sentence of one shard."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import pandas as pd

from contrapose.errors import ConfigError
from contrapose.generate.jobs import AskingJob
from contrapose.generate.llm import Ask, Completions
from contrapose.steps import Rows, Shard, planned
from contrapose.tables import TRANSLATIONS
from contrapose.tasks import UNTRANSLATED

if TYPE_CHECKING:
    from contrapose.project import Project


class TranslationRequests(AskingJob):
    """What is asked."""

    @classmethod
    @planned
    def of(cls, project: "Project", llm: str, **shard: str) -> AskingJob:
        translator = project.world.translator
        if getattr(translator, "llm", None) != llm:
            raise ConfigError(
                f"llms.{llm} is not the translator of the world '{project.world_name}'. Name it: "
                f"translator: {{kind: llm, llm: {llm}}}."
            )
        return project.asking.translations()


class Translated(NamedTuple):
    """Translations, and the answers that they were read from."""

    translations: Annotated[pd.DataFrame, Rows(TRANSLATIONS)]
    completions: Completions


def build(spec: TranslationRequests, sentences: list[str], ask: Ask, shard: Shard) -> Translated:
    """Ask about the sentences of a shard."""
    from contrapose.generate.chat_texts import translate_shard
    from contrapose.generate.tries import read_shard

    own = read_shard(sentences[0], *shard)
    done = ask(
        lambda client: translate_shard(own, spec, client),
        corpus=UNTRANSLATED,
        prompt=spec.prompt,
        shard="{}-of-{}".format(*shard),
    )
    return Translated(*done)
