"""Find or train the parameters of the sentence splitter."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.jobs.status import with_status
from contrapose.jobs.step import Rows, planned
from contrapose.retrieve.download import Download, download
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import PUNKT


class PunktTraining(Spec):
    """Where the parameters of the sentence splitter are from.

    Without an address, they are NLTK's own English ones if installed, and are trained otherwise.
    """

    punkt: Download | None = None
    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on, from the first")


@planned
def plan(project: Plan) -> PunktTraining:
    """Return whose parameters Punkt has: the catalog's file, or those trained on so many articles."""
    return PunktTraining(punkt=project.catalog.punkt, punkt_articles=project.catalog.punkt_articles)


def build(spec: PunktTraining, articles: list[str]) -> Annotated[pd.DataFrame, Rows(PUNKT)]:
    """Return the parameters; the file says where they are from."""
    import nltk

    from contrapose.corpus.article_file import ArticleFile
    from contrapose.corpus.punkt_parameters import installed_parameters, punkt_parameters

    if spec.punkt:
        with TemporaryDirectory() as folder:
            nltk.data.path.append(folder)  # NLTK opens no file outside of these folders
            download(spec.punkt, place := Path(folder) / "punkt_tab")
            return with_status(installed_parameters(place), facts={"punkt": "punkt_tab"})
    file = ArticleFile(articles[0]) if articles else None
    table, source = punkt_parameters(file, spec.punkt_articles)
    return with_status(table, facts={"punkt": source})
