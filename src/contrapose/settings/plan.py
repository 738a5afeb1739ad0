"""What the planning of jobs may ask: `Plan`, which a project answers, and the paths of outputs."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from contrapose.settings.main import Config


class Shown(NamedTuple):
    """A table or figure: the settings of its study, and its own."""

    study: Any
    spec: Any


class Plan(Protocol):
    """What the settings of an entry may ask when jobs are planned; `contrapose.project.Project` answers."""

    config: Config
    catalog: Any  # its settings
    catalog_name: str
    recipes: Any  # the entries of config/recipes.yaml
    paths: "Paths"
    runs: Any
    llm_requests: Any

    @property
    def seeds(self) -> list[int]: ...
    @property
    def tables(self) -> Mapping[str, tuple[str, Any]]: ...  # name: (study, settings)
    def shown(self, name: str, kind: str = "", at: str = "") -> "Shown": ...
    def entry(self, registry: str, name: str) -> Any: ...
    def source(self, section: str, name: str = "", kind: str = "") -> Any: ...
    def shards(self, stage: str, *files: str) -> list[str]: ...
    def lacking(self, spec: Any) -> str: ...
    def lacking_entry(self, registry: str, name: str) -> str: ...
    def reached(self, spec: Any) -> Iterator[tuple[str, str]]: ...
    def recipe(self, identifier: str) -> Any: ...
    def recipe_id(self, identifier: str) -> str: ...
    def corpus(self, name: str) -> Any: ...
    def sentences(self, corpus: str) -> int | None: ...
    def size(self, name: int | str) -> int: ...
    def pairs(self, identifier: str) -> Any: ...
    def pairs_id(self, identifier: str, without: str = "", **overrides: str) -> str: ...
    def model_path(self, path: str) -> Path: ...
    def encoder(self, role: str) -> Any: ...
    def language_model(self, role: str) -> Any: ...


def _of(path: str) -> Callable[..., str]:
    """Return a method that takes the names in a path, in their order, and returns that of a table."""
    fields = re.findall(r"{(\w+)}", path)

    def of_names(self: "Paths", *names: object) -> str:
        return f"<results>/{path}.parquet".format(**dict(zip(fields, names, strict=True)))

    return of_names


class Paths:
    """Paths of files that jobs make, with `<results>` in front."""

    def __init__(self, project: Plan) -> None:
        self.project = project

    # The transfer tasks; the English sets, read naively; the parameters of the sentence splitter.
    transfer = "<results>/retrieve/transfer.parquet"
    naive = "<results>/retrieve/naive.parquet"
    punkt = "<results>/corpus/punkt.parquet"

    corpus = _of("corpus/{name}")
    benchmarks = _of("retrieve/benchmarks/{suite}")
    dev = _of("retrieve/dev/{task}")
    triplets = _of("retrieve/triplets/{name}")
    recorded = _of("retrieve/recorded/{llm}")
    generated = _of("generate/{corpus}/{llm}-prompt{prompt}/{table}")
    asked_sentences = _of("generate/sentences/{corpus}/completions")  # of who writes a corpus
    queries = _of("generate/queries/{corpus}/{writer}/{queries}")
    entailments = _of("generate/entailments/{corpus}/{writer}")
    masked_words = _of("generate/masked_words/{corpus}/{filler}/{how}")
    texts = _of("generate/synthetic/{name}")
    pairs = _of("pairs/{identifier}")
    stratified = _of("score/stratified/{corpus}/{scorer}/{count}-{draw}")
    made_pairs = _of("retrieve/made_pairs/{source}")
    relevance = _of("score/relevance/{pairs}/{scorer}")
    pair_cosines = _of("score/pair_cosines/{pairs}/{scorer}")
    pair_samples = _of("score/pair_samples/{pairs}/{scorer}")
    paraphrase_scores = _of("score/{corpus}/{llm}-prompt{prompt}/{scorer}/{table}")
    pair_scores = _of("score/pairs/{pairs}/{scorer}-{table}")
    history = _of("train/{run}/history")
    table = _of("tables/{name}")

    def drawn(self, corpus: str, *sources: str) -> list[str]:
        folder = f"<results>/corpus/{corpus}"
        shards = self.project.shards("corpus", *sources, f"{folder}/{{shard}}.parquet")
        return [f"{folder}/{shard}.parquet" for shard in shards]

    def answered(self, corpus: str, llm: str, prompt: str, table: str) -> list[str]:
        files = {
            each: self.generated(corpus, llm, prompt, f"{{shard}}/{each}")
            for each in ("paraphrases", "completions")
        }
        shards = self.project.shards("generate", self.corpus(corpus), *files.values())
        return [files[table].replace("{shard}", shard) for shard in shards]

    def backtranslations(self, corpus: str, translator: str, table: str = "backtranslations") -> str:
        """The back-translated sentences of a corpus; with `table`, another table that is made on the way."""
        return f"<results>/generate/backtranslation/{corpus}/{translator}/{table}.parquet"

    def written(self, name: str) -> list[str]:
        file = f"<results>/generate/synthetic/{name}/{{shard}}.parquet"
        corpus = self.corpus(self.project.entry("synthetic", name).corpus)
        return [file.replace("{shard}", each) for each in self.project.shards("synthetic", corpus, file)]

    def rewrites(self, stage: str, name: str) -> list[str]:
        """Return all shards of rewrites: candidates for `generate`, their perplexities for `score`."""
        stages = ("generate", "score")
        files = {each: f"<results>/{each}/rewrites/{name}/{{shard}}.parquet" for each in stages}
        sources = self.rewritten(self.project.entry("rewrites", name))
        shards = self.project.shards("rewrites", *sources, *files.values())
        return [files[stage].replace("{shard}", shard) for shard in shards]

    def rewritten(self, spec: Any) -> list[str]:
        folder = f"<results>/retrieve/dictionaries/{spec.dictionary}"
        return [self.corpus(spec.corpus), f"{folder}/phrases.parquet", f"{folder}/rules.parquet"]

    def grammar(self, corpus: str, grammar: str, table: str = "") -> str:
        """Return the `tags` or `synonyms` of a corpus; without `table`, the job that makes both."""
        return f"<results>/score/grammar/{corpus}/{grammar}" + (f"/{table}.parquet" if table else "")

    def detections(self, detected: str, which: str = "") -> str:
        """Return a detector's output on a pair set, `{pairs}/{detector}`; `-held_out`: on others."""
        return f"<results>/score/identification/{detected}{which}.parquet"

    def neighbours(
        self, pairs: str, scorer: str, nearest: int, corpus: str | None = None, judge: str | None = None
    ) -> str:
        """Return the neighbours of anchors, with a corpus also among its sentences; scored by a `judge`."""
        near = f"{pairs}/{scorer}/{nearest}" + (f"-{corpus}" if corpus else "")
        return f"<results>/score/{f'reranked/{near}/{judge}' if judge else f'neighbours/{near}'}.parquet"

    def judgements(self, pairs: str, llm: str, prompt: str, table: str = "") -> str:
        """Return a language model's scores of the pairs of texts of a pair set; or its `completions`."""
        return f"<results>/generate/judgements/{pairs}/{llm}-prompt{prompt}{table and f'/{table}'}.parquet"

    def linguistics(self, detected: str, which: str = "") -> str:
        """Return the wording of a detector's texts, as `detections` has them; `-tenths`: their labels."""
        return f"<results>/score/linguistics/{detected}{which}.parquet"

    def evaluated(self, what: str, run: str, which: str = "") -> str:
        return f"<results>/evaluate/{what}/{run}{which}.parquet"
