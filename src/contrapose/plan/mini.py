"""Rules of the mini world, whose code is the package `contrapose_mini`."""

from pathlib import Path

from contrapose.config.worlds import (
    EncoderFolder,
    LanguageModelFolder,
    MiniWorld,
    RinnaEncoder,
    RinnaLanguageModel,
)
from contrapose.jobs import MiniLanguageModelJob
from contrapose.plan.base import BasePlan


class MiniPlan(BasePlan):
    """Rules that make the mini world's data folder, its encoders and its language models."""

    def mini_world(self) -> MiniWorld:
        """Settings of the generator, at the world's scale."""
        mini = self.world.mini
        assert mini is not None
        return MiniWorld(seed=mini.seed, articles=self._scaled(mini.articles), pairs=self._scaled(mini.pairs))

    def mini_encoder(self, role: str) -> dict:
        """Which encoder of the mini world; how it is made stands beside the code that makes it."""
        return {"role": role}

    def mini_language_model(self, name: str) -> MiniLanguageModelJob:
        """Which language model of the mini world, and the instructions that one has read; likewise."""
        names = ("sentences", "questions") if name == "gpt2" else ()
        instructions = [(each, self.instructions(each)) for each in names]
        return MiniLanguageModelJob(name=name, instructions=instructions)

    @property
    def mini_encoder_roles(self) -> list[str]:
        """Roles whose encoder the mini world makes: those with a folder of their own name."""
        sources = self.world.encoders.items()
        folders = (
            (role, each.path) for role, each in sources if isinstance(each, EncoderFolder | RinnaEncoder)
        )
        own = (role for role, path in folders if path and Path(path).name == role)
        return sorted(own) if self.world.mini else []

    @property
    def mini_language_models(self) -> list[str]:
        """Names of the folders of language models that the mini world makes."""
        sources = self.world.language_models.values()
        paths = (each.path for each in sources if isinstance(each, LanguageModelFolder | RinnaLanguageModel))
        return sorted(Path(path).name for path in paths if path) if self.world.mini else []
