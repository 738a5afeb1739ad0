"""What the settings of all rules have in common."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from contrapose.config.main import Config
from contrapose.config.spec import Spec
from contrapose.config.worlds import (
    EncoderHub,
)
from contrapose.errors import ConfigError
from contrapose.fingerprint import canonical, code_digest, digest
from contrapose.ids import named
from contrapose.project import Project, checked_encoder_folder, encoder_files

S = TypeVar("S", bound=Spec)


# Rules that run another rule's script.
SHARED_SCRIPTS = {
    "report_transfer_table": "report/sts_table.py",
    "retrieve_collection": "retrieve/articles.py",
    "report_fine_tuned_table": "report/sts_table.py",
}


def without_note(source: S) -> S:
    """Return where something is without the words about it, which change no result."""
    return source.model_copy(update={"note": ""})


def seed_of(text: str) -> int:
    """Read the seed in the name of a run, which has one way to be written."""
    if text != str(int(text)):
        raise ConfigError(f"seed '{text}' is written '{int(text)}'. Use that.")
    return int(text)


class BasePlan(Project):
    """A project with what every stage asks of it: canonical settings, digests of code, files of encoders."""

    # Whether forecasts leave aside what is built or fetched: they then open no table and no cache.
    from_nothing = False

    def settings(self, rule: str, wildcards: Mapping[str, str]) -> str:
        """Return the canonical settings of a rule: what it alone uses, and nothing that cannot change it."""
        return canonical(getattr(self, rule)(**wildcards))

    def code(self, rule: str, wildcards: Mapping[str, str]) -> str:
        """Return the digest of a rule's script and of all package code that it reaches."""
        script = SHARED_SCRIPTS.get(rule, f"{rule.replace('_', '/', 1)}.py")
        return code_digest(
            self.home / "workflow" / "scripts" / script, self.home / "src", self.servers(rule, wildcards)
        )

    def servers(self, rule: str, wildcards: Mapping[str, str]) -> tuple[str, ...]:
        """Return the modules that serve what a job of a rule asks: only settings name them."""
        return ()

    def fingerprint(self, rule: str, wildcards: Mapping[str, str]) -> str:
        """Return one digest of a rule's settings and code: names what belongs to just this work."""
        return digest(self.settings(rule, wildcards), self.code(rule, wildcards))

    def plan(self) -> Config:
        """What all of it will take depends on everything that a person sets."""
        return self.config

    def _scaled(self, count: int) -> int:
        return max(1, round(count * self.world.scale))

    def _hub_encoder(self, role: str) -> EncoderHub | None:
        source = self.encoder(role)
        return EncoderHub(model=source.hub, revision=source.revision) if source.hub else None

    def encoder_inputs(self, recipe: str) -> list[str] | str:
        """Return the files of the encoder that a recipe starts from; none for a model of the hub."""
        role = self.recipe(recipe).encoder
        self.check_trainable(role)
        return self.role_inputs(role)

    def role_inputs(self, role: str) -> list[str] | str:
        """Return the files of the encoder of a role, none for a model of the hub; or what a job makes."""
        encoder = self.encoder(role)
        if encoder.made:
            return encoder.made
        return encoder_files(encoder.folder) if encoder.folder else []

    def tables_of_kind(self, kind: str) -> list[str]:
        """Return the names of the tables of one kind."""
        return [name for name, (_, table) in self.tables.items() if table.kind == kind]

    def figure_inputs(self, figure: str) -> list[str]:
        """Return nothing for a figure that there is; name those that there are for another one."""
        named(self.figures, figure, "figures of the studies")
        return []

    def figures_of_kind(self, kind: str) -> list[str]:
        """Return the names of the figures of one kind."""
        return [name for name, (_, figure) in self.figures.items() if figure.kind == kind]

    def scored_encoder_inputs(self) -> list[str]:
        """Return the files of the folder that `results/tables/score.csv` scores."""
        if self.config.encoder is None:
            raise ConfigError("encoder is not set. Say which folder to score: --config encoder=FOLDER")
        return encoder_files(checked_encoder_folder(Path(self.config.encoder).expanduser(), "encoder"))
