"""Tables of the stage generate: texts that were written for sentences, and what they cost."""

import pyarrow as pa

from contrapose.tables.parquet import Table

REWRITES = Table(
    "rewrites",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("number", pa.int16()),  # of the candidate, from 0: the likeliest first, then by text
            ("position", pa.int16()),  # of the first word that is replaced, from 0
            ("source", pa.string()),  # phrases that are replaced, ` + ` between several
            ("target", pa.string()),  # what stands there now
            ("probability", pa.float32()),  # p(target | source); of several their product
            ("relation", pa.string()),  # of RULES
            ("text", pa.string()),
        ]
    ),
    key=("sentence_id", "number"),
)


COMPLETIONS = Table(
    "completions",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("prompt", pa.string()),  # name of the prompt, e.g. "2"
            ("llm", pa.string()),  # role in the world, e.g. "chatgpt"
            ("attempt", pa.int16()),  # 0, 1, 2: paid tries for this sentence
            ("answer", pa.string()),  # raw text, as it came
            ("finish_reason", pa.string()),
            ("prompt_tokens", pa.int32()),  # missing where the server does not say
            ("completion_tokens", pa.int32()),
            ("model", pa.string()),  # as the server named it
            ("refused", pa.string()),  # why the answer was not accepted, or empty
        ]
    ),
    key=("sentence_id", "prompt", "llm", "attempt"),
    nullable=("prompt_tokens", "completion_tokens"),
)


PARAPHRASES = Table(
    "paraphrases",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("slot", pa.int16()),  # 0..4, in the order of the answer
            ("text", pa.string()),
        ]
    ),
    key=("sentence_id", "slot"),
)


SYNTHETIC = Table(
    "synthetic",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("label", pa.float32()),  # similarity that the text was to have: 0, 0.5, 1
            ("entry", pa.int16()),  # of this sentence and label, from 0
            ("text", pa.string()),  # without what follows the closing quotation mark; as it came if refused
            ("refused", pa.string()),  # why it cannot be used, or empty
        ]
    ),
    key=("sentence_id", "label", "entry"),
)


TRANSLATIONS = Table(
    "translations",
    pa.schema(
        [
            ("text", pa.string()),  # as it stands in the evaluation set
            ("translation", pa.string()),
        ]
    ),
    key=("text",),
)


REPLACEMENTS = Table(
    "replacements",
    pa.schema(
        [
            ("sentence_id", pa.string()),  # of the sentence that stays out
            ("replacement_id", pa.string()),  # of the sentence that took its place
            ("number", pa.int16()),  # 1 for the first replacement drawn, 2 for the next ...
            ("reason", pa.string()),  # why the last answer for the sentence was refused
        ]
    ),
    key=("sentence_id", "number"),
)


ANSWERS = Table(
    "answers",
    pa.schema(
        [
            ("writer", pa.string()),  # of the journal
            ("number", pa.int64()),  # of the answer in that journal, from 0
            ("key", pa.string()),  # hash of the request
            ("sentence_id", pa.string()),
            ("prompt", pa.string()),  # name of the prompt
            ("attempt", pa.int16()),  # paid try for this sentence, from 0
            ("asked_model", pa.string()),
            ("outcome", pa.string()),  # a row of the table in outcomes.py
            ("status", pa.int16()),  # of HTTP; 0 where nothing came
            ("answer", pa.string()),  # as it came; empty where there is none
            ("finish_reason", pa.string()),
            ("prompt_tokens", pa.int32()),  # missing where the server does not count
            ("completion_tokens", pa.int32()),
            ("model", pa.string()),  # as the server calls itself
            ("seconds", pa.float32()),  # from sending to the whole answer
            ("time", pa.float64()),  # of the answer, seconds since 1970
        ]
    ),
    key=("writer", "number"),
    nullable=("prompt_tokens", "completion_tokens", "seconds", "time"),
)


COST = Table(
    "cost",
    pa.schema(
        [
            ("llm", pa.string()),  # role in the world
            ("model", pa.string()),  # as it is asked for
            ("corpus", pa.string()),
            ("prompt", pa.string()),  # name of the prompt; `greeting` looks whether a server works
            ("shard", pa.string()),  # `0-of-2`, `merge` for replacements, `batch`
            # accepted, a refusal's code, a row of the table in outcomes.py, `unused` (in no table),
            # `in flight` (a killed job's), `batch_expired` or the code of an error in a batch
            ("outcome", pa.string()),
            ("requests", pa.int64()),
            ("prompt_tokens", pa.int64()),  # as the server counted them
            ("completion_tokens", pa.int64()),
            ("usd", pa.float64()),  # of these tokens, at the prices of the day they were paid
            ("unknown", pa.int64()),  # of the requests: those whose tokens the server did not tell
            ("usd_at_most", pa.float64()),  # usd, and the worst case of the unknown ones
        ]
    ),
    key=("llm", "model", "corpus", "prompt", "shard", "outcome"),
)
