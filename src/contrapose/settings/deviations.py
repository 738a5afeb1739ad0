"""What a study says of its paper: where it is open or we differ, and what it claims."""

from pydantic import Field

from contrapose.settings.spec import Spec


class Deviation(Spec):
    """The paper leaves this point open, or this project differs from it."""

    where: str = Field(
        description="This names the subject in two to four words, and the part of the paper after a comma."
    )
    differs: bool = Field(
        False,
        description="If true, this project does something else than the paper says. If false, the paper "
        "leaves the point open, or its authors' code decides it.",
    )
    from_code: bool = Field(
        False,
        description="If true, and `differs` is true, this project differs from the authors' code. If "
        "false, it differs from the paper.",
    )
    tables: list[str] = Field(
        [], description="These tables and figures are concerned. If the list is empty, all of them are."
    )
    paper: str = Field(description="This sentence says what the paper states.")
    ours: str = Field(description="This sentence says what this project does, and why.")


class Claim(Spec):
    """A row of `config/studies/<paper>/claims.csv`: what a paper says, and what says so."""

    claim_id: str = Field(description="Name of its function in the paper's module of claims")
    claim: str
    tables: str = Field(description="Tables and figures that it is about, with `; ` between them")
    how_to_check: str = ""
    holds_in_published: str = Field("", description="The verdict on the printed numbers, and why")
    judged_in: str = Field(
        "", description="Catalogs that can judge it, with `, ` between them; empty: every one"
    )

    @property
    def needs(self) -> list[str]:
        return [name for name in self.tables.split("; ") if not name.startswith("fig")]
