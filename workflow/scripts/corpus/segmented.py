"""Join the shards of a segmented corpus: the first sentences that pass, each text once."""

from contrapose.corpus.segmented import segmented_sentences, segments_in
from contrapose.settings.corpora import SegmentedCorpus
from contrapose.stage import log_to, provenance
from contrapose.tables import SENTENCES, write_table

with log_to(snakemake.log[0]):
    spec = SegmentedCorpus.model_validate_json(snakemake.params.settings)
    sentences, rejected = segmented_sentences([segments_in(path) for path in snakemake.input.segments], spec)
    write_table(
        sentences, snakemake.output.sentences, SENTENCES, {**provenance(snakemake), "rejected": rejected}
    )
