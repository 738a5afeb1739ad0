"""A parser of arguments that says in sentences what is wrong with them, and its help."""

import argparse
import json
import re
import shlex
import shutil
import textwrap
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NoReturn, get_origin

from contrapose.base.directory import NAMES
from contrapose.base.errors import nearest
from contrapose.settings.main import Config
from contrapose.tools.command_line import CONFIG_NAMES, METHODS, RunArguments, with_first

# Options of `contrapose run` that its help has: a wrong one is compared with them before others of Snakemake.
RUN, INIT = "contrapose run", "contrapose init"
OF_RUN = (
    *(METHODS, "--budget", "--directory", "--config", "--cores", "--dry-run", "--keep-going", "--forcerun"),
    *("--until", "--unlock", "--profile", "--verbose", "--help"),
)
WIDTH = 108  # characters of a line of help, as in the help of `run`
NEAR_SETTING = 0.8  # similarity of a wrong option to a key of config.yaml that may be meant
SHARED = ("directory", "config", "methods", "targets")  # arguments that most verbs have

# What argparse says of wrong arguments, and our sentences: {0} is the command, then come the groups.
SENTENCES = {
    "argument (.*): expected one argument": "{1} of {0} needs a value, which is missing.",
    "argument (.*): expected at least one argument": "{1} of {0} needs at least one value, which is missing.",
    r"argument command: invalid choice: (.*) \(choose from (.*)\)": (
        "{0} has no command {1}. Write one of {2} after it."
    ),
    r"argument (.*): invalid choice: (.*) \(choose from (.*)\)": (
        "{1} of {0} is {2}, but one of {3} is expected."
    ),
    "argument (.*): invalid int value: (.*)": "{1} of {0} is {2}, but a whole number is expected.",
    "argument (.*): not allowed with argument (.*)": (
        "{0} does not take {1} and {2} together. Remove one of them."
    ),
    "one of the arguments (.*) is required": "{0} needs one of these words: {1}.",
    "argument (--.*): (.* can be given only once)": "{2}.",
    "unrecognized arguments: ([^-].*)": "{0} does not take the word '{1}'.",
    "no target": "{0} takes no target. Leave out `--` and the words after it.",
    "one name: ([^-].*)": (
        "{0} takes one name, but '{1}' is a further word. Put a name with blanks into quotation marks."
    ),
}
REQUIRED = re.compile("the following arguments are required: (.*)")
BUDGET = "--budget"
UNKNOWN_OPTION = re.compile("unrecognized arguments: (-[^ =]*).*")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps an example on one line, and paths such as docs/how-to whole; as wide as the help of `run`."""

    def __init__(self, prog: str) -> None:
        width = min(shutil.get_terminal_size((WIDTH + 2, 24)).columns - 2, WIDTH)
        super().__init__(prog, max_help_position=30, width=width)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        several = action.nargs in ("*", "+")
        return value_of(action) if several else super()._format_args(action, default_metavar)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)


class Parser(argparse.ArgumentParser):
    """Says what is wrong with arguments in a sentence, without the usage of the command before it."""

    given: Sequence[str] = ()  # what is parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.given = [*(args or ())]
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        commands, options = commands_of(self), self._option_string_actions
        if commands and self.given and self.given[0].startswith("-"):
            message = before_command(self.prog, commands, self.given)
            self.exit(2, f"{message} See `{self.prog} --help`.\n")
        if commands and message.endswith("required: command"):
            message = f"one of the arguments {', '.join(commands)} is required"
        if " required" in message:  # perhaps only because of an option that there is not
            words = RunArguments.of(self.given).options
            unknown = [word for word in words if word.startswith("--") and not _is_known(word, options)]
            message = f"unrecognized arguments: {unknown[0]}" if unknown else message
        if "row" in (places := {each.dest for each in self._actions}):  # the name of a method
            message = re.sub("^unrecognized arguments: ([^-]*)$", r"one name: \1", message)
        elif "targets" not in places and re.match("unrecognized arguments: --( |$)", message):
            message = "no target"
        self.exit(2, f"{in_a_sentence(message, self.prog, options, self.given)}\n")


def _is_known(word: str, options: Iterable[str]) -> bool:
    """Whether an option, with or without `=value`, is one of some, or the beginning of one."""
    return any(each.startswith(word.partition("=")[0]) for each in options)


def before_command(prog: str, commands: Collection[str], given: Sequence[str]) -> str:
    """Say that an option stands before the second word of a verb, and how the call is written."""
    if moved := with_first(given, commands):
        return f"Write the command first: {shlex.join([*prog.split(), *moved])}."
    return f"{prog} needs one of these words before all options: {', '.join(commands)}."


# What strangers call an option of ours.
OTHER_NAMES = {"--model": "--encoder", "--models": "--encoder"}


def in_a_sentence(message: str, command: str, options: Iterable[str], given: Sequence[str] = ()) -> str:
    """Return what argparse says of wrong arguments of a command, which has some options, in our words.

    `given` are the arguments, from which a hint takes the value of an option.
    """
    return f"{_sentence(message, command, options, given)} See `{command} --help`."


def _sentence(message: str, command: str, options: Iterable[str], given: Sequence[str]) -> str:
    found = UNKNOWN_OPTION.fullmatch(message)
    if found and found[1] == "--":
        return (
            "Targets are expected after one `--` at the end of the command, and the folder of a project "
            f"after --directory, as in `{command} --directory FOLDER -- TARGETS`."
        )
    if found and found[1] in NAMES and command == INIT:
        folder = next(filter(None, RunArguments.of(given).values(*NAMES)), "FOLDER")
        return f"init takes the new folder without {found[1]}: {INIT} {folder}."
    if found and found[1] == BUDGET and command != RUN:
        return (
            f"{command} has no option '{BUDGET}'. Only `{RUN}` has it, and measures times before it chooses."
        )
    if found:
        near = _near_option(found[1], command, [*options], given)
        quote = "`" if "'" in near else "'"
        hint = f" Did you mean {quote}{near}{quote}?" if near else ""
        if not near and command != RUN and found[1] in OF_RUN:
            hint = f" `{RUN}` has it."
        return f"{command} has no option '{found[1]}'.{hint}"
    if found := REQUIRED.fullmatch(message):
        if said := _swallowed(found[1].split(", "), command, given):
            return said
        *names, last = [name if name.startswith("-") else name.upper() for name in found[1].split(", ")]
        needed = f"{', '.join(names)} and {last}" if names else last
        return f"{command} needs {needed}, which {'are' if names else 'is'} missing."
    for form, sentence in SENTENCES.items():
        if found := re.fullmatch(form, message):
            return sentence.format(command, *(each.replace(" --", ", --") for each in found.groups()))
    return f"{command}: {message}."


def _swallowed(missing: Sequence[str], command: str, given: Sequence[str]) -> str:
    """Say that a missing argument was read as a value of --config or --methods; empty if none was."""
    call, wanted = RunArguments.of(given), [name for name in missing if not name.startswith("-")]
    settings, methods = (call.words(*names) for names in (CONFIG_NAMES, [METHODS]))
    words = [word for word in settings if "=" not in word] or methods[-len(wanted) :]
    if not (wanted and words):
        return ""
    what, option = ("a setting", "--config") if words[0] in settings else ("a method", METHODS)
    left = [word for word in call.options if word not in words]
    corrected = shlex.join([*command.split(), *left, "--", *words, *call.targets])
    return (
        f"'{words[0]}' was read as {what}, because it follows {option}. If it is {wanted[0].upper()}, write "
        f"`--` before it: {corrected}."
    )


def _near_option(name: str, command: str, options: Sequence[str], given: Sequence[str]) -> str:
    """Return the option or setting of `--config` that a person may have meant; empty if none is near."""
    if OTHER_NAMES.get(name) in options:
        return OTHER_NAMES[name]
    usual = OF_RUN if command == RUN else options
    settings = (
        {f"--{key.replace('_', '-')}": key for key in Config.model_fields} if "--config" in usual else {}
    )
    near = nearest(name, [*usual, *settings], NEAR_SETTING) or nearest(name, usual) or nearest(name, options)
    if near not in settings or near in usual:
        return near
    value = next(iter(RunArguments.of(given).values(name)), "")
    if not value or value.startswith("-"):
        return f"--config {settings[near]}=VALUE"
    if get_origin(Config.model_fields[settings[near]].annotation) is list:
        value = json.dumps(RunArguments.of(given).words(name) or [value], ensure_ascii=False)
    return f"--config {shlex.quote(f'{settings[near]}={value}')}"


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the second words of a verb."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def value_of(action: argparse.Action) -> str:
    """Return the name of the value of an argument, with dots if it takes several."""
    value = str(action.metavar or action.dest).upper()
    return f"{value} ..." if action.nargs in ("*", "+") else value


def usage(parser: argparse.ArgumentParser) -> str:
    """Return how a verb is called, in one line: what it needs, what verbs share, and its arguments."""
    actions = [action for action in parser._actions if action.dest not in ("help", "command")]
    named = {
        action: f"{action.option_strings[-1]} {value_of(action)}"
        for action in actions
        if action.option_strings
    }
    own = [action for action in named if action.dest not in SHARED]
    needed = [named[action] for action in own if action.required]
    needed += [
        f"({' | '.join(named[action] for action in group._group_actions)})"
        for group in parser._mutually_exclusive_groups
        if group.required
    ]
    options = ["[OPTIONS]"] if any(not action.required for action in own) else []
    options += [f"[{named[action]}]" for action in named if action.dest in SHARED]
    commands = [f"{{{','.join(commands_of(parser))}}}"] if commands_of(parser) else []
    names = []
    for action in (each for each in actions if not each.option_strings):
        before = "-- " if action.dest == "targets" else ""
        several = action.nargs in ("*", "+")
        names.append(f"[{before}{value_of(action)}]" if several else value_of(action))
    return " ".join([parser.prog, *commands, *needed, *options, *names])
