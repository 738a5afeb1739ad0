#!/bin/sh
# A real comparison of ten minutes: 30 sentences of Wikipedia, a real encoder and a chat model on this machine.
# Usage: make demo-real, with these variables:
#   ENCODER   folder or hub name of the encoder; default sentence-transformers/all-MiniLM-L6-v2
#   GGUF      file of a chat model, which SERVER (default llama-server, of llama.cpp) serves on port PORT (default 8099)
#   ENDPOINT  in place of GGUF: the URL of a server that runs, such as http://localhost:11434/v1, with MODEL=NAME
set -eu
folder=real-demo
model=${MODEL:-local}

if [ -n "${GGUF:-}" ]; then
    port=${PORT:-8099}
    endpoint=http://127.0.0.1:$port/v1
    mkdir -p logs
    cores=$(getconf _NPROCESSORS_ONLN)
    threads=$((cores > 1 ? cores - 1 : 1)) # with a thread for each core, the server stalls next to other work
    "${SERVER:-llama-server}" -m "$GGUF" --host 127.0.0.1 --port "$port" -c 8192 -np 4 -t "$threads" -tb "$threads" \
        >logs/demo-server.log 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null || true' EXIT INT TERM
    seconds=0
    until curl -sf "http://127.0.0.1:$port/health" >/dev/null; do
        kill -0 $server 2>/dev/null || { echo "The server ended: $(tail -n 1 logs/demo-server.log)" >&2; exit 1; }
        [ $((seconds += 1)) -le 120 ] || { echo "The server is not ready after two minutes: logs/demo-server.log" >&2; exit 1; }
        sleep 1
    done
elif [ -n "${ENDPOINT:-}" ]; then
    endpoint=$ENDPOINT
else
    echo "make demo-real needs a chat model: GGUF=FILE (and SERVER=llama-server), or ENDPOINT=URL MODEL=NAME." >&2
    exit 2
fi

if [ ! -e "$folder" ]; then # a second call continues
    mkdir -p logs
    python - <<'P'
import pandas as pd

columns = ["genre", "file", "year", "number", "score", "sentence1", "sentence2"]
pairs = pd.read_csv("examples/wiki/data/test_pairs/sts-test.csv", sep="\t", names=columns, quoting=3, usecols=range(7))
pairs[["sentence1", "sentence2", "score"]].to_csv("logs/demo-test.csv", index=False)
P
    contrapose init "$folder" --sentences examples/wiki/data/sentences.txt --test logs/demo-test.csv \
        --encoder "${ENCODER:-sentence-transformers/all-MiniLM-L6-v2}" \
        --llm "{endpoint: '$endpoint', model: '$model', concurrency: 4}"
fi
# A small model writes one sentence at a time more reliably than five, so the prompt is that of the styles.
contrapose run --directory "$folder" --config sentences=30 seeds=3 \
    --methods "Word deletion" "LLM paraphrases in styles (GCSE)" -- compare
contrapose report --directory "$folder" --config sentences=30 seeds=3
