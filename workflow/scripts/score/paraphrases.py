"""Score the paraphrases of every sentence: similarity, BLEU and the thesis's total."""

from contrapose.corpus.languages import counted_words
from contrapose.left_out import or_left_out
from contrapose.score.jobs import TextsJob
from contrapose.score.paraphrases import sentence_scores, slot_scores
from contrapose.score.texts import read_texts
from contrapose.stage import log_to, provenance
from contrapose.tables import SENTENCE_SCORES, SIMILARITIES, SLOT_SCORES, read_table, write_table

with log_to(snakemake.log[0]), or_left_out(snakemake, sentences=SENTENCE_SCORES, slots=SLOT_SCORES):
    job = TextsJob.model_validate_json(snakemake.params.settings)
    pairs, cut = read_texts(snakemake.input), counted_words(job.language)
    slots = slot_scores(pairs, read_table(snakemake.input.similarities, SIMILARITIES), cut)
    made_from = provenance(snakemake)
    write_table(slots, snakemake.output.slots, SLOT_SCORES, made_from)
    write_table(sentence_scores(pairs, slots, cut), snakemake.output.sentences, SENTENCE_SCORES, made_from)
