"""The page of the command line, from the parsers of all verbs."""

import argparse
import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc

from contrapose.command import FORMER, FORMER_OPTIONS, GROUPS, VERBS
from contrapose.tools.arguments import EXAMPLES, parser_of
from contrapose.tools.parser import SHARED, commands_of, value_of
from contrapose.tools.reference.markdown import begun, rows
from contrapose.tools.run import HELP

INTRODUCTION = """# Command line

The command `contrapose` has these verbs. `contrapose VERB --help` shows the same options, defaults and
example in a terminal. In the examples, `mine` is a project that `contrapose init` has created, and `writer`
is the name of a language model in its catalog.
"""
COMMON = """
## Common options

Most verbs have these options and this argument. The usage line of a verb shows which ones it has.

- `-d FOLDER`, `--directory FOLDER`: Use the project in this folder. By default, it is the current folder.
  Other paths of the command are relative to that folder, also those of files that it writes.
- `--config KEY=VALUE ...`: Change keys of [`config.yaml`](configuration/config.md) for this call only, for
  example `seeds=5`. Put `--` between the last key and the targets, METHOD or LLM.
  `llms.NAME.SETTING=VALUE` changes a setting of the language model NAME.
- `--methods NAME ...`: Build comparisons with these methods only. `contrapose list` shows their names. Put a
  name with blanks into quotation marks. `batch write` writes only the requests that these methods need.
- `TARGET ...`: Name studies, or files of tables and figures, after `--`. By default, these are the studies of
  `config.yaml`. `contrapose list` shows all targets.

## Exit codes

A command ends with one of these codes:

- 0: It did what it was called for. Of `check`, 0 also means that nothing is missing, and of `status` that
  every result is up to date.
- 1: Something is wrong, missing or out of date. The message says what to do.
- 2: The call cannot be read: an option is unknown, or one that is required is missing.
- 130: It was stopped by Ctrl-C or by a signal. The same command continues a run.

Results, lists and next steps go to the standard output. Progress, warnings and errors go to the standard
error output.
"""
OPTION = re.compile(r"^  (-\S.*?)  +(\S.*(?:\n {10,}.*)*)", re.M)  # of the help of `run`: names, what it does
# What verbs print that only read.
SAMPLES = {
    "status": """results/tables/compare_pairs.png: its settings have changed: bootstrap from 200 to 1000
results/train/dropout/compare/seed42/encoder: its settings have changed: steps from 16 to 32
Of 41 files, 2 are out of date, changed or from elsewhere.
To build what is out of date again: contrapose run --directory mine
If these results are from a run with --config or --methods, repeat those here: contrapose status --directory \
mine --config bootstrap=200 steps=16""",
    "llm-cache inspect": """state/generate/writer-qwen has the answers of 1 job:
Job sentences-prompt2-0-of-1: 481 answers, 702,548 bytes. The job is not running.
  Outcomes of requests: answer 480, cut 1. docs/reference/outcomes.md explains them.
  Tokens: 28,909 in prompts and 80,388 in answers.
  Written from 2026-11-30 17:08:58 to 2026-11-30 17:09:07.""",
}
FORMER_NAMES = """
## Former names

These former names work until version 0.6:
"""
# What a page says after the arguments of a verb.
FURTHER = {
    "init": """
This table says what happens without an option:

| without the option | what happens |
| --- | --- |
| `--encoder` | No run works until you save an encoder in `encoders/mine`, or name one in the catalog. |
| `--sentences` | No run works until you write `data/sentences.txt`. |
| `--test` and `--sentences` | No run works until you also write `data/test_pairs/test.csv`. |
| `--test`, with `--sentences` given | A third of the sentences, at most 1,000, are held out: see below. |
| `--dev` | Each training keeps the model of its last step, and `search=true` cannot select learning rates. |
| `--retention-test` | The table has no column for another domain. |
| `--pairs`, `--paraphrase-dict` | The methods that need these files are not trained. |
| `--llm` and `--llm-responses` | The methods that need a language model are not trained. |
| `--column` | The command refuses a table as `--sentences`. |
| `--documents` | The method *Next sentence* is not trained. |
| `--embedding-endpoint` | The table has no encoder at an endpoint. |

The catalog is `config/catalogs/own.yaml`. The held-out sentences become test pairs in one of three ways. With
`--judge`, a language model grades pairs of them. With `--documents`, neighbouring sentences of a document are
similar pairs. With neither, you grade a sheet of pairs by hand with [`contrapose annotate`](#annotate).

A table may be CSV, Parquet, JSON Lines, or the first visible sheet of an Excel workbook. Its first line
names the columns. Other columns and blank lines are ignored. In Excel, cells with dates, truth values,
errors or formulas without a value are refused with their line. Scores may be on any scale, and higher means
more similar.

Some options belong together. `--embedding-endpoint` needs `--embedding-model`. The command refuses `--judge`
together with `--test`, and `--llm` together with `--llm-responses`.""",
}


