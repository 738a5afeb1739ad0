"""Rules of the workflow, by `workflow/resources.yaml`: what each uses of the catalog, does and asks for."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS
from contrapose.jobs.step import OF_PAIRS
from contrapose.project.documents import Catalog
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec, validated
from contrapose.settings.yaml_files import read_yaml

SUITES = "suites"  # stands for the test sets of a suite, as a section of the catalog would
ENTRIES: Mapping[str, Callable[[Any, str], Any]] = {  # that wildcards name
    "corpus": lambda project, name: project.corpus(name),
    "detector": lambda project, name: project.entry("identifiers", name),
    "recipe": lambda project, name: project.recipe(name),
    "rewrites": lambda project, name: project.entry("rewrites", name),
    "task": lambda project, name: TASKS[name],  # type: ignore[index]
    "texts": lambda project, name: project.entry("synthetic", name),
    "translator": lambda project, name: project.entry("back_translators", name),
}
FIELD = re.compile(r"{(\w+)(?:\.(\w+))?}")
USES = re.compile(rf"(?P<section>\w+|{{section}})(?:\.(?P<name>[\w-]+|{FIELD.pattern}))?")

# What a model behind an endpoint is asked for.
Asked = Literal[
    "paraphrases",
    "replacements",  # of sentences without paraphrases
    "sentences",
    "translations",
    "backtranslations",
    "texts",
    "judgements",
    "vectors",
]
WorkKind = Literal[
    "training", "pretraining", "fine_tuning", "detection", "evaluation", "paraphrases", "pair_encoding",
    "cross_encoding", "neighbours", "reranking", "writing", "queries", "entailments", "masked_words",
    "perplexities",
]  # fmt: skip


class Need(NamedTuple):
    """An entry of the catalog."""

    section: str  # `suites`: the test sets of one
    name: str = ""  # empty: the section is one entry

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}" if self.name else self.section

    def source(self, project: Plan) -> Any:
        section = getattr(project.catalog, self.section)
        return section[self.name] if self.name else section


class PerMB(Spec):
    """What a job asks for on top for each MB of its input files."""

    mem_mb: float = Field(0.0, ge=0)
    runtime: float = Field(0.0, ge=0)


class RuleRow(Spec):
    """What the jobs of a rule use and do, and what they ask for at their first attempt."""

    uses: str = Field("", description="The entry of the catalog: SECTION.NAME, names with wildcards")
    asks: Asked | None = Field(None, description="What it asks a model behind an endpoint for")
    work: WorkKind | None = Field(None, description="How the operations of its model are estimated")
    processes: bool = Field(False, description="It may run in several processes")
    mem_mb: int = Field(ge=1, description="Memory of the host")
    runtime: int = Field(ge=1, description="Minutes")
    per_mb: PerMB = PerMB()
    model: bool = Field(False, description="It runs an encoder or a language model, so it asks for a GPU")
    cpu_runtime: int | None = Field(None, ge=1, description="Minutes of a model without a GPU")
    hub_mb: float = Field(0.0, ge=0, description="Of a model of the hub, which is no input file")
    resumes: bool = Field(False, description="The next attempt continues, so none asks for more than a day")

    @field_validator("uses")
    @classmethod
    def _is_an_entry(cls, text: str) -> str:
        parts = USES.fullmatch(text)
        if text and not parts:
            raise ValueError(
                "expected SECTION.NAME of the catalog. NAME can contain wildcards of the rule, such "
                "as {scorer}, and keys of the entry that a wildcard names, such as {recipe.encoder}"
            )
        if parts and parts["section"] not in {*Catalog.model_fields, SUITES, "{section}"}:
            known = ", ".join(sorted({*Catalog.model_fields, SUITES}))
            raise ValueError(f"the catalog has no section '{parts['section']}'. Known: {known}")
        for wildcard, key in FIELD.findall(text):
            if key and wildcard not in ENTRIES:
                known = ", ".join(ENTRIES)
                raise ValueError(
                    f"the wildcard '{wildcard}' does not name an entry with keys. Wildcards that do: {known}"
                )
        return text

    def used(self, project: Plan, wildcards: Mapping[str, str]) -> Need:
        """Return the entry that a job uses; raise ConfigError if its row does not say which."""
        if not self.uses:
            raise ConfigError(
                f"workflow/resources.yaml: a rule with the wildcards {', '.join(wildcards) or 'none'} "
                "runs a model, but its row has no `uses`. Name the catalog entry of the model, for "
                'example uses: "encoders.{scorer}".'
            )

        def value(field: re.Match[str]) -> str:
            wildcard, key = field.groups()
            name = wildcards[wildcard]
            return getattr(ENTRIES[wildcard](project, name), key) if key else name

        section, _, name = self.uses.partition(".")
        return Need(FIELD.sub(value, section), FIELD.sub(value, name))


LOCAL = RuleRow(mem_mb=1, runtime=1)  # of a rule without a row, which no cluster runs


class Rules(dict[str, RuleRow]):
    """The rows, by the name of their rule, or by that of a stage, for its rules that have none."""

    def find(self, rule: str) -> RuleRow | None:
        """Return the row of a rule, of the one that does the same for answers, or of its stage."""
        rule = rule.removesuffix(OF_PAIRS)
        return self.get(rule) or self.get(rule.partition("_")[0])

    def of(self, rule: str) -> RuleRow:
        return self.find(rule) or LOCAL


def read_rules(path: Path) -> Rules:
    """Read `workflow/resources.yaml`.

    Raises ConfigError if it is not a mapping of rules, or a row has an unknown key or a wrong value.
    """
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise ConfigError(
            f"{path}: the file contains a {type(content).__name__}, but a mapping with one row per rule "
            "is expected."
        )
    return Rules({rule: validated(RuleRow, row, f"{path}: {rule}") for rule, row in content.items()})
