"""The arguments of `contrapose init`."""

import argparse
from pathlib import Path
from typing import Any

from contrapose.base.tasks import USER_TASKS

FORM = "ORG/NAME, ORG/NAME:SPLIT or ORG/NAME:SPLIT:COLUMN, with @COMMIT after NAME to pin a commit"
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "general": "general/test.csv",  # what the encoder could do before
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}
NAMES = {  # of options that are not called like what they give
    "general": "retention-test",
    "phrases": "paraphrase-dict",
    "answers": "llm-responses",
    "embedder": "embedding-endpoint",
    "embedder_model": "embedding-model",
    "embedder_key": "embedding-key",
}
HUB = ("sentences", "test", "dev", "general")  # options that also take a data set of the hub
# What each file holds.
HELP = {
    "sentences": "Train on these sentences, one per line.",
    "test": "Evaluate on these test pairs, in the columns sentence1, sentence2 and score. A higher score "
    "means more similar, on any scale.",
    "dev": "Select checkpoints and learning rates on these pairs. Without them, the last step of a training "
    "counts.",
    "general": "Also evaluate on these pairs from another domain. They show whether training made the "
    "encoder worse there.",
    "pairs": "Also compare a method that trains on the pairs in this file, in the columns sent0 and sent1. A "
    "third column, hard_neg, may have a hard negative.",
    "phrases": "Also compare a method that replaces phrases by this dictionary, with the columns phrase, "
    "target and probability.",
    "answers": "Also compare methods that train on recorded answers of a language model. Each line of this "
    "file is a JSON object with the keys sentence, paraphrases (a list of five texts) and negative (a text). "
    "docs/how-to/connect-a-model.md has the details.",
}
OPTIONS = {
    "column": "Read the sentences from this column, if --sentences is a table, such as a .csv or .parquet "
    "file.",
    "documents": (
        "Say how the sentences form documents. With blank_lines, a blank line ends a document. With order, "
        "all lines follow each other as in one text, and every ten lines count as one document. Of a table, "
        "name the column with the name of the document. Without --test, neighbouring sentences of a document "
        "become test pairs."
    ),
    "llm": (
        "Let this language model write paraphrases and hard negatives of --sentences. Write the model as "
        "YAML: '{endpoint: URL, model: NAME, key: OPENAI_API_KEY}'. The key names the environment variable "
        "with the API key. Omit it for a local server. docs/how-to/connect-a-model.md has a line for each "
        "server."
    ),
    "judge": (
        "Let this language model grade test pairs, if you have none for --test. Write the model as for --llm."
    ),
    "embedder": "Also evaluate an encoder at an OpenAI-compatible endpoint: its URL, which ends in /v1.",
    "embedder_model": "Name the model at --embedding-endpoint.",
    "embedder_key": "Name the environment variable with the API key of --embedding-endpoint, if it needs "
    "one.",
    "separator": "Read CSV files with this separator of columns: ',', ';', '|' or the word tab.",
}

ENCODER = (
    "Train this encoder: a folder, or a name on the hub, ORG/NAME or ORG/NAME@COMMIT. Several encoders "
    "are compared if the option is repeated."
)
VALUES = {  # what else than a file an option takes
    "column": "COLUMN",
    "documents": "HOW",
    "llm": "YAML",
    "judge": "YAML",
    "embedder": "URL",
    "embedder_model": "NAME",
    "embedder_key": "VARIABLE",
    "separator": "CHARACTER",
}

GROUPS = {  # of options, in the help
    "encoder": ("encoder",),
    "sentences": ("sentences", "column", "documents"),
    "test pairs": ("test", "dev", "general"),
    "language model": ("llm", "answers", "judge"),
    "format of all CSV files": ("separator",),
    "further input": ("pairs", "phrases", "embedder", "embedder_model", "embedder_key"),
}


def new(parser: argparse.ArgumentParser) -> None:
    """Create a project that compares methods on your sentences, with commented settings.

    Only FOLDER is required here. A run needs an encoder, sentences and test pairs. Without --test, a third of
    the sentences, but at most 1,000, is held out for test pairs. With --judge, a language model grades them,
    even if --documents is given. With --documents alone, neighbouring sentences get score 1, and sentences
    of different documents 0. With neither, you grade them with `contrapose annotate`.

    --sentences, --test, --dev and --retention-test take a file, or a data set of the Hugging Face hub:
    ORG/NAME, ORG/NAME:SPLIT or ORG/NAME:SPLIT:COLUMN, with @COMMIT after NAME to pin a commit.
    """
    makes = "Create this folder. It must not exist yet."
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=makes)
    for title, names in GROUPS.items():
        group = parser.add_argument_group(title)
        for name in names:
            option, once = f"--{NAMES.get(name, name)}", {"action": _Once}
            if name == "encoder":
                group.add_argument(option, action="append", metavar="MODEL", default=[], help=ENCODER)
            elif name in FILES:
                kind: dict[str, Any] = {"action": "append", "default": []} if name == "test" else once
                group.add_argument(option, dest=name, metavar="FILE", help=_of_file(name), **kind)
            else:
                kind = once | {"default": "," if name == "separator" else None}
                group.add_argument(option, dest=name, metavar=VALUES[name], help=OPTIONS[name], **kind)


def _of_file(name: str) -> str:
    """Return the help of an option that names a file: what it holds, and where it is copied to."""
    if name != "test":
        return f"{HELP[name]} The file is copied to data/{FILES[name]}."
    return (
        f"{HELP[name]} Repeat the option to give up to {len(USER_TASKS)} files. Each becomes a column of the "
        f"table, with the name of its file. The first file is copied to data/{FILES[name]}, the "
        "second to data/test_pairs_2/test.csv, and so on."
    )


class _Once(argparse.Action):
    """Refuses an option that is given twice, of which the last one would count."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) != self.default:
            parser.error(f"{option_string} can be given only once")
        setattr(namespace, self.dest, values)
