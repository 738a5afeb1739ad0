"""Translate every sentence with a model on this machine."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.generate.seq2seq import Seq2SeqModel, translated
from contrapose.stage import log_to, provenance
from contrapose.tables import SENTENCES, TRANSLATIONS, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads):
    resources = snakemake.resources
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    translate = Seq2SeqModel(resources.folder, resources.device)
    translations = translated(sentences.text.tolist(), translate)
    write_table(translations, snakemake.output.translations, TRANSLATIONS, provenance(snakemake))
