"""The documentation: Snakemake can read its commands, and what it links to is there."""

import re

import pytest

from tests.checkout import HOME

PAGES = [*HOME.glob("*.md"), *HOME.glob("docs/*.md"), *HOME.glob("examples/*/README.md")]
# What follows the pairs behind --config, up to a remark.
BEHIND_PAIRS = re.compile(
    r"snakemake [^\n`#]*--config(?: +[\w.]+=(?:'[^']*'|\"[^\"]*\"|[^\s`]+))+(?: +([^\s`#]+))?"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_target_behind_config_is_told_apart_from_its_pairs(page):
    # Without `--` Snakemake takes the target for a pair and ends with a traceback.
    behind = [found[1] for found in BEHIND_PAIRS.finditer(page.read_text(encoding="utf-8")) if found[1]]
    assert [word for word in behind if not word.startswith("-")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_pages_and_files_that_are_linked_are_there(page):
    text = page.read_text(encoding="utf-8")
    named = {HOME / name for name in re.findall(r"(?<![\w/])docs/\w+\.md", text)}
    linked = {page.parent / link for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)}
    assert [str(path) for path in named | linked if not path.exists()] == []


# A command with a target, in a block or between backticks; some options need no cores.
NEEDS_NONE = r"--cores|--profile|--directory|--report|--lint|--unlock|--dry-run|-n "
TARGETED = re.compile(rf"(?:^|`)snakemake (?![^`\n]*(?:{NEEDS_NONE}))[a-z-][^`\n]*", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_command_says_how_many_cores(page):
    # Without them Snakemake refuses to start.
    assert TARGETED.findall(page.read_text(encoding="utf-8")) == []
