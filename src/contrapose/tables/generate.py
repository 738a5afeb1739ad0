"""Tables of the stage generate: texts generated for sentences, and their costs."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

REWRITES = Table(
    "rewrites",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is rewritten"),
        column("number", pa.int16(), description="of the candidate, from 0: likeliest first, then by text"),
        column("position", pa.int16(), description="of the first word that is replaced, from 0"),
        column("source", pa.string(), description="phrases that are replaced, ` + ` between several"),
        column("target", pa.string(), description="what stands there now"),
        column("probability", pa.float32(), description="p(target | source); of several their product"),
        column("relation", pa.string(), description="of RULES"),
        column("text", pa.string(), description="the rewritten sentence"),
    ),
    key=("sentence_id", "number"),
)

COMPLETIONS = Table(
    "completions",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that was asked about"),
        column("prompt", pa.string(), description='name of the prompt, e.g. "2"'),
        column("llm", pa.string(), description='role in the world, e.g. "chatgpt"'),
        column("attempt", pa.int16(), description="0, 1, 2: paid tries for this sentence"),
        column("answer", pa.string(), description="raw text, as it came"),
        column("finish_reason", pa.string(), description="as the server gave it: stop, length ..."),
        column("prompt_tokens", pa.int32(), description="missing where the server does not say"),
        column("completion_tokens", pa.int32(), description="likewise, of the answer"),
        column("model", pa.string(), description="as the server named it"),
        column("refused", pa.string(), description="why the answer was not accepted, or empty"),
    ),
    key=("sentence_id", "prompt", "llm", "attempt"),
    nullable=("prompt_tokens", "completion_tokens"),
)

PARAPHRASES = Table(
    "paraphrases",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is paraphrased"),
        column("slot", pa.int16(), description="0..4, in the order of the answer"),
        column("text", pa.string(), description="the paraphrase"),
    ),
    key=("sentence_id", "slot"),
)

SYNTHETIC = Table(
    "synthetic",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that the text was written for"),
        column("label", pa.float32(), description="similarity that the text was to have: 0, 0.5, 1"),
        column("entry", pa.int16(), description="of this sentence and label, from 0"),
        column(
            "text",
            pa.string(),
            description="without what follows the closing quotation mark; as it came if refused",
        ),
        column("refused", pa.string(), description="why it cannot be used, or empty"),
    ),
    key=("sentence_id", "label", "entry"),
)

TRANSLATIONS = Table(
    "translations",
    columns(
        column("text", pa.string(), description="as it stands in the evaluation set or corpus"),
        column("translation", pa.string(), description="of the text"),
    ),
    key=("text",),
)

REPLACEMENTS = Table(
    "replacements",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that stays out"),
        column("replacement_id", pa.string(), description="of the sentence that took its place"),
        column("number", pa.int16(), description="1 for the first replacement drawn, 2 for the next ..."),
        column("reason", pa.string(), description="why the last answer for the sentence was refused"),
    ),
    key=("sentence_id", "number"),
)

ANSWERS = Table(
    "answers",
    columns(
        column("writer", pa.string(), description="of the journal"),
        column("number", pa.int64(), description="of the answer in that journal, from 0"),
        column("key", pa.string(), description="hash of the request"),
        column("sentence_id", pa.string(), description="of the sentence that was asked about"),
        column("prompt", pa.string(), description="name of the prompt"),
        column("attempt", pa.int16(), description="paid try for this sentence, from 0"),
        column("asked_model", pa.string(), description="model in the request"),
        column("outcome", pa.string(), description="a row of the table in outcomes.py"),
        column("status", pa.int16(), description="of HTTP; 0 where nothing came"),
        column("answer", pa.string(), description="as it came; empty where there is none"),
        column("finish_reason", pa.string(), description="as the server gave it: stop, length ..."),
        column("prompt_tokens", pa.int32(), description="missing where the server does not count"),
        column("completion_tokens", pa.int32(), description="likewise, of the answer"),
        column("model", pa.string(), description="as the server calls itself"),
        column("seconds", pa.float32(), description="from sending to the whole answer"),
        column("time", pa.float64(), description="of the answer, seconds since 1970"),
    ),
    key=("writer", "number"),
    nullable=("prompt_tokens", "completion_tokens", "seconds", "time"),
)

COST = Table(
    "cost",
    columns(
        column("llm", pa.string(), description="role in the world"),
        column("model", pa.string(), description="its name in the requests"),
        column("corpus", pa.string(), description="name of the corpus that was asked about"),
        column("prompt", pa.string(), description="name of the prompt; `greeting`: whether a server works"),
        column("shard", pa.string(), description="`0-of-2`, `merge` for replacements, `batch`"),
        column(
            "outcome",
            pa.string(),
            description="accepted, a refusal's code, a row of the table in outcomes.py, `unused` (in no "
            "table), `in flight` (a killed job's), `batch_expired` or the code of an error in a batch",
        ),
        column("requests", pa.int64(), description="that ended so"),
        column("prompt_tokens", pa.int64(), description="as the server counted them"),
        column("completion_tokens", pa.int64(), description="likewise, of the answers"),
        column("usd", pa.float64(), description="of these tokens, at the prices of the day they were paid"),
        column("unknown", pa.int64(), description="of the requests: those whose tokens are not told"),
        column("usd_at_most", pa.float64(), description="usd, and the worst case of the unknown ones"),
    ),
    key=("llm", "model", "corpus", "prompt", "shard", "outcome"),
)
