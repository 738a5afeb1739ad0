"""Keep the sentences of one shard of a collection that come first in the shuffle."""

from contrapose.corpus.articles import ArticleFile
from contrapose.corpus.languages import sentence_splitter
from contrapose.corpus.segmented import lowest_ranked
from contrapose.settings.corpora import Segments
from contrapose.stage import log_to, provenance
from contrapose.tables import SEGMENTS, write_table

with log_to(snakemake.log[0]):
    spec = Segments.model_validate_json(snakemake.params.settings)
    articles = ArticleFile(snakemake.input.articles)
    shard, shards = int(snakemake.wildcards.shard), int(snakemake.wildcards.shards)
    segments = lowest_ranked(articles, sentence_splitter(spec.language), spec, shard, shards)
    write_table(segments, snakemake.output.segments, SEGMENTS, provenance(snakemake))
