"""Translate every sentence of a corpus into another language and back, with models on this machine."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.generate.seq2seq import Seq2SeqModel, backtranslated
from contrapose.stage import log_to, provenance
from contrapose.tables import PARAPHRASES, SENTENCES, TRANSLATIONS, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads):
    resources = snakemake.resources
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    there, back = (Seq2SeqModel(folder, resources.device) for folder in (resources.there, resources.back))
    translations, found = backtranslated(sentences, there, back)
    write_table(translations, snakemake.output.translations, TRANSLATIONS, provenance(snakemake))
    write_table(found, snakemake.output.backtranslations, PARAPHRASES, provenance(snakemake))
