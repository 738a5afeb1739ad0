"""Test pairs for sentences without labels: neighbours in documents, or pairs graded by a language model."""

import logging
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.base.tasks import FEWEST_PAIRS
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles, Rows, planned
from contrapose.retrieve.suites import EvaluationSet
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import DocumentCorpusName, LLMName, PairsId, PromptName
from contrapose.settings.spec import Spec
from contrapose.tables import BENCHMARK, PAIRS, RELEVANCE, SENTENCES

logger = logging.getLogger(__name__)


class MadePairs(EvaluationSet, Spec):
    """Base of test pairs that are made of sentences, and what planning needs to know of them."""

    task: Literal["own", "own_2", "own_3", "own_4", "own_5"] = Field(
        "own", description="This is the evaluation set that the pairs stand for."
    )

    form: ClassVar[Literal["senteval"]] = "senteval"
    splits: ClassVar[list[str]] = ["test"]
    made: ClassVar[bool] = True

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        raise NotImplementedError


class NeighbourPairs(MadePairs):
    """Neighbouring sentences of documents have the score 1, and sentences of two documents have the score
    0.
    """

    kind: Literal["documents"]
    corpus: DocumentCorpusName = Field(
        description="The pairs are made of the sentences of this corpus. No method trains on it."
    )
    seed: int = Field(1, ge=0, description="This seed decides which sentences are paired.")

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {"sentences": paths.corpus(self.corpus)}

    def expected(self, project: Plan) -> int | None:
        corpus = project.corpus(self.corpus)
        return project.size(corpus.held_out) // 2 if corpus.whole(project) else None


