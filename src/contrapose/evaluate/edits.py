"""Cosines of a sentence with edited forms of it.  PrdSimCSE, Table 1."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.evaluate.evaluation import RunEncoder, RunSettings, run_settings
from contrapose.jobs.step import Rows, planned
from contrapose.models.cosines import paired_cosines
from contrapose.settings.plan import Plan
from contrapose.tables import TEXT_SIMILARITIES


class SimilaritiesOfTexts(RunSettings):
    """What the cosines of given texts depend on, beside the encoder's folder."""

    sentence: str
    texts: list[tuple[str, str]] = Field(min_length=1, description="Label and text")


@planned
def plan(project: Plan, table: str, run: str) -> SimilaritiesOfTexts:
    """Return the sentence and texts of a table of kind similarities, and the encoder of a run."""
    spec = project.shown(table, "similarities").spec
    texts = [(text.label, text.text) for text in spec.texts]
    return run_settings(SimilaritiesOfTexts, project, run, sentence=spec.sentence, texts=texts)


def build(spec: SimilaritiesOfTexts, encoder: RunEncoder) -> Annotated[pd.DataFrame, Rows(TEXT_SIMILARITIES)]:
    """Return the cosine of the sentence with each of the texts, in their order."""
    from contrapose.models.embeddings import embeddings

    vectors = embeddings(encoder, [spec.sentence, *(text for _, text in spec.texts)])  # (1 + n, D)
    cosines = paired_cosines(np.repeat(vectors[:1], len(vectors) - 1, axis=0), vectors[1:])
    labels = [label for label, _ in spec.texts]
    return pd.DataFrame({"run": spec.run, "label": labels, "cosine": cosines})[TEXT_SIMILARITIES.columns]
