#!/bin/sh
# Make a virtual environment with the pinned versions. Safe to run again; stops with one clear message.
# Usage: sh envs/setup.sh FOLDER        PYTHON=... chooses the interpreter.
set -eu
venv=$1
log=$venv.log
need_mb=4000 # CPU build of torch and everything else, unpacked, with the downloads

stop() {
    printf '\nset-up stopped: %s\n' "$1" >&2
    exit 1
}

python=
for candidate in ${PYTHON:-} python3.11 python3.12 python3.13 python3.14 python3; do
    if "$candidate" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || stop "no Python 3.11 or newer found (looked for ${PYTHON:-}python3.11 ... python3).
Install one, or say where it is: make setup PYTHON=/path/to/python3.11"

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    stop "$python cannot make virtual environments. Debian and Ubuntu: apt-get install python3-venv"

free_mb=$(df -Pk . | awk 'NR == 2 {print int($4 / 1024)}')
[ "$free_mb" -ge "$need_mb" ] || [ -x "$venv/bin/snakemake" ] ||
    stop "only $free_mb MB free here, about $need_mb MB are needed. Free some space and run it again."

# A linked or copied environment may be another clone's: installing here would make that clone run this code.
owner=$("$venv/bin/python" -I -c 'from contrapose.base.home import HOME; print(HOME)' 2>/dev/null) || owner=
if [ -n "$owner" ] && [ -d "$owner" ] && [ "$owner" != "$(pwd -P)" ]; then
    stop "$venv belongs to $owner, and nothing was changed in it.
Remove $venv here (if it is a link: the link), and run it again: it makes an environment for this folder."
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || stop "could not make $venv with $python."

echo "installing into $venv (a few minutes the first time; details in $log)"
if ! "$venv/bin/python" -m pip install --disable-pip-version-check -c constraints.txt -e '.[dev,slurm]' >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    if grep -qiE 'no space left|errno 28' "$log"; then
        stop "the disk is full. Free some space and run it again; what was installed is kept."
    elif grep -qiE 'connection|resolve|timed out|network is unreachable|no matching distribution|proxy' "$log"; then
        stop "a package could not be fetched: no network, or no access to the package index.
Check the connection (or pip's index settings) and run it again; what was installed is kept."
    fi
    stop "pip failed; all of its output is in $log."
fi
pwd -P >"$venv/.ready"
