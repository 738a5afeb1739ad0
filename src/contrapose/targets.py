"""What a submitted job is asked to build, read from its command line.

Snakemake tells a submitted job its rule and wildcards, `train:pairs="paraphrase,llm=vicuna",seed=42`.  It
quotes a value with a comma and then splits it at the comma all the same (snakemake#2366, open in 9.27), so
such a job would build `paraphrase` instead, without an error.  Ids of this project have commas: they are
read here, too.
"""

import re
from collections.abc import Iterator, Sequence

TARGETS = "--target-jobs"
WILDCARD = re.compile(r'(?P<name>\w+)=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^,]*))(?:,|$)')


def target_jobs(arguments: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield rule and wildcards of each job that a call of Snakemake is to build; none in a person's call.

    Parameters
    ----------
    arguments : sequence of str
        Of the call, as `sys.argv` has them.
    """
    if TARGETS not in arguments:
        return
    for argument in arguments[arguments.index(TARGETS) + 1 :]:
        if argument.startswith("--"):
            return
        rule, _, wildcards = argument.partition(":")
        yield rule, {found["name"]: _value(found) for found in WILDCARD.finditer(wildcards)}


def _value(found: re.Match[str]) -> str:
    return found["plain"] if found["quoted"] is None else found["quoted"]
