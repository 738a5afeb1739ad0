"""The documentation site: its pages are in the navigation, and it loads nothing from elsewhere."""

from collections.abc import Iterator

import yaml

from contrapose.tools.site import inside
from tests.checkout import HOME

SITE = yaml.safe_load((HOME / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(entries: object) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    else:
        for entry in entries.values() if isinstance(entries, dict) else entries:
            yield from pages(entry)


def test_the_navigation_has_each_page_once():
    docs = HOME / "docs"
    assert sorted(pages(SITE["nav"])) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_the_site_loads_no_fonts_or_scripts_from_elsewhere():
    assert SITE["theme"]["font"] is False
    assert "offline" in SITE["plugins"]
    for script in SITE["extra"]["polyfills"]:
        assert (HOME / "docs" / script).is_file()


def test_links_that_leave_the_folder_are_shown_as_paths():
    text = "See [the example](../examples/wiki/README.md#data), [plan](plan.md#time) and [x](https://x.org)."
    assert inside(text, "llm.md") == (
        "See the example (`examples/wiki/README.md`), [plan](plan.md#time) and [x](https://x.org)."
    )
    assert inside("[`config/config.yaml`](../../config/config.yaml)", "reference/tables.md") == (
        "`config/config.yaml`"
    )
    assert inside("[plan](../plan.md)", "reference/tables.md") == "[plan](../plan.md)"
