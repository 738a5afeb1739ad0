"""LaTeX of tables, read by a small parser: no LaTeX is installed where tests run."""

import re

import pandas as pd

from contrapose.markdown import markdown_table
from contrapose.report.files import joined
from contrapose.report.latex import latex

STRANGE = r"50 % of {a_b} & C:\new #1 $x ~ ^ < > | *b* 甲 \|"


def parsed(text: str) -> list[list[list[str]]]:
    """Return the cells of each table; fail where braces or environments are not balanced."""
    found, begun = [], []
    plain = re.sub(r"\\[&%$#_{}\\]", lambda each: "\n" if each[0] == r"\\" else "", text)
    assert plain.count("{") == plain.count("}")
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        begun.append(name) if kind == "begin" else begun.remove(name)
    assert begun == []
    for columns, body in re.findall(r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", text, re.S):
        rows = [re.split(r"(?<!\\) & ", line) for line in body.splitlines() if line.endswith(r" \\")]
        widths = len(re.sub(r"p\{[^}]*\}", "p", columns))
        assert {len(row) for row in rows} == {widths}
        assert [body.count(rf"\{line}rule") for line in ("top", "mid", "bottom")] == [1, 1, 1]
        found.append(rows)
    return found


def test_every_table_of_a_page_is_there_with_its_caption_and_what_latex_reads_as_commands_is_escaped():
    scores = pd.DataFrame({"model": ["Dropout", STRANGE], "STS_12": ["82.36 ± 0.1 †", "-0.5 [-1, 0]"]})
    others = pd.DataFrame({"model": ["A"], "p & q": ["–"]})
    page = joined(
        ["# t_1", "A_caption.", markdown_table(scores), "- a\n- b", "## To 100 %", markdown_table(others)]
    )
    text = latex(page)
    first, second = parsed(text)
    assert first[0] == ["model", r"STS\_12 \\"]
    assert first[1] == ["Dropout", r"82.36 $\pm$ 0.1 $^\dagger$ \\"]
    assert first[2][1] == r"$-$0.5 [$-$1, 0] \\"
    assert first[2][0] == (
        r"50 \% of \{a\_b\} \& C:\textbackslash{}new \#1 \$x \textasciitilde{} \textasciicircum{} "
        r"\textless{} \textgreater{} \textbar{} *b* 甲 \textbackslash{}\textbar{}"
    )
    assert second == [["model", r"p \& q \\"], ["A", r"-- \\"]]
    assert re.findall(r"\\caption\{(.*)\}", text) == [r"A\_caption.", r"To 100 \%"]
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:t_1", "tab:t_1-2"]
    assert r"\begin{tabular}{p{0.80\linewidth}r}" in text
