"""What stands behind the row of a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from contrapose.config.corpora import DinoTexts, PublishedCorpus, SegmentedCorpus, TaskCorpus
from contrapose.config.pairs import DictionaryPairs, ReweightedPairs, TriplePairs
from contrapose.config.recipes import AnyRecipe, Recipe
from contrapose.config.rows import OF_PAIRS, Row
from contrapose.config.spec import Pooling
from contrapose.config.worlds import TrainedRun
from contrapose.errors import ConfigError
from contrapose.ids import SEPARATOR, canonical_id, named, parsed_id
from contrapose.project.places import Places, Run


@dataclass(frozen=True)
class Released:
    """An encoder as it is: a role of the world and a pooling."""

    role: str
    pooling: Pooling

    @property
    def id(self) -> str:
        """Its place below `results/evaluate/`."""
        return f"released/{self.role}/{self.pooling}"


class Rows(Places):
    """Runs and encoders of rows, and what a world lacks for them."""

    def runs(self, row: Row) -> list[Run]:
        """Return the runs behind a row, one per seed; none for an encoder as it is, or for a missing row."""
        if row.pairs is None or row.recipe is None or self.missing(row):
            return []
        row = _set(row, row.choices[0] if row.choices else {})
        assert row.pairs is not None
        assert row.recipe is not None
        recipe = canonical_id(row.recipe, self.recipes.recipes)
        draws = [{"draw": number} if row.redraw else {} for number in range(1, len(self.seeds) + 1)]
        pairs = [self.pairs_id(_with(row.pairs, draw)) for draw in draws]
        return [Run(one, recipe, seed) for one, seed in zip(pairs, self.seeds, strict=True)]

    def missing(self, row: Row) -> str:
        """Say what this world lacks for a row; empty if it lacks nothing."""
        if row.encoder is not None:
            return self.missing_encoder(row.encoder)
        assert row.pairs is not None
        assert row.recipe is not None
        # null says that nothing is trained from this role here: `encoder` refuses that.
        recipe = self.recipe(canonical_id(row.recipe, self.recipes.recipes))
        if self.world.encoders.get(recipe.encoder) is not None and not self.has_encoder(recipe.encoder):
            return self.missing_encoder(recipe.encoder)
        teacher = self.teacher(recipe)
        return (self.missing_encoder(teacher) if teacher else "") or self.missing_pairs(row.pairs)

    def missing_pairs(self, identifier: str) -> str:
        """Say what this world lacks for a pair set; empty if it lacks nothing."""
        pairs = self.pairs(canonical_id(identifier, self.recipes.pairs))
        synthetic = self.dino_pairs_of(pairs)
        if synthetic is not None:
            return self._missing_texts(synthetic.texts) or self._missing_texts_of(synthetic.dev)
        if isinstance(pairs, TriplePairs):
            return self._missing_triples(pairs.source)
        if isinstance(pairs, DictionaryPairs):
            return self.missing_rewrites(pairs.rewrites)
        name = self.corpus_of(pairs)
        assert name is not None
        return self._missing_corpus(name)

    def missing_rewrites(self, name: str) -> str:
        """Say what this world lacks to rewrite sentences and to score them; empty if it lacks nothing."""
        rewrites = self.rewrites(name)
        if not self.has_dictionary(rewrites.dictionary):
            return f"this world has no dictionary '{rewrites.dictionary}'"
        if not self.has_language_model(rewrites.lm):
            return f"this world has no language model '{rewrites.lm}'"
        return self._missing_corpus(rewrites.corpus)

    def _missing_triples(self, name: str) -> str:
        absent = self._absent(self.triple_source(name))
        return f"{absent[0]} is not there" if absent else ""

    def _missing_corpus(self, name: str) -> str:
        corpus = self.corpus(name)
        if isinstance(corpus, SegmentedCorpus) and not self.has_collection(corpus.collection):
            return f"this world has no collection '{corpus.collection}'"
        if isinstance(corpus, PublishedCorpus):
            absent = self._absent(self.sentence_source(corpus.file))
            return f"{absent[0]} is not there" if absent else ""
        return ""

    def _missing_texts_of(self, pairs: str | None) -> str:
        return self._missing_texts(self.dino_pairs(pairs).texts) if pairs else ""

    def _missing_texts(self, name: str) -> str:
        """Say what this world lacks for synthetic texts: the language model, or all sets of their corpus."""
        texts = self.synthetic(name)
        if isinstance(texts, DinoTexts) and not self.has_language_model(texts.lm):
            return f"this world has no language model '{texts.lm}'"
        corpus = self.corpus(texts.corpus)
        if isinstance(corpus, TaskCorpus) and not any(self.has_task(task) for task in corpus.tasks):
            return f"this world has no set {', '.join(corpus.tasks)}"
        return "" if self.has_corpus(texts.corpus) else f"the file of corpus '{texts.corpus}' is not there"

    def missing_identified(self, pairs: str, identifier: str) -> str:
        """Say what this world lacks to judge the texts of a pair set of kind dino; empty if nothing."""
        return self.missing_pairs(pairs) or self.missing_encoder(self.identifier(identifier).encoder)

    def has_encoder(self, role: str) -> bool:
        """Return whether this world has the encoder of a role; the world says of each role if it may lack."""
        return not self.missing_encoder(role)

    def missing_encoder(self, role: str, within: tuple[str, ...] = ()) -> str:
        """Say what this world lacks for an encoder, or for the training that makes it; empty if nothing.

        Parameters
        ----------
        role : str
        within : tuple of str
            Roles whose trainings start from this one.

        Raises
        ------
        ConfigError
            It is one of them.
        """
        source = named(self.world.encoders, role, "encoders of the world")
        if not isinstance(source, TrainedRun):
            return "" if self._in_place(role) else f"this world has no encoder '{role}'"
        if role in within:
            raise ConfigError(
                f"encoders.{role}: its training starts from itself, by way of {' > '.join([*within, role])}. "
                f"Name another run in config/worlds/{self.world_name}.yaml."
            )
        lacking = (self.missing_encoder(each, (*within, role)) for each in self._roles_of(source))
        return next(filter(None, lacking), "") or self.missing_pairs(source.pairs)

    def _roles_of(self, run: TrainedRun) -> list[str]:
        """Return the encoders that a training starts from: its recipe's, its teacher, that of its pairs."""
        recipe = self.recipe(canonical_id(run.recipe, self.recipes.recipes))
        pairs = self.pairs(self.pairs_id(run.pairs))
        judge = self.identifier(pairs.identifier).encoder if isinstance(pairs, ReweightedPairs) else None
        return [role for role in (recipe.encoder, self.teacher(recipe), judge) if role]

    def teacher(self, recipe: AnyRecipe) -> str | None:
        """Return the role of a recipe's teacher, if it has one."""
        return recipe.teacher if isinstance(recipe, Recipe) else None

    def searched(self, row: Row) -> dict[str, list[Run]]:
        """Return {setting: its runs} of a row's choices, and of its grid with `search`."""
        if row.recipe is None:
            return {}
        chosen = list(row.choices)
        if self.config.search and row.grid:
            chosen += [dict(zip(row.grid, values, strict=True)) for values in product(*row.grid.values())]
        found = {}
        for settings in chosen:
            name = ",".join(f"{key}={value}" for key, value in settings.items())
            found[name] = self.runs(_set(row, settings).model_copy(update={"choices": []}))
        return found

    def released(self, row: Row) -> Released | None:
        """Return the encoder of a row as it is; None for a run, and where this world does not have it."""
        if row.encoder is None or not self.has_encoder(row.encoder):
            return None
        own = self.encoder(row.encoder).pooling
        return self.as_it_is(row.encoder, own if row.pooling == "auto" else row.pooling)

    def as_it_is(self, role: str, pooling: Pooling) -> Released:
        """Return an encoder as it is, with one of the poolings.

        Raises
        ------
        ConfigError
            These are word vectors, of which there is only the mean.
        """
        if self._word_vectors(role) and pooling != "auto":
            raise ConfigError(
                f"encoders.{role}: is word vectors, whose pooling is always their mean, not '{pooling}'. "
                "Leave pooling out."
            )
        return Released(role, pooling)


def _set(row: Row, settings: Mapping[str, object]) -> Row:
    """Return a row with settings of its recipe, and of its pair set behind `pairs.`."""
    assert row.pairs is not None
    assert row.recipe is not None
    of_pairs = {
        name.removeprefix(OF_PAIRS): each for name, each in settings.items() if name.startswith(OF_PAIRS)
    }
    others = {name: each for name, each in settings.items() if not name.startswith(OF_PAIRS)}
    changed = {"pairs": _with(row.pairs, of_pairs), "recipe": _with(row.recipe, others)}
    return row.model_copy(update=changed)


def _with(identifier: str, overrides: Mapping[str, object]) -> str:
    """Return an id with more overrides, which replace its own of the same name."""
    name, own = parsed_id(identifier)
    return SEPARATOR.join([name, *(f"{key}={value}" for key, value in {**own, **overrides}.items())])
