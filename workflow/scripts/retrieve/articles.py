"""Read the articles of the world into one table."""

from pathlib import Path

from pydantic import TypeAdapter

from contrapose.retrieve.articles import article_paths, hub_articles, read_articles
from contrapose.settings.worlds import ArticleFiles, HubTable
from contrapose.stage import log_to, provenance
from contrapose.tables import ARTICLES, TableWriter

with log_to(snakemake.log[0]):
    source = TypeAdapter(ArticleFiles | HubTable).validate_json(snakemake.params.settings)
    if isinstance(source, HubTable):
        pieces = hub_articles(source)
    else:
        pieces = read_articles(article_paths(map(Path, snakemake.input.files), source), source)
    with TableWriter(snakemake.output.table, ARTICLES, provenance(snakemake)) as writer:
        for piece in pieces:
            writer.write(piece)
