"""Scores on sets of sentence pairs: correlation of cosines with gold scores, and accuracy with labels."""

import logging
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.errors import TableError, UnavailableError
from contrapose.base.tasks import FEWEST_PAIRS, TASKS
from contrapose.evaluate.evaluation import RunSettings, Source, run_settings, sentence_vectors
from contrapose.evaluate.influence import CORRELATIONS, Measured, scored
from contrapose.evaluate.sharing import Sharing
from contrapose.evaluate.thresholds import threshold_scores
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Device, Outputs, Rows, planned
from contrapose.models.cosines import paired_cosines
from contrapose.settings.plan import Plan
from contrapose.tables import BENCHMARK, COSINES, SCORES

logger = logging.getLogger(__name__)

CASES = ("task", "form", "split")


class SuiteSettings(RunSettings):
    """What the scores of a suite depend on, beside the encoder's folder and the evaluation sets."""

    dev: bool = Field(True, description="Dev pairs are scored as well, by which a search chooses settings")


@planned
def plan(project: Plan, run: str, suite: str) -> SuiteSettings:
    """Return the settings of the evaluation of a run on a suite."""
    return run_settings(SuiteSettings, project, run, dev=scores_dev(project, suite))


@planned
def scores_dev(project: Plan, suite: str) -> bool:
    """Return whether the dev pairs of a suite are scored.

    Those of a user are scored only if a table of the project reads their scores, as they often take as long
    as the test pairs.  The selection of checkpoints in a training scores them anyway.  The sets of papers
    are always scored, so that their results are the same in all studies.
    """
    if suite != "own" or project.config.search:
        return True
    return any(getattr(spec, "reads_dev", False) for _, spec in project.tables.values())


def build(
    spec: SuiteSettings,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    source: Source,
    device: Device,
) -> Annotated[tuple, Outputs(cosines=COSINES, scores=SCORES)]:
    """Score one encoder on a suite of evaluation sets: one of a run, or any folder.

    The status of the scores has the `pooling`, as from `sentence_vectors`, and why sets were skipped.
    """
    pairs = scored_pairs(benchmarks if spec.dev else benchmarks[benchmarks.split == "test"])
    vectors, pooling = sentence_vectors(spec, source, [*pairs.sentence1, *pairs.sentence2], device)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = with_status(sts_scores(pairs, cosines, spec), facts={"pooling": pooling})
    return (pairs.assign(cosine=cosines)[COSINES.columns], scores)


