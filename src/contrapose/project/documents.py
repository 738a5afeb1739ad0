"""The files of `config/` whose entries are of kinds: `recipes.yaml` and each `study.yaml`."""

from typing import Literal

from pydantic import Field, model_validator

from contrapose.errors import unknown
from contrapose.pairs.kinds import PairSet
from contrapose.refs import references
from contrapose.report.kinds.union import AnyFigure, AnyTable
from contrapose.settings.corpora import Corpus, Rewrites, SyntheticTexts
from contrapose.settings.deviations import Deviation
from contrapose.settings.recipes import Detector, FineTuning, LengthProbe
from contrapose.settings.spec import Name, Spec
from contrapose.train.recipe import AnyRecipe

SECTIONS = ("synthetic", "rewrites", "pairs")  # whose entries name entries of other sections


class Recipes(Spec):
    """`config/recipes.yaml`: what studies share by name."""

    corpora: dict[Name, Corpus]
    synthetic: dict[Name, SyntheticTexts] = Field(
        {}, description="Texts that language models write for a corpus by instruction"
    )
    rewrites: dict[Name, Rewrites] = Field(
        {}, description="Sentences of a corpus with phrases of a dictionary in them"
    )
    identifiers: dict[Name, Detector] = Field({}, description="Classifiers of machine and human texts")
    fine_tunings: dict[Name, FineTuning] = Field({}, description="How encoders are fine-tuned")
    pairs: dict[Name, PairSet]
    recipes: dict[Name, AnyRecipe]
    probes: dict[Name, LengthProbe] = Field({}, description="Pairs on which length bias is measured")

    @model_validator(mode="after")
    def _known_names(self) -> "Recipes":
        """Check that each name in an entry is another entry of the file, even if no study uses it."""
        for section in SECTIONS:
            for name, entry in getattr(self, section).items():
                for key, ref, wanted in references(entry):
                    known = getattr(self, ref.registry, None)
                    if known is not None and wanted not in known:
                        raise ValueError(f"{section}.{name}.{key}: {unknown(ref.registry, wanted, known)}")
        return self


class Study(Spec):
    """`config/studies/<paper>/study.yaml`: a paper as data."""

    title: str
    source: str
    prefix: Name | Literal[""] = Field(description="Prefix of its tables' names; empty for the main study")
    tables: dict[Name, AnyTable]
    figures: dict[Name, AnyFigure] = Field({})
    deviations: list[Deviation] = Field([])
