"""Paths of the workflow's outputs, by the names in settings."""

from typing import TYPE_CHECKING

from contrapose.settings.corpora import Rewrites

if TYPE_CHECKING:
    from contrapose.project import Project


class Places:
    """Paths of files that jobs make, with `<results>` in front."""

    def __init__(self, project: "Project") -> None:
        self.project = project

    def corpus(self, name: str) -> str:
        return f"<results>/corpus/{name}.parquet"

    def drawn(self, corpus: str, *sources: str) -> list[str]:
        folder = f"<results>/corpus/{corpus}"
        shards = self.project.shards("corpus", *sources, f"{folder}/{{shard}}.parquet")
        return [f"{folder}/{shard}.parquet" for shard in shards]

    # The transfer tasks; the English sets, read naively; the parameters of the sentence splitter.
    transfer = "<results>/retrieve/transfer.parquet"
    naive = "<results>/retrieve/naive.parquet"
    punkt = "<results>/corpus/punkt.parquet"

    def benchmarks(self, suite: str) -> str:
        return f"<results>/retrieve/benchmarks/{suite}.parquet"

    def dev(self, task: str) -> str:
        return f"<results>/retrieve/dev/{task}.parquet"

    def triples(self, name: str) -> str:
        return f"<results>/retrieve/triples/{name}.parquet"

    def recorded(self, llm: str) -> str:
        return f"<results>/retrieve/recorded/{llm}.parquet"

    def generated(self, corpus: str, llm: str, prompt: str, table: str) -> str:
        return f"<results>/generate/{corpus}/{llm}-prompt{prompt}/{table}.parquet"

    def answered(self, corpus: str, llm: str, prompt: str, table: str) -> list[str]:
        files = {
            each: self.generated(corpus, llm, prompt, f"{{shard}}/{each}")
            for each in ("paraphrases", "completions")
        }
        shards = self.project.shards("generate", self.corpus(corpus), *files.values())
        return [files[table].replace("{shard}", shard) for shard in shards]

    def asked_sentences(self, corpus: str) -> str:
        """The answers of the language model that writes a corpus."""
        return f"<results>/generate/sentences/{corpus}/completions.parquet"

    def backtranslations(self, corpus: str, translator: str, table: str = "backtranslations") -> str:
        """The back-translated sentences of a corpus; with `table`, another table that is made on the way."""
        return f"<results>/generate/backtranslation/{corpus}/{translator}/{table}.parquet"

    def queries(self, corpus: str, writer: str, queries: int | str) -> str:
        return f"<results>/generate/queries/{corpus}/{writer}/{queries}.parquet"

    def entailments(self, corpus: str, writer: str) -> str:
        return f"<results>/generate/entailments/{corpus}/{writer}.parquet"

    def masked_words(self, corpus: str, filler: str, how: str) -> str:
        return f"<results>/generate/masked_words/{corpus}/{filler}/{how}.parquet"

    def texts(self, name: str) -> str:
        return f"<results>/generate/synthetic/{name}.parquet"

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

    def rewritten(self, spec: Rewrites) -> list[str]:
        folder = f"<results>/retrieve/dictionaries/{spec.dictionary}"
        return [self.corpus(spec.corpus), f"{folder}/phrases.parquet", f"{folder}/rules.parquet"]

    def grammar(self, corpus: str, grammar: str, table: str = "") -> str:
        """Return the `tags` or `synonyms` of a corpus; without `table`, the job that makes both."""
        return f"<results>/score/grammar/{corpus}/{grammar}" + (f"/{table}.parquet" if table else "")

    def pairs(self, identifier: str) -> str:
        return f"<results>/pairs/{identifier}.parquet"

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

    def stratified(self, corpus: str, scorer: str, count: int, draw: int) -> str:
        return f"<results>/score/stratified/{corpus}/{scorer}/{count}-{draw}.parquet"

    def made_pairs(self, source: str) -> str:
        return f"<results>/retrieve/made_pairs/{source}.parquet"

    def relevance(self, pairs: str, scorer: str) -> str:
        return f"<results>/score/relevance/{pairs}/{scorer}.parquet"

    def pair_cosines(self, pairs: str, scorer: str) -> str:
        return f"<results>/score/pair_cosines/{pairs}/{scorer}.parquet"

    def pair_samples(self, pairs: str, scorer: str) -> str:
        return f"<results>/score/pair_samples/{pairs}/{scorer}.parquet"

    def linguistics(self, detected: str, which: str = "") -> str:
        """Return the measured wording of judged texts, likewise; `-tenths`: their labels."""
        return f"<results>/score/linguistics/{detected}{which}.parquet"

    def paraphrase_scores(self, corpus: str, llm: str, prompt: str, scorer: str, table: str) -> str:
        return f"<results>/score/{corpus}/{llm}-prompt{prompt}/{scorer}/{table}.parquet"

    def pair_scores(self, pairs: str, scorer: str, table: str) -> str:
        return f"<results>/score/pairs/{pairs}/{scorer}-{table}.parquet"

    def evaluated(self, what: str, run: str, which: str = "") -> str:
        return f"<results>/evaluate/{what}/{run}{which}.parquet"

    def history(self, run: str) -> str:
        return f"<results>/train/{run}/history.parquet"

    def table(self, name: str) -> str:
        return f"<results>/tables/{name}.parquet"
