"""Find or train the parameters of the sentence splitter."""

from contrapose.corpus.articles import ArticleFile
from contrapose.corpus.jobs import PunktTraining
from contrapose.corpus.punkt import punkt_parameters
from contrapose.stage import log_to, provenance
from contrapose.tables import PUNKT, write_table

with log_to(snakemake.log[0]):
    spec = PunktTraining.model_validate_json(snakemake.params.settings)
    articles = ArticleFile(snakemake.input.articles[0]) if snakemake.input.articles else None
    table, source = punkt_parameters(articles, spec.punkt_articles)
    write_table(table, snakemake.output.punkt, PUNKT, {**provenance(snakemake), "punkt": source})
