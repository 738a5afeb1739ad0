"""Join the shards of a corpus: the first accepted sentences, each text once."""

import pandas as pd

from contrapose.corpus.jobs import CorpusDraws
from contrapose.corpus.sampling import corpus_sentences
from contrapose.stage import log_to, provenance
from contrapose.tables import DRAWS, SENTENCES, read_table, write_table

with log_to(snakemake.log[0]):
    spec = CorpusDraws.model_validate_json(snakemake.params.settings)
    draws = pd.concat([read_table(path, DRAWS) for path in snakemake.input.draws], ignore_index=True)
    sentences, rejected = corpus_sentences(draws, spec)
    write_table(
        sentences, snakemake.output.sentences, SENTENCES, {**provenance(snakemake), "rejected": rejected}
    )
