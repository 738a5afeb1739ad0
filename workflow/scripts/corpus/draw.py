"""Make the draws of a corpus that fall into one shard of the articles."""

from contrapose.corpus.articles import ArticleFile
from contrapose.corpus.jobs import CorpusDraws
from contrapose.corpus.punkt import splitter
from contrapose.corpus.sampling import drawn_sentences
from contrapose.stage import log_to, provenance
from contrapose.tables import DRAWS, PUNKT, read_table, write_table

with log_to(snakemake.log[0]):
    spec = CorpusDraws.model_validate_json(snakemake.params.settings)
    articles = ArticleFile(snakemake.input.articles)
    split = splitter(read_table(snakemake.input.punkt, PUNKT))
    shard, shards = int(snakemake.wildcards.shard), int(snakemake.wildcards.shards)
    draws = drawn_sentences(articles, split, spec, shard, shards)
    write_table(draws, snakemake.output.draws, DRAWS, provenance(snakemake))
