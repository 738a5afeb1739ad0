"""Tables of the stage retrieve: texts and sets from outside, in our form."""

import pyarrow as pa

from contrapose.tables.parquet import column, float32, float64, int16, int32, int64, string, table

ARTICLES = table(
    "articles",
    ("id",),
    string("id", "The id in the source, or the line number if it has none"),
    string("title", "The title; empty if the source has none"),
    string("text", "The text with its line breaks"),
    description="Each row is an article.",
)

PHRASES = table(
    "phrases",
    ("phrase",),
    string("phrase", "The words with one space between them; letter case counts"),
    description="Each row is a phrase of a dictionary that can be replaced.",
)

RULES = table(
    "rules",
    ("phrase", "target"),
    int32("phrase", "The row of the replaced phrase in PHRASES, from 0; the table is sorted by it"),
    string("target", "The phrase that replaces it"),
    float32("probability", "p(target | phrase), in (0, 1]"),
    string("relation", "PPDB's class of entailment; empty if there is none"),
    description="Each row is a replacement that a dictionary offers for a phrase.",
)

DICTIONARY_LINES = table(
    "dictionary_lines",
    ("what",),
    string("what", "The counted thing: lines, rules, phrases, or an unusual kind of lines"),
    int64("number", "The number of them"),
    string("example", "The first one, with its file and line"),
    description="Each row counts lines, rules or phrases of a dictionary, or unusual lines.",
)

TRIPLETS = table(
    "triplets",
    ("id", "slot"),
    string("id", "The row of the file in which the triplet or its premise first occurs, from 0"),
    int16("slot", "The number of the entailment in its row; otherwise 0"),
    string("premise", "The premise"),
    string("entailment", "The text that it entails"),
    column("negatives", pa.list_(pa.string()), "The texts that contradict it; empty in a file of pairs"),
    column(
        "negative_scores", pa.list_(pa.float32()), "The scores of the negatives in the file; may be empty"
    ),
    float32("label", "The target of the cosine of premise and entailment; missing in most files"),
    nullable=("label",),
    version=2,
    description="Each row is a premise with an entailment and contradictions.",
)

RECORDED_ANSWERS = table(
    "recorded_answers",
    ("prompt", "sentence"),
    string("prompt", 'The name of the prompt, for example "2"'),
    string("sentence", "The sentence in the request, with one space between words"),
    string("answer", "The raw text of the answer; a list of texts is numbered"),
    description="Each row is a recorded answer of a language model.",
)

BENCHMARK = table(
    "benchmark",
    ("task", "form", "split", "subset", "row"),
    string("task", "The task, for example sts12 or atec"),
    string("form", "The text form: senteval (Moses-tokenised) or raw"),
    string("split", "The split: train, dev or test"),
    string("subset", "The subset, such as MSRpar; the task itself if there are none"),
    int32("row", "The line in the file of the subset, from 0, without unscored lines"),
    string("sentence1", "The first sentence of the pair"),
    string("sentence2", "The second sentence of the pair"),
    float64("score", "The gold score on the scale of the set: 0 to 5, 1 to 5 (SICK), or labels 0 and 1"),
    description="Each row is a scored pair of an evaluation set.",
)

TRANSFER = table(
    "transfer",
    ("task", "split", "row"),
    string("task", "The task: mr, cr, subj, mpqa, sst2, trec or mrpc"),
    string("split", "The split: train, dev or test; all for a task without given splits"),
    int32("row", "The line in the files of the split, one file after the other, from 0"),
    string("sentence1", "The sentence; it may be empty in mr, cr, subj and mpqa"),
    string("sentence2", "The second sentence of mrpc"),
    int16(
        "label",
        "1 is positive, objective or a paraphrase; trec has ABBR, DESC, ENTY, HUM, LOC and NUM from 0",
    ),
    nullable=("sentence2",),
    description="Each row is an item of a transfer task.",
)

NAIVE = table(
    "naive",
    ("task", "form", "split", "subset", "row", "side"),
    string("task", "A task that this reader changes: sts12 to sts16, or stsb"),
    string("form", "The text form, as in BENCHMARK"),
    string("split", "The split, as in BENCHMARK"),
    string("subset", "The subset, as in BENCHMARK"),
    int32("row", "The record of the file, from 0"),
    int16("side", "The sentence of the pair: 1 or 2"),
    string("text", "The sentence as this reader finds it"),
    description="Each row is a sentence of a test set as a simple reader finds it: with unscored lines, or "
    "with quotation marks in STS-B obeyed.",
)
