"""The tables of a Markdown page as LaTeX, for the package booktabs."""

import re

from contrapose.report.files import with_html

CELL = re.compile(r"(?<!\\)\|")  # what stands between the cells of a line; bars in texts are escaped
MINUS = re.compile(r"(?<!\w)-(?=\d)")
LONG = 40  # letters of the longest cell from which a column breaks its lines
USED = "% \\usepackage{booktabs}; compile letters beyond Latin with LuaLaTeX or XeLaTeX.\n"
LETTERS = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
        **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
        **{
            "±": r"$\pm$",
            "≈": r"$\approx$",
            "×": r"$\times$",
            "†": r"$^\dagger$",
            "–": "--",
            "…": r"\dots{}",
        },
    }
)


def latex(page: str) -> str:
    """Write each table of a page, which begins with its name and its caption, as a float of LaTeX.

    Tables below a heading have that as their caption.
    """
    name, caption, *blocks = page.strip().split("\n\n")
    floats: list[str] = []
    for block in blocks:
        if block.startswith("#"):
            caption = block.lstrip("# ")
        elif block.startswith("| "):
            label = f"{name.lstrip('# ')}{f'-{len(floats) + 1}' if floats else ''}"
            floats.append(_float(block.splitlines(), caption, label))
    return "\n".join([USED, *floats])


def _float(lines: list[str], caption: str, label: str) -> str:
    head, aligned, *rows = ([cell.strip() for cell in CELL.split(line)[1:-1]] for line in lines)
    widths = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
    wide = 0.8 / max(1, sum(width > LONG for width in widths))
    columns = [
        f"p{{{wide:.2f}\\linewidth}}" if width > LONG else "l" if side.startswith(":") else "r"
        for width, side in zip(widths, aligned, strict=True)
    ]
    written = [" & ".join(map(_escaped, row)) + r" \\" for row in (head, *rows)]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_escaped(caption)}}}",
            rf"\label{{tab:{label}}}",
            rf"\begin{{tabular}}{{{''.join(columns)}}}",
            r"\toprule",
            written[0],
            r"\midrule",
            *written[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _escaped(text: str) -> str:
    plain = with_html(text).replace("\\|", "|").translate(LETTERS)
    return MINUS.sub("$-$", plain)
