"""Tables of the stage retrieve: texts and sets from outside, in our form."""

import pyarrow as pa

from contrapose.tables.parquet import column, float32, float64, int16, int32, int64, string, table

ARTICLES = table(
    "articles",
    ("id",),
    string("id", "the source's own id, or the line number where it has none"),
    string("title", "empty where the source has none"),
    string("text", "line breaks kept"),
    description="Each row is an article.",
)

PHRASES = table(
    "phrases",
    ("phrase",),
    string("phrase", "words with one blank between; matched letter by letter"),
    description="Each row is a phrase of a dictionary that can be replaced.",
)

RULES = table(
    "rules",
    ("phrase", "target"),
    int32("phrase", "row of PHRASES, from 0: what is replaced; sorted by it"),
    string("target", "what it is replaced by, like a phrase"),
    float32("probability", "p(target | phrase), in (0, 1]"),
    string("relation", "PPDB's class of entailment; empty if there is none"),
    description="Each row is a replacement that a dictionary offers for a phrase.",
)

DICTIONARY_LINES = table(
    "dictionary_lines",
    ("what",),
    string("what", "lines, rules, phrases, or what was unusual about lines"),
    int64("number", "how many"),
    string("example", "the first one, with its file and line"),
    description="Each row counts lines, rules or phrases of a dictionary, or unusual lines.",
)

TRIPLES = table(
    "triples",
    ("id", "slot"),
    string("id", "row of the file in which the triple, or its premise, stands first, from 0"),
    int16("slot", "of several entailments in a row; else 0"),
    string("premise", "the sentence"),
    string("entailment", "follows from it"),
    column("negatives", pa.list_(pa.string()), "contradict it; none in a file of pairs"),
    column("negative_scores", pa.list_(pa.float32()), "of each, of the file; or empty"),
    float32("label", "cosine that both are to have; missing in most files"),
    nullable=("label",),
    version=2,
    description="Each row is a premise with an entailment and contradictions.",
)

RECORDED_ANSWERS = table(
    "recorded_answers",
    ("prompt", "sentence"),
    string("prompt", 'name of the prompt, e.g. "2"'),
    string("sentence", "that was asked about, one space between words"),
    string("answer", "as it came; texts apart as a numbered list"),
    description="Each row is a recorded answer of a language model.",
)

BENCHMARK = table(
    "benchmark",
    ("task", "form", "split", "subset", "row"),
    string("task", "of tasks.py: sts12 ... atec ..."),
    string("form", "senteval (Moses-tokenised) or raw"),
    string("split", "train | dev | test"),
    string("subset", "MSRpar ...; the task again where there are none"),
    int32("row", "line in the subset's file, from 0, without unscored ones"),
    string("sentence1", "first sentence of the pair"),
    string("sentence2", "second sentence of the pair"),
    float64("score", "gold, on the set's scale: 0-5, SICK 1-5, labels 0 and 1"),
    description="Each row is a scored pair of an evaluation set.",
)

TRANSFER = table(
    "transfer",
    ("task", "split", "row"),
    string("task", "mr | cr | subj | mpqa | sst2 | trec | mrpc"),
    string("split", "train | dev | test; all for a task without given splits"),
    int32("row", "line in the split's files, one file after the other, from 0"),
    string("sentence1", "of mr, cr, subj and mpqa it may be empty"),
    string("sentence2", "of mrpc"),
    int16("label", "1: positive, objective, paraphrase; trec: ABBR DESC ENTY HUM LOC NUM from 0"),
    nullable=("sentence2",),
    description="Each row is an item of a transfer task.",
)

NAIVE = table(
    "naive",
    ("task", "form", "split", "subset", "row", "side"),
    string("task", "those that a naive reading changes: sts12 ... sts16, stsb"),
    string("form", "as in BENCHMARK"),
    string("split", "as in BENCHMARK"),
    string("subset", "as in BENCHMARK"),
    int32("row", "record of the file, from 0"),
    int16("side", "1 or 2: which sentence of the pair"),
    string("text", "the sentence, as a naive reading has it"),
    description="Each row is a sentence of an evaluation set that a naive reading of the file changes.",
)
