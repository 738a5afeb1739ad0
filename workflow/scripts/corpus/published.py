"""Make a corpus of the lines of a published file."""

from pathlib import Path

from contrapose.corpus.jobs import PublishedLines
from contrapose.corpus.published import published_lines, published_sentences
from contrapose.corpus.punkt import splitter
from contrapose.stage import log_to, provenance
from contrapose.tables import PUNKT, SENTENCES, read_table, write_table

with log_to(snakemake.log[0]):
    spec = PublishedLines.model_validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    split = splitter(read_table(snakemake.input.punkt, PUNKT))
    sentences, dropped = published_sentences(published_lines(spec.source, data), split, spec)
    write_table(
        sentences, snakemake.output.sentences, SENTENCES, {**provenance(snakemake), "dropped": dropped}
    )
