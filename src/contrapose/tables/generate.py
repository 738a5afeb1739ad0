"""Tables of the stage generate: texts generated for sentences, and their costs."""

from contrapose.tables.parquet import float32, float64, int16, int32, int64, string, table

REWRITES = table(
    "rewrites",
    ("sentence_id", "number"),
    string("sentence_id", "The id of the sentence that is rewritten"),
    int16("number", "The number of the candidate, from 0: the likeliest first, then by text"),
    int16("position", "The position of the first replaced word, from 0"),
    string("source", "The replaced phrases, with ` + ` between them"),
    string("target", "The phrases that replace them"),
    float32("probability", "p(target | source); a product if several phrases are replaced"),
    string("relation", "The relation of the rule in RULES"),
    string("text", "The rewritten sentence"),
    description="Each row is a sentence in which phrases of a dictionary are replaced.",
)

COMPLETIONS = table(
    "completions",
    ("sentence_id", "prompt", "llm", "attempt"),
    string("sentence_id", "The id of the sentence in the request"),
    string("prompt", 'The name of the prompt, for example "2"'),
    string("llm", 'The role of the model in the catalog, for example "chatgpt"'),
    int16("attempt", "The number of the paid attempt for this sentence, from 0"),
    string("answer", "The raw text of the answer"),
    string("finish_reason", "The finish reason that the server gave: stop, length ..."),
    int32("prompt_tokens", "The number of prompt tokens; missing if the server does not report it"),
    int32(
        "completion_tokens", "The number of tokens of the answer; missing if the server does not report it"
    ),
    string("model", "The name of the model that the server reported"),
    string("refused", "The reason why the answer was refused; empty if it was accepted"),
    nullable=("prompt_tokens", "completion_tokens"),
    description="Each row is a paid answer of a language model about a sentence.",
)

PARAPHRASES = table(
    "paraphrases",
    ("sentence_id", "slot"),
    string("sentence_id", "The id of the sentence that is paraphrased"),
    int16("slot", "The place in the answer, 0 to 4"),
    string("text", "The paraphrase"),
    description="Each row is an accepted paraphrase of a sentence.",
)

ENTAILMENTS = table(
    "entailments",
    ("sentence_id",),
    string("sentence_id", "The id of the sentence that the texts were written for"),
    string("entailment", "The text that the sentence entails, as the model wrote it"),
    string("contradiction", "The text that contradicts the sentence, as the model wrote it"),
    float32("p_entailment", "The probability that the sentence entails the first text, by the same model"),
    float32(
        "p_contradiction", "The probability that the sentence contradicts the second text, by the same model"
    ),
    description="Each row holds the entailment and the contradiction that a model wrote for a sentence.",
)

SYNTHETIC = table(
    "synthetic",
    ("sentence_id", "label", "entry"),
    string("sentence_id", "The id of the sentence that the text was written for"),
    float32("label", "The similarity that the model was asked for: 0, 0.5 or 1"),
    int16("entry", "The number of the text for this sentence and label, from 0"),
    string("text", "The text up to the closing quotation mark; the whole text if it was refused"),
    string("refused", "The reason why the text cannot be used; empty if it can"),
    description="Each row is a text that a language model wrote for a sentence, by label.",
)

TRANSLATIONS = table(
    "translations",
    ("text",),
    string("text", "The text in the evaluation set or corpus"),
    string("translation", "The translation of the text"),
    description="Each row is a translated text.",
)

REPLACEMENTS = table(
    "replacements",
    ("sentence_id", "number"),
    string("sentence_id", "The id of the sentence that is replaced"),
    string("replacement_id", "The id of the sentence that replaces it"),
    int16("number", "The number of the replacement, from 1"),
    string("reason", "The reason why the last answer for the sentence was refused"),
    description="Each row is a sentence that replaces one without paraphrases.",
)

ANSWERS = table(
    "answers",
    ("writer", "number"),
    string("writer", "The job that received the answer"),
    int64("number", "The number of the answer among those of this job, from 0"),
    string("key", "The hash of the request"),
    string("sentence_id", "The id of the sentence in the request"),
    string("prompt", "The name of the prompt"),
    int16("attempt", "The number of the paid attempt for this sentence, from 0"),
    string("asked_model", "The name of the model in the request"),
    string("outcome", "The outcome of the request (docs/reference/outcomes.md)"),
    int16("status", "The HTTP status; 0 if no answer arrived"),
    string("answer", "The raw text of the answer; empty if there is none"),
    string("finish_reason", "The finish reason that the server gave: stop, length ..."),
    int32("prompt_tokens", "The number of prompt tokens; missing if the server does not report it"),
    int32(
        "completion_tokens", "The number of tokens of the answer; missing if the server does not report it"
    ),
    string("model", "The name of the model that the server reported"),
    float32("seconds", "The seconds from the request to the whole answer"),
    float64("time", "The time of the answer, in seconds since 1970"),
    nullable=("prompt_tokens", "completion_tokens", "seconds", "time"),
    description="Each row counts answers of a language model.",
)

COST = table(
    "cost",
    ("llm", "model", "corpus", "prompt", "shard", "outcome"),
    string("llm", "The role of the model in the catalog"),
    string("model", "The name of the model in the requests"),
    string("corpus", "The name of the corpus"),
    string("prompt", "The name of the prompt; `greeting` tests whether a server works"),
    string("shard", "The shard, such as `0-of-2`; `merge` for replacements, or `batch`"),
    string(
        "outcome",
        "accepted, the code of a refusal or outcome (docs/reference/outcomes.md), `unused`, `in "
        "flight` (of a killed job), `batch_expired` or an error code",
    ),
    int64("requests", "The number of requests with this outcome"),
    int64("prompt_tokens", "The number of prompt tokens that the server counted"),
    int64("completion_tokens", "The number of tokens of the answers that the server counted"),
    float64("usd", "The cost of these tokens in USD, at the prices of that day"),
    int64("unknown", "The number of requests whose tokens are not known"),
    float64("usd_at_most", "The cost in USD, with the worst case for requests whose tokens are not known"),
    description="Each row holds the tokens and dollars of a language model.",
)
