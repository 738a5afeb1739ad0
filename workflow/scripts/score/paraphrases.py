"""Score the paraphrases of every sentence: similarity, BLEU and the thesis's total."""

from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.score.paraphrases import sentence_scores, slot_scores
from contrapose.stage import log_to, provenance
from contrapose.tables import (
    PARAPHRASES,
    SENTENCE_SCORES,
    SENTENCES,
    SIMILARITIES,
    SLOT_SCORES,
    read_table,
    write_table,
)

with log_to(snakemake.log[0]):
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(snakemake.input.paraphrases, PARAPHRASES))
    slots = slot_scores(pairs, read_table(snakemake.input.similarities, SIMILARITIES))
    made_from = provenance(snakemake)
    write_table(slots, snakemake.output.slots, SLOT_SCORES, made_from)
    write_table(sentence_scores(pairs, slots), snakemake.output.sentences, SENTENCE_SCORES, made_from)
