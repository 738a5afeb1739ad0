"""What a study says of its paper: where it is open or we differ, and what it claims."""

from pydantic import Field

from contrapose.settings.spec import Spec


class Deviation(Spec):
    """A point that a paper leaves open, or that we do differently."""

    where: str
    tables: list[str] = Field([], description="Tables and figures that it concerns; empty: all")
    paper: str = Field(description="What the paper says")
    ours: str = Field(description="What we do, and why")


class Claim(Spec):
    """A row of `config/studies/<paper>/claims.csv`: what a paper says, and what says so."""

    claim_id: str = Field(description="Name of its function in the paper's module of claims")
    claim: str
    tables: str = Field(description="Tables and figures that it is about, with `; ` between them")
    how_to_check: str = ""
    holds_in_published: str = Field("", description="What the printed numbers say, in words")
    judged_in: str = Field(
        "", description="Catalogs that can judge it, with `, ` between them; empty: every one"
    )

    @property
    def needs(self) -> list[str]:
        return [name for name in self.tables.split("; ") if not name.startswith("fig")]
