"""Rules of the stage report: what papers claim."""

from contrapose.fingerprint import code_digest
from contrapose.jobs import ClaimsJob
from contrapose.plan.figures import FiguresPlan


class ClaimsPlan(FiguresPlan):
    """Rules that hold results against a paper's claims."""

    def report_claims(self, study: str) -> ClaimsJob:
        """What a paper claims, and what is there to check it on."""
        tables = self._claimed_tables(study)
        return ClaimsJob(
            study=study,
            source=self.studies[study].source,
            world=self.world_name,
            world_description=self.world.description,
            generated=self.world.mini is not None,
            claims=self.claims(study),
            tables=list(tables),
            runs=self._claimed_runs(study),
            published=self._claimed_printed(study),
            layouts=[self._layout(study, name) for name in self._claimed_printed(study)],
            functions=code_digest(self.claim_functions(study), self.home / "src"),
            notes=self._stand_ins(tables.values()),
        )

    @property
    def studies_with_claims(self) -> list[str]:
        """Return the studies that have a claims.csv."""
        return [study for study in self.studies if self.claims(study)]

    def claimed_table_inputs(self, study: str) -> list[str]:
        """Return the tables behind the claims of a study, as far as it builds them."""
        return [f"<results>/tables/{table}.parquet" for table in self._claimed_tables(study).values()]

    def claimed_history_inputs(self, study: str) -> list[str]:
        """Return the training logs behind these tables."""
        return [f"<results>/train/{run}/history.parquet" for run in self._claimed_runs(study)]

    def claimed_published_inputs(self, study: str) -> list[str]:
        """Return the paper's printed tables behind its claims."""
        return [self.published(study, f"{name}.csv") for name in self._claimed_printed(study)]

    def _claim_needs(self, study: str) -> list[str]:
        return sorted({name for claim in self.claims(study) for name in claim.needs})

    def _claimed_printed(self, study: str) -> list[str]:
        return [name for name in self._claim_needs(study) if self.is_printed(study, name)]

    def _claimed_tables(self, study: str) -> dict[str, str]:
        """Return {name in the study: name among all studies} of the tables that claims need and there are."""
        prefix, known = self.studies[study].prefix, self.studies[study].tables
        return {name: prefix + name for name in self._claim_needs(study) if name in known}

    def _claimed_runs(self, study: str) -> list[str]:
        tables = [name for name in self._claimed_tables(study).values() if self.tables[name][1].kind == "sts"]
        return list(dict.fromkeys(run for name in tables for run in self.trained_runs(name)))
