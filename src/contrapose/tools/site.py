"""A hook of MkDocs (mkdocs.yml): the site shows links to files outside docs/ as the paths of these files.

It needs nothing but the standard library, since only the environment of `make docs` has MkDocs.
"""

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)")


def inside(markdown: str, page: str) -> str:
    """Replace each link of a page that leaves the folder docs/ with its text and the path of its target.

    `page` is the path of the page below docs/.  The site has no copy of such a file, and a link to it would
    lead nowhere.
    """

    def shown(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
        if path.startswith("docs/"):
            return link[0]
        return f"`{path}`" if text.strip("`") in (path, target) else f"{text} (`{path}`)"

    return LINK.sub(shown, markdown)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """MkDocs calls this for each page before it becomes HTML."""
    return inside(markdown, page.file.src_uri)