def scored_pairs(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are scored: test splits, and dev splits that choose settings or thresholds.

    For sets with labels, a split is used if it and the test split have both labels; the log names the others.
    """
    golds = benchmarks.groupby(list(CASES), sort=True).score.nunique().to_dict()  # number of distinct scores
    cases = set()
    for task, form, split in golds:
        about = TASKS[task]
        if split != "test" and not (split == "dev" and (about.dev or about.labels)):
            continue
        if about.labels and any(golds.get((task, form, each), 0) < 2 for each in (split, "test")):
            logger.warning(
                "%s/%s/%s is skipped, because this split or the test split has only one label",
                task,
                form,
                split,
            )
            continue
        cases.add((task, form, split))
    rows = benchmarks[list(CASES)].itertuples(index=False, name=None)
    return benchmarks[np.array([row in cases for row in rows], bool)].reset_index(drop=True)


def sts_scores(pairs: pd.DataFrame, cosines: np.ndarray, job: RunSettings) -> pd.DataFrame:
    """Score an encoder on every task, text form and split, with 95 % intervals over its pairs.

    `all` puts the pairs of all subsets in one list, as SimCSE does; `mean` and `wmean` average the subsets'
    own correlations, unweighted or weighted by numbers of pairs, as SentEval does.  Intervals count
    what pairs that share a sentence have in common; `mean` and `wmean` have none.  Sets with labels also have
    accuracy and F1 of their test pairs, if there are dev pairs to choose the thresholds.

    Correlations are in [-1, 1], accuracy and F1 in [0, 1].  A split is left out if it or a subset has no
    correlation: fewer than three pairs, equal gold scores or equal cosines; its status has the
    reasons.
    Raises TableError if a cosine is not a number, and UnavailableError if no split has a correlation.
    """
    if not np.isfinite(cosines).all():
        at = int(np.flatnonzero(~np.isfinite(cosines))[0])
        raise TableError(
            f"{job.run}: the cosine of {pairs.sentence1[at]!r} and its pair is not a number, so a vector "
            "of this encoder holds NaN or infinite numbers. Get its weights or vectors again."
        )
    with_cosines = pairs.assign(cosine=cosines)
    rows: list[dict] = []
    skipped: list[str] = []
    groups = with_cosines.groupby(list(CASES), sort=True)
    for (task, form, split), group in tqdm(groups, desc="scores", unit=" sets", mininterval=5):
        case = (str(task), str(form), str(split))
        if TASKS[task].labels and split == "dev":  # its pairs choose thresholds for test
            continue
        subsets = {str(name): part for name, part in group.groupby("subset", sort=False)}
        try:
            scores = _case_scores(group, subsets, case, job)
        except UnavailableError as error:
            logger.warning("skipped: %s", error)
            skipped.append(str(error))
            continue
        if TASKS[task].labels:
            of_task = (with_cosines.task == task) & (with_cosines.form == form)
            scores |= _label_scores(group, with_cosines[of_task & (with_cosines.split == "dev")], case, job)
        for name, score in scores.items():
            labels = dict(zip(CASES, case, strict=True))
            rows.append({"run": job.run, **labels, "metric": name[0], "aggregation": name[1], **score})
    if skipped and not rows:
        raise UnavailableError("; ".join(skipped))
    return with_status(pd.DataFrame(rows, columns=SCORES.columns), skipped=skipped)


def _case_scores(
    group: pd.DataFrame, subsets: dict[str, pd.DataFrame], case: tuple[str, str, str], job: RunSettings
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return {(metric, aggregation): score} of `scored` for one task, form and split."""
    whole = _correlations(group, "/".join(case), job)
    parts = [_correlations(part, "/".join((*case, name)), job) for name, part in subsets.items()]
    sizes = np.array([len(part) for part in subsets.values()])
    weights = {"mean": np.full(len(sizes), 1 / len(sizes)), "wmean": sizes / sizes.sum()}
    sharing = Sharing(group.sentence1, group.sentence2)
    scores = {}
    for metric in CORRELATIONS:
        scores[metric, "all"] = scored(whole[metric], sharing, correlation=True)
        for aggregation, weight in weights.items():
            value = float(weight @ [part[metric].value for part in parts])
            scores[metric, aggregation] = {"value": value, "n": len(group), "influence": []}
    return scores


def _label_scores(
    test: pd.DataFrame, dev: pd.DataFrame, case: tuple[str, str, str], job: RunSettings
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return scores as `_case_scores`, of test pairs with labels; none without dev pairs."""
    where = f"{job.run} on {'/'.join(case)}"
    if dev.empty:
        logger.warning("%s: accuracy and F1 are skipped, because no dev pairs have both labels", where)
        return {}
    dev_pairs, test_pairs = ((each.cosine.to_numpy(), each.score.to_numpy()) for each in (dev, test))
    measured = threshold_scores(dev_pairs, test_pairs, where)
    sharing = Sharing(test.sentence1, test.sentence2)
    return {(measure, "all"): scored(each, sharing) for measure, each in measured.items()}


def _correlations(pairs: pd.DataFrame, where: str, job: RunSettings) -> dict[str, Measured]:
    cosines, gold = pairs.cosine.to_numpy(), pairs.score.to_numpy()
    if len(pairs) < FEWEST_PAIRS:
        raise UnavailableError(
            f"{where} has {len(pairs)} scored pairs, but a correlation needs {FEWEST_PAIRS}. Add "
            "pairs to the files that the catalog names for this set under benchmarks"
        )
    if np.ptp(gold) == 0:
        raise UnavailableError(
            f"all {len(pairs)} gold scores of {where} are {gold[0]:g}, so there is no correlation. "
            "Correct the scores in the files that the catalog names for this set under benchmarks"
        )
    if np.ptp(cosines) == 0:
        raise UnavailableError(
            f"all {len(pairs)} cosines of {job.run} on {where} are {cosines[0]:g}, so there is no "
            "correlation: the encoder gives every sentence the same direction. Lower the learning_rate "
            "of its recipe, or choose another pooling"
        )
    return {metric: function(cosines, gold) for metric, function in CORRELATIONS.items()}