def page() -> str:
    """Return the page."""
    listed = [
        [group * (verb == next(iter(verbs))), f"[`{verb}`](#{verb})", f"{begun(says)}."]
        for group, verbs in GROUPS.items()
        for verb, (_, says) in verbs.items()
    ]
    lines = [INTRODUCTION, rows(["group", "verb", "use"], listed), COMMON]
    for verb in VERBS:
        lines.append(f"\n## {verb}\n")
        if verb == "run":
            lines += _run(HELP)
            continue
        parser = parser_of(verb)
        lines += [*_parser(parser), *([FURTHER[verb]] if verb in FURTHER else [])]
        lines += [] if commands_of(parser) else [_example(verb)]
        for name, command in commands_of(parser).items():
            lines += [f"\n### {verb} {name}\n", *_parser(command), _example(f"{verb} {name}")]
    former = [[f"`{name}`", f"[`{verb}`](#{verb})"] for name, verb in FORMER.items()]
    former += [
        [f"`{name}`", f"`{option}` of [`{verb}`](#{verb})"]
        for verb, names in FORMER_OPTIONS.items()
        for name, option in names.items()
    ]
    return "\n".join([*lines, FORMER_NAMES, rows(["former name", "name"], former)]) + "\n"


def _run(help: str) -> Iterator[str]:
    """Yield usage, description and arguments of `contrapose run`, from its help."""
    usage, says, options, of_rules, examples, end = help.split("\n\n")
    title, of_rules = of_rules.split("\n", 1)
    calls = cleandoc(examples.split("\n", 1)[1])
    yield f"{' '.join(says.split())}\n"
    yield f"```text\n{usage.removeprefix('usage: ')}\n```\n"
    yield from _of_run(options)
    yield f"\n{title}\n"
    yield from _of_run(of_rules)
    yield f"\nFor example:\n\n```\n{calls}\n```"
    yield f"\n{' '.join(end.split())}"


def _of_run(options: str) -> Iterator[str]:
    for names, says in OPTION.findall(options):
        if not any(f"--{each}" in names for each in SHARED):
            yield _item(names.split(", "), " ".join(says.split()))


def _example(words: str) -> str:
    prints = f"\n\nThis prints, for example:\n\n```text\n{SAMPLES[words]}\n```" if words in SAMPLES else ""
    return f"\nFor example:\n\n```\n{EXAMPLES[words]}\n```{prints}"


def _parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield description, usage and arguments of a verb."""
    for paragraph in (parser.description or "").split("\n\n"):
        yield f"{' '.join(paragraph.split())}\n"
    actions = [action for action in parser._actions if action.dest not in ("help", "command")]
    yield f"```text\n{parser.usage}\n```\n"
    yield from (_argument(action) for action in actions if action.dest not in SHARED)


def _argument(action: argparse.Action) -> str:
    value = f" {value_of(action)}" * (action.nargs != 0)
    names = [f"{name}{value}" for name in action.option_strings]
    choices = (
        f" The values are {', '.join(f'`{each}`' for each in action.choices)}." if action.choices else ""
    )
    return _item(names or [value_of(action)], f"{action.help}{choices}")


def _item(names: Iterable[str], says: str) -> str:
    """Return the line of an argument, whose pages of docs/ are links."""
    linked = re.sub(r"docs/((?:[\w-]+/)+[\w-]+\.md)", r"[docs/\1](../\1)", says)
    return f"- {', '.join(f'`{name}`' for name in names)}: {linked}"
