"""Measure how near each paraphrase is to its sentence."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.score.similarity import similarities
from contrapose.stage import log_to, provenance
from contrapose.tables import PARAPHRASES, SENTENCES, SIMILARITIES, read_table, write_table
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import EncoderJob

with log_to(snakemake.log[0], snakemake.threads):
    job = EncoderJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(snakemake.input.paraphrases, PARAPHRASES))
    encoder = encoder_of(job, resources.encoder, resources.device)
    scores = similarities(pairs, encoder, resources.batch_size)
    write_table(scores, snakemake.output.similarities, SIMILARITIES, provenance(snakemake))
