"""Workbooks of spreadsheet programs, part by part, with what programs seldom or never write."""

from collections.abc import Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(path: Path, rows: str, strings: Sequence[str] = ()) -> None:
    """Write a workbook of one sheet of these rows, as XML; its style 1 is that of a date."""
    related = {"_rels/.rels": {"officeDocument": "xl/workbook.xml"}}
    related["xl/_rels/workbook.xml.rels"] = {
        "worksheet": "worksheets/sheet1.xml",
        "styles": "styles.xml",
        "sharedStrings": "sharedStrings.xml",
    }
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, targets in related.items():
            links = "".join(
                f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{target}"/>'
                for kind, target in targets.items()
            )
            archive.writestr(name, f"<Relationships>{links}</Relationships>")
        sheet = '<sheet name="S" sheetId="1" r:id="worksheet"/>'
        archive.writestr(
            "xl/workbook.xml", f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{sheet}</sheets></workbook>'
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
        )
        archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{''.join(strings)}</sst>")
        styles = '<xf numFmtId="0"/><xf numFmtId="14"/>'
        archive.writestr("xl/styles.xml", f"<styleSheet {MAIN}><cellXfs>{styles}</cellXfs></styleSheet>")
