"""Train word vectors on a corpus."""

from contrapose.settings.worlds import TrainedVectors
from contrapose.stage import log_to
from contrapose.tables import SENTENCES, read_table
from contrapose.train.glove import train_glove, write_vectors

with log_to(snakemake.log[0]):
    spec = TrainedVectors.model_validate_json(snakemake.params.settings)
    texts = read_table(snakemake.input.sentences, SENTENCES).text.tolist()
    write_vectors(*train_glove(texts, spec), snakemake.output.vectors)
