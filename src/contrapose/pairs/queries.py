"""Pairs of a query that a model wrote for a document, and the document."""

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError
from contrapose.generate.queries import ALL_QUERIES, Queries, queries_per_document
from contrapose.jobs.inputs import Pairs, Paraphrases, Sentences
from contrapose.jobs.step import InputFiles, planned
from contrapose.pairs.pair_rows import sampled
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.pairs.strategy import AskedPairs, HeldOutPairs, Strategy
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.prompt_files import VERSIONS
from contrapose.settings.refs import CorpusName, LanguageModelName, LLMName, PromptName


class QueryPairs(HeldOutPairs, AskedPairs):
    """The anchors are queries that a model writes for documents, and the documents are the positives. GPL,
    section 3.

    Nogueira et al. 2019 (doc2query), Wang et al. 2022 (GPL). Here a document is a row of a corpus.
    """

    kind: Literal["queries"]
    besides: ClassVar[str] = ", and queries for them"
    corpus: CorpusName = Field(
        description="The documents are the sentences of this corpus. In a file, each line is a document."
    )
    llm: LLMName | None = Field(
        None,
        description="This is the catalog's name of a chat model that writes five queries for each "
        "document in one answer. Set either this key or `writer`.",
    )
    prompt: PromptName = Field(
        "queries",
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without its ending.",
    )
    writer: LanguageModelName | None = Field(
        None,
        description="This is the catalog's name of an encoder-decoder that writes the queries in place "
        "of a chat model, such as doc2query-t5. The key `queries` says how many it writes.",
    )
    queries: Queries = Field(
        3,
        description="A `writer` makes this many queries for each document. The default, 3, is that of "
        "GPL's paper. With `auto`, it makes 250,000 queries in all, and at least 3 for each document, as "
        "for GPL's released models. A chat model (`llm`) always writes five, and this key has no effect "
        "on it. An epoch trains on one query of each document.",
    )
    seed: int = Field(1, ge=0, description="This seed selects the documents that are held out.")

    @model_validator(mode="after")
    def _one_writer(self) -> "QueryPairs":
        if (self.llm is None) == (self.writer is None):
            raise ValueError("set llm to a chat model, or writer to an encoder-decoder, but not both")
        return self

    @property
    @planned
    def unused(self) -> tuple[str, ...]:
        return () if self.llm else ("prompt",)

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        if self.llm:
            return super().inputs(paths)
        assert self.writer is not None
        written = paths.queries(self.corpus, self.writer, self.queries)
        return {"sentences": paths.corpus(self.corpus), "paraphrases": written}

    def jobs(self, paths: Paths) -> list[str]:
        return super().jobs(paths) if self.llm else Strategy.jobs(self, paths)

    def check(self, project: Plan) -> None:
        super().check(project)
        if self.llm and project.entry("prompts", self.prompt).asked_for != "paraphrases":
            raise ConfigError(
                f"pairs: prompt '{self.prompt}' does not ask for five queries. Contrapose expects the word "
                "`five` or `5` in it. Name another prompt, or ask for five queries in "
                f"config/prompts/{self.prompt}.txt."
            )

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return super().questions(project) if self.llm else []

    def slot_count(self, project: Plan) -> int:
        if self.llm:
            return VERSIONS
        if self.queries != "auto":
            return self.queries
        return queries_per_document(project.sentences(self.corpus) or ALL_QUERIES)  # unknown: the fewest


def build(spec: QueryPairs, sentences: Sentences, paraphrases: Paraphrases) -> Pairs:
    """Pair each query with its document, query j of every document in slot j.

    So each epoch sees every document once, with another query, and no document is a negative of its own
    query; queries that fit two documents do occur.  As `paraphrase_pairs`, with `sentences` the documents,
    `paraphrases` their queries, and anchors and positives exchanged.
    """
    kept = sampled(sentences, None, spec.seed, "sentences", spec.held_out, spec.part)
    pairs = paraphrase_pairs(kept, paraphrases, what="queries")
    return pairs.assign(anchor=pairs.positive, positive=pairs.anchor)
