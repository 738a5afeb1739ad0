"""Tables of the stage generate: texts generated for sentences, and their costs."""

from contrapose.tables.parquet import float32, float64, int16, int32, int64, string, table

REWRITES = table(
    "rewrites",
    ("sentence_id", "number"),
    string("sentence_id", "of the sentence that is rewritten"),
    int16("number", "of the candidate, from 0: likeliest first, then by text"),
    int16("position", "of the first word that is replaced, from 0"),
    string("source", "phrases that are replaced, ` + ` between several"),
    string("target", "what stands there now"),
    float32("probability", "p(target | source); of several their product"),
    string("relation", "of RULES"),
    string("text", "the rewritten sentence"),
    description="Each row is a sentence in which phrases of a dictionary are replaced.",
)

COMPLETIONS = table(
    "completions",
    ("sentence_id", "prompt", "llm", "attempt"),
    string("sentence_id", "of the sentence that was asked about"),
    string("prompt", 'name of the prompt, e.g. "2"'),
    string("llm", 'role in the catalog, e.g. "chatgpt"'),
    int16("attempt", "0, 1, 2: paid tries for this sentence"),
    string("answer", "raw text, as it came"),
    string("finish_reason", "as the server gave it: stop, length ..."),
    int32("prompt_tokens", "missing where the server does not say"),
    int32("completion_tokens", "likewise, of the answer"),
    string("model", "as the server named it"),
    string("refused", "why the answer was not accepted, or empty"),
    nullable=("prompt_tokens", "completion_tokens"),
    description="Each row is a paid answer of a language model about a sentence.",
)

PARAPHRASES = table(
    "paraphrases",
    ("sentence_id", "slot"),
    string("sentence_id", "of the sentence that is paraphrased"),
    int16("slot", "0..4, in the order of the answer"),
    string("text", "the paraphrase"),
    description="Each row is an accepted paraphrase of a sentence.",
)

ENTAILMENTS = table(
    "entailments",
    ("sentence_id",),
    string("sentence_id", "of the sentence that the texts were written for"),
    string("entailment", "what it entails, as the model wrote it"),
    string("contradiction", "what contradicts it, likewise"),
    float32("p_entailment", "probability that it entails the first, by the same model"),
    float32("p_contradiction", "probability that it does not entail the second, likewise"),
    description="Each row holds the entailment and the contradiction that a model wrote for a sentence.",
)

SYNTHETIC = table(
    "synthetic",
    ("sentence_id", "label", "entry"),
    string("sentence_id", "of the sentence that the text was written for"),
    float32("label", "similarity that the text was to have: 0, 0.5, 1"),
    int16("entry", "of this sentence and label, from 0"),
    string("text", "without what follows the closing quotation mark; as it came if refused"),
    string("refused", "why it cannot be used, or empty"),
    description="Each row is a text that a language model wrote for a sentence, by label.",
)

TRANSLATIONS = table(
    "translations",
    ("text",),
    string("text", "as it stands in the evaluation set or corpus"),
    string("translation", "of the text"),
    description="Each row is a translated text.",
)

REPLACEMENTS = table(
    "replacements",
    ("sentence_id", "number"),
    string("sentence_id", "of the sentence that stays out"),
    string("replacement_id", "of the sentence that took its place"),
    int16("number", "1 for the first replacement drawn, 2 for the next ..."),
    string("reason", "why the last answer for the sentence was refused"),
    description="Each row is a sentence that replaces one without paraphrases.",
)

ANSWERS = table(
    "answers",
    ("writer", "number"),
    string("writer", "of the journal"),
    int64("number", "of the answer in that journal, from 0"),
    string("key", "hash of the request"),
    string("sentence_id", "of the sentence that was asked about"),
    string("prompt", "name of the prompt"),
    int16("attempt", "paid try for this sentence, from 0"),
    string("asked_model", "model in the request"),
    string("outcome", "a row of the table in outcomes.py"),
    int16("status", "of HTTP; 0 where nothing came"),
    string("answer", "as it came; empty where there is none"),
    string("finish_reason", "as the server gave it: stop, length ..."),
    int32("prompt_tokens", "missing where the server does not count"),
    int32("completion_tokens", "likewise, of the answer"),
    string("model", "as the server calls itself"),
    float32("seconds", "from sending to the whole answer"),
    float64("time", "of the answer, seconds since 1970"),
    nullable=("prompt_tokens", "completion_tokens", "seconds", "time"),
    description="Each row counts answers of a language model.",
)

COST = table(
    "cost",
    ("llm", "model", "corpus", "prompt", "shard", "outcome"),
    string("llm", "role in the catalog"),
    string("model", "its name in the requests"),
    string("corpus", "name of the corpus that was asked about"),
    string("prompt", "name of the prompt; `greeting`: whether a server works"),
    string("shard", "`0-of-2`, `merge` for replacements, `batch`"),
    string(
        "outcome",
        "accepted, a refusal's code, a row of the table in outcomes.py, `unused` (in no "
        "table), `in flight` (a killed job's), `batch_expired` or the code of an error in a batch",
    ),
    int64("requests", "that ended so"),
    int64("prompt_tokens", "as the server counted them"),
    int64("completion_tokens", "likewise, of the answers"),
    float64("usd", "of these tokens, at the prices of the day they were paid"),
    int64("unknown", "of the requests: those whose tokens are not told"),
    float64("usd_at_most", "usd, and the worst case of the unknown ones"),
    description="Each row holds the tokens and dollars of a language model.",
)