class GradedPairs(MadePairs):
    """A language model grades pairs from 0 to 5, twice, with the texts in both orders."""

    kind: Literal["judged"]
    pairs: PairsId = Field(
        description="This names a pair set of kind `stratified`. No method trains on its sentences."
    )
    llm: LLMName = Field(description="This is the catalog's name of the chat model that grades the pairs.")
    prompt: PromptName = Field(
        "similarity",
        description="This prompt asks the chat model for the grade: the name of a file under "
        "config/prompts/, without `.txt`.",
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        pairs = paths.project.pairs_id(self.pairs)
        graded = paths.judgements(pairs, self.llm, self.prompt)
        return {"pairs": paths.pairs(pairs), "relevance": graded}

    def judged(self, project: Plan) -> list[tuple[str, str, str]]:
        return [(project.pairs_id(self.pairs), self.llm, self.prompt)]

    def expected(self, project: Plan) -> int | None:
        spec = project.pairs(project.pairs_id(self.pairs))
        rows = spec.rows(project)
        return rows and int(rows / spec.slot_count(project))


class MakingPairs(Spec):
    """What test pairs are made by."""

    source: NeighbourPairs | GradedPairs = Field(discriminator="kind")
    grader: str = Field("", description="Model that grades, for the first line of tables")


@planned
def plan(project: Plan, source: str) -> MakingPairs:
    """Return how test pairs are made of sentences, and who grades them."""
    spec = project.entry("made_pairs", source)
    graders = [project.entry("llms", llm).player for _, llm, _ in spec.judged(project)]
    return MakingPairs(source=spec, grader=", ".join(graders))


def build(
    spec: MakingPairs,
    sentences: Annotated[pd.DataFrame, Rows(SENTENCES)],
    pairs: Annotated[pd.DataFrame, Rows(PAIRS)],
    relevance: Annotated[pd.DataFrame, Rows(RELEVANCE)],
) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Make test pairs; the status says how, by task.  Raises TableError if there are fewer than three."""
    source = spec.source
    if source.kind == "documents":
        made, how = neighbour_pairs(sentences, source.seed)
    else:
        made, how = graded_pairs(pairs, relevance, spec.grader)
    if len(made) < FEWEST_PAIRS or made.score.nunique() < 2:
        raise TableError(
            f"benchmarks of kind {source.kind}: only {len(made)} test pairs with "
            f"{made.score.nunique()} different scores can be made. Hold out more sentences of several "
            "documents (held_out of the corpus)."
        )
    logger.info("%s", how)
    task = source.task
    about = {"task": task, "form": source.form, "split": "test", "subset": task, "row": range(len(made))}
    table = made.assign(**about)[BENCHMARK.columns].astype({"row": "int32", "score": "float64"})
    return with_status(table, facts={task: how})


def neighbour_pairs(sentences: pd.DataFrame, draw: int) -> tuple[pd.DataFrame, str]:
    """Pair sentences that follow each other in a document, and as many with one of another document.

    As in known-item search, what belongs together is known from where it was found.  Each sentence is in one
    pair at most, so pairs are independent.  Half of the pairs of neighbours, drawn, are test pairs; the
    others are taken apart, each first sentence with the second one of another document.

    Takes SENTENCES.  Returns `sentence1`, `sentence2`, `score` (0 or 1), and in words how they were made.
    """
    ordered = sentences.sort_values(["article_id", "position"], ignore_index=True)
    followed = (ordered.article_id == ordered.article_id.shift(-1)) & (
        ordered.position + 1 == ordered.position.shift(-1)
    )
    run = (~followed).shift(fill_value=True).cumsum()  # sentences that follow each other without a gap
    place = ordered.groupby(run).cumcount()
    firsts = np.flatnonzero(followed & (place % 2 == 0))
    firsts = firsts[generator("neighbour pairs", draw).permutation(len(firsts))]
    kept, apart = firsts[: -(-len(firsts) // 2)], firsts[-(-len(firsts) // 2) :]
    article, text = ordered.article_id.to_numpy(), ordered.text.to_numpy()
    apart = apart[np.argsort(article[apart], kind="stable")]
    # Moved on by the size of the largest document, no pair in the order of documents meets its own, unless
    # that has more than half of them.
    moved = np.roll(apart, -int(pd.Series(article[apart]).value_counts().max())) if len(apart) else apart
    others = article[apart] != article[moved]
    first, second = np.concatenate([kept, apart[others]]), np.concatenate([kept, moved[others]]) + 1
    score = np.repeat([1.0, 0.0], [len(kept), int(others.sum())])
    pairs = pd.DataFrame({"sentence1": text[first], "sentence2": text[second], "score": score})
    most = 100 * np.sqrt(3 * score.mean() * (1 - score.mean())) if len(score) else 0  # ties of two grades
    return pairs, (
        f"made from {sentences.article_id.nunique()} documents that no method is trained on: "
        f"{len(kept)} pairs of neighbouring sentences (score 1) and {int(others.sum())} pairs of "
        f"sentences from two documents (score 0). Spearman is at most {most:.1f}, and pairs of kind "
        "next_sentence train exactly what these pairs test"
    )


def graded_pairs(pairs: pd.DataFrame, relevance: pd.DataFrame, grader: str) -> tuple[pd.DataFrame, str]:
    """Score each pair with the mean of its grades in both orders; pairs that lack one are left out.

    Takes PAIRS of kind stratified and their RELEVANCE.  Returns as `neighbour_pairs`, with the agreement of
    both grades: Spearman's correlation, the intraclass correlation of single grades for absolute agreement
    (McGraw and Wong 1996, ICC(A,1)), and the share that differ by 1 or less.
    """
    drawn = pairs[pairs.slot == 0]
    known = relevance.set_index(["anchor", "text"]).score
    sides = (drawn.anchor, drawn.positive), (drawn.positive, drawn.anchor)
    grades = np.stack([known.reindex(pd.MultiIndex.from_arrays(each)).to_numpy(float) for each in sides], 1)
    both = ~np.isnan(grades).any(axis=1)
    rank, icc, near = agreement(grades[both]) if both.sum() >= FEWEST_PAIRS else (np.nan, np.nan, np.nan)
    texts = drawn[["anchor", "positive"]].set_axis(["sentence1", "sentence2"], axis=1)
    left_out = int((~both).sum())
    lacking = f"; {left_out} pairs without both grades are skipped" if left_out else ""
    return texts.assign(score=np.mean(grades, axis=1))[both], (
        f"graded by {grader}, {int(both.sum())} pairs from 0 to 5, twice with the order swapped: agreement "
        f"r {rank:.2f} (Spearman), ICC {icc:.2f}, {near:.0%} within 1 point{lacking}"
    )


def agreement(grades: np.ndarray) -> tuple[float, float, float]:
    """Return Spearman's correlation, ICC(A,1) and the share within 1 point of grades of shape (n, 2)."""
    from scipy.stats import spearmanr  # slow to import, and plans do not need it

    rank = spearmanr(*grades.T).statistic if np.ptp(grades, axis=0).all() else np.nan
    return float(rank), intraclass(grades), float(np.mean(np.abs(grades[:, 0] - grades[:, 1]) <= 1))


def intraclass(grades: np.ndarray) -> float:
    """Return the intraclass correlation of n things by k graders, of shape (n, k): ICC(A,1), at most 1."""
    n, k = grades.shape
    deviations = grades - grades.mean()
    of_things = k * np.sum(deviations.mean(axis=1) ** 2) / (n - 1)
    of_graders = n * np.sum(deviations.mean(axis=0) ** 2) / (k - 1)
    rest = np.sum(deviations**2) - (n - 1) * of_things - (k - 1) * of_graders
    error = rest / ((n - 1) * (k - 1))
    total = of_things + (k - 1) * error + k * (of_graders - error) / n
    return float((of_things - error) / total) if total else np.nan
