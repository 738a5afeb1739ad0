"""Pre-train a small encoder on a corpus."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.settings.worlds import PretrainedEncoder
from contrapose.stage import log_to
from contrapose.tables import SENTENCES, read_table, written
from contrapose.train.pretraining import pretrain_encoder

with log_to(snakemake.log[0], snakemake.threads):
    spec = PretrainedEncoder.model_validate_json(snakemake.params.settings)
    texts = read_table(snakemake.input.sentences, SENTENCES).text.tolist()[: spec.texts]
    with written(snakemake.output.encoder) as draft:
        pretrain_encoder(texts, spec, draft)
