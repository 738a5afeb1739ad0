"""What names and ids stand for."""

from functools import cached_property
from typing import Any

from contrapose.config.corpora import Corpus, PublishedCorpus, Rewrites, SampledCorpus, SyntheticTexts
from contrapose.config.figures import Figure
from contrapose.config.pairs import (
    DictionaryPairs,
    DinoPairs,
    HeldOutPairs,
    PairSet,
    ReweightedPairs,
    TriplePairs,
)
from contrapose.config.printed import PrintedTable
from contrapose.config.recipes import (
    AnyRecipe,
    ContrastiveTensionRecipe,
    FineTuning,
    Identifier,
    LengthProbe,
    Recipe,
)
from contrapose.config.worlds import (
    LLM,
    SentenceSource,
    TripleSource,
)
from contrapose.errors import ConfigError
from contrapose.generate.endpoint import base_url, serving_module
from contrapose.ids import SEPARATOR, canonical_id, named, resolved
from contrapose.project.files import SettingsFiles

FIRST_SEED = 42  # SimCSE's default seed; further seeds count up from it (methods 1.4)


class Entries(SettingsFiles):
    """A project's settings by name and id."""

    @property
    def seeds(self) -> list[int]:
        """Training seeds of every run."""
        return [FIRST_SEED + number for number in range(self.config.seeds)]

    @cached_property
    def tables(self) -> dict[str, tuple[str, PrintedTable]]:
        """Table name: (study, table).  A study's prefix keeps its names apart from another's."""
        return self._prefixed("tables")

    @cached_property
    def figures(self) -> dict[str, tuple[str, Figure]]:
        """Figure name: (study, figure), named like tables."""
        return self._prefixed("figures")

    def _prefixed(self, what: str) -> dict[str, tuple[str, Any]]:
        found: dict[str, tuple[str, Any]] = {}
        for study, settings in self.studies.items():
            for name, entry in getattr(settings, what).items():
                first, _ = found.setdefault(settings.prefix + name, (study, entry))
                if first != study:
                    raise ConfigError(
                        f"{what} of the studies: '{settings.prefix + name}' is in both {first} and {study}. "
                        f"Give config/studies/{study}/study.yaml a prefix of its own."
                    )
        return found

    def corpus(self, name: str) -> Corpus:
        """Return a corpus by name."""
        return named(self.recipes.corpora, name, "corpora")

    def sampled_corpus(self, name: str) -> SampledCorpus:
        """Return a corpus that is sampled from articles, by name.

        Raises
        ------
        ConfigError
            It is a published one.  A language model cannot be asked about it: a sentence without
            paraphrases is replaced by another one, drawn from the articles in the same way.
        """
        corpus = self.corpus(name)
        if not isinstance(corpus, SampledCorpus):
            known = [each for each, other in self.recipes.corpora.items() if other.kind == "sampled"]
            raise ConfigError(
                f"corpora.{name}: is published, so no sentence can be drawn in the place of one that cannot "
                f"be paraphrased. Use a sampled corpus: {', '.join(known)}."
            )
        return corpus

    def published_corpus(self, name: str) -> PublishedCorpus:
        """Return a corpus that somebody published, by name."""
        corpus = self.corpus(name)
        assert isinstance(corpus, PublishedCorpus)  # the rule takes no other name
        return corpus

    def sentence_source(self, name: str) -> SentenceSource:
        """Return where a published corpus is in this world."""
        return named(self.world.sentence_files, name, "sentence_files of the world")

    def triple_source(self, name: str) -> TripleSource:
        """Return where published NLI triples are in this world."""
        return named(self.world.triple_files, name, "triple_files of the world")

    def sentences(self, corpus: str) -> int | None:
        """Return how many sentences a corpus has in this world; None for every line of a published one."""
        size = self.corpus(corpus).size
        return None if size is None else self.size(size)

    def size(self, name: str) -> int:
        """Return what a size means in this world, in sentences."""
        return max(1, round(named(self.world.sizes, name, "sizes of the world") * self.world.scale))

    def pairs(self, identifier: str) -> PairSet:
        """Return a pair set by its canonical id."""
        return resolved(identifier, self.recipes.pairs)

    def pairs_id(self, identifier: str) -> str:
        """Return the canonical id of a pair set: one way to write it, so that two tables share it."""
        return canonical_id(identifier, self.recipes.pairs)

    def synthetic(self, name: str) -> SyntheticTexts:
        """Return what a language model writes for a corpus, by name."""
        return named(self.recipes.synthetic, name, "synthetic texts")

    def identifier(self, name: str) -> Identifier:
        """Return a classifier of machine and human texts by name, with this world's learning rate."""
        identifier = named(self.recipes.identifiers, name, "identifiers")
        return identifier.model_copy(update={"learning_rate": self._scaled_rate(identifier.learning_rate)})

    def fine_tuning(self, name: str) -> FineTuning:
        """Return how encoders are fine-tuned by name, with this world's learning rate."""
        settings = named(self.recipes.fine_tunings, name, "fine_tunings")
        return settings.model_copy(update={"learning_rate": self._scaled_rate(settings.learning_rate)})

    def rewrites(self, name: str) -> Rewrites:
        """Return what sentences are rewritten with a dictionary, by name."""
        return named(self.recipes.rewrites, name, "rewrites")

    def _scaled_rate(self, learning_rate: float) -> float:
        # Rounded, so that the product of two decimals has no stray digits.
        return float(f"{learning_rate * self.world.training.learning_rate:.12g}")

    def dino_pairs(self, name: str) -> DinoPairs:
        """Return a pair set of synthetic texts by name.

        Raises
        ------
        ConfigError
            It is of another kind.
        """
        pairs = named(self.recipes.pairs, name, "pairs")
        if not isinstance(pairs, DinoPairs):
            known = [each for each, other in self.recipes.pairs.items() if other.kind == "dino"]
            raise ConfigError(
                f"pairs.{name}: is of kind {pairs.kind}. Name one of kind dino: {', '.join(known) or 'none'}."
            )
        return pairs

    def dino_pairs_of(self, pairs: PairSet) -> DinoPairs | None:
        """Return the pairs of synthetic texts that a pair set is, or reweights; None for any other."""
        if isinstance(pairs, ReweightedPairs):
            return self.dino_pairs(pairs.of)
        return pairs if isinstance(pairs, DinoPairs) else None

    def own_dev(self, pairs: str) -> str:
        """Return the pair set on which a training on another one selects its checkpoint.

        Of pairs that are held out it is the same id with `part=dev`, and without a size: one for all sizes.

        Raises
        ------
        ConfigError
            The pair set has none.
        """
        spec = self.pairs(pairs)
        if isinstance(spec, HeldOutPairs) and spec.held_out is not None:
            name, *overrides = pairs.split(SEPARATOR)
            same = (each for each in overrides if not each.startswith("size="))
            return canonical_id(SEPARATOR.join([name, *same, "part=dev"]), self.recipes.pairs)
        synthetic = self.dino_pairs_of(spec)
        if synthetic is None or synthetic.dev is None:
            raise ConfigError(
                f"pairs '{pairs}' has no dev pairs of its own, on which a recipe with dev: pairs selects its "
                "checkpoint. Set held_out of its pair set, or dev of one of kind dino; or give the recipe "
                "another dev: stsb."
            )
        return synthetic.dev

    def corpus_of(self, pairs: PairSet) -> str | None:
        """Return the corpus whose sentences are in a pair set; None for published triples."""
        if isinstance(pairs, TriplePairs):
            return None
        if isinstance(pairs, DictionaryPairs):
            return self.rewrites(pairs.rewrites).corpus
        synthetic = self.dino_pairs_of(pairs)
        return self.synthetic(synthetic.texts).corpus if synthetic else pairs.corpus  # type: ignore[union-attr]

    def recipe(self, identifier: str) -> AnyRecipe:
        """Return a recipe by its canonical id, with what this world changes about contrastive training."""
        recipe = resolved(identifier, self.recipes.recipes)
        if not isinstance(recipe, Recipe | ContrastiveTensionRecipe):
            return recipe
        scale = self.world.training
        every = recipe.dev_every
        changed: dict[str, float | str] = {
            "learning_rate": self._scaled_rate(recipe.learning_rate),
            "dev_every": every if every == "epoch" else scale.dev_every or every,
        }
        if isinstance(recipe, ContrastiveTensionRecipe):
            changed["steps"] = scale.steps or recipe.steps
        return recipe.model_copy(update=changed)

    def probe(self, name: str) -> LengthProbe:
        """Return a probe of length bias by name."""
        return named(self.recipes.probes, name, "probes")

    def llm(self, role: str) -> LLM:
        """Return the language model that plays `role`, with the endpoint of `--config endpoint=`."""
        llm = named(self.world.llms, role, "llms of the world")
        if self.config.endpoint:
            # The key belongs to the world's own endpoint: it is not sent to another one.
            llm = llm.model_copy(update={"endpoint": self.config.endpoint, "key": None})
        if not serving_module(llm.endpoint):
            base_url(llm.connection(role))  # refuses what is none
        return llm

    def prompt(self, name: str) -> str:
        """Return the text of a prompt with `{sentence}` in it."""
        text = self._file(f"config/prompts/{name}.txt").read_text(encoding="utf-8").strip()
        if "{sentence}" not in text:
            raise ConfigError(f"config/prompts/{name}.txt has no {{sentence}}: say where the sentence goes.")
        return text
