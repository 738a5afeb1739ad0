"""Pages of the report: what each of them shows."""

from contrapose.config.main import Config
from contrapose.config.printed import RowTable
from contrapose.jobs import OverviewJob, PageJob, ResultKind, StudyResults
from contrapose.plan.claims import ClaimsPlan
from contrapose.report.templates import look

PLOTTED = ("sts", "transfer", "fine_tuned", "prompts", "lengths", "length_bias", "rewrites")
TARGETS = {"tables": "csv", "figures": "pdf", "claims": "csv"}  # what a person asks for, by its suffix
IN_COMMANDS = ("seeds", "search", "bootstrap", "folds")  # keys of the config that change results


class PagesPlan(ClaimsPlan):
    """Pages of the report."""

    def results_of(self, study: str) -> list[tuple[ResultKind, str]]:
        """Return kind and name of all that a study gives people to read."""
        tables = [name for name, (owner, _) in self.tables.items() if owner == study]
        figures = [name for name, (owner, _) in self.figures.items() if owner == study]
        claims = [study] if study in self.studies_with_claims else []
        return [
            *(("tables", name) for name in tables),
            *(("figures", name) for name in figures),
            *(("claims", name) for name in claims),
        ]

    def study_of(self, kind: str, name: str) -> str:
        """Return the study that a table, figure or set of claims belongs to."""
        if kind == "claims":
            return name
        return (self.tables if kind == "tables" else self.figures)[name][0]

    def report_page(self, kind: ResultKind, name: str) -> PageJob:
        """What a page says about where its numbers come from."""
        study = self.study_of(kind, name)
        return PageJob(
            name=name,
            kind=kind,
            study=study,
            title=self.studies[study].title,
            source=self.studies[study].source,
            generated=self.world.mini is not None,
            command=self._command(f"results/{kind}/{name}.{TARGETS[kind]}"),
            look=look(),
        )

    def page_text_inputs(self, kind: str, name: str) -> list[str]:
        """Return the Markdown and the CSV file behind a page; a figure has none."""
        folder = f"<results>/{kind}/{name}"
        return [] if kind == "figures" else [f"{folder}.md", f"{folder}.csv"]

    def page_plot_inputs(self, kind: str, name: str) -> list[str]:
        """Return the plot of a figure, or beside a table that has one."""
        plotted = kind == "figures" or (kind == "tables" and self.tables[name][1].kind in PLOTTED)
        return [f"<results>/{kind}/{name}.png"] if plotted else []

    def report_overview(self) -> OverviewJob:
        """What there is to build."""
        return OverviewJob(
            world=self.world_name,
            world_description=self.world.description,
            generated=self.world.mini is not None,
            seeds=self.config.seeds,
            studies=[self._study_results(study) for study in self.studies],
            look=look(),
        )

    def _study_results(self, study: str) -> StudyResults:
        about = self.studies[study]
        return StudyResults(
            name=study,
            title=about.title,
            source=about.source,
            results=[(kind, name, self._caption(kind, name)) for kind, name in self.results_of(study)],
            deviations=about.deviations,
            command=self._command(study),
        )

    def _caption(self, kind: str, name: str) -> str:
        if kind == "claims":
            return "What becomes of the paper's claims"
        return (self.tables if kind == "tables" else self.figures)[name][1].caption

    def _command(self, target: str) -> str:
        """Return the command that builds a target with these settings, without folders of this machine."""
        usual = Config()
        changed = {name: getattr(self.config, name) for name in IN_COMMANDS}
        given = [f"{name}={value}" for name, value in changed.items() if value != getattr(usual, name)]
        given += ["data=FOLDER"] if self.config.data else []
        return " ".join(["snakemake --cores all", target, "--config", f"world={self.world_name}", *given])

    def history_files(self) -> list[str]:
        """Return the training logs of all runs behind the rows of the tables, built or not, each once."""
        tables = [table for _, table in self.tables.values() if isinstance(table, RowTable)]
        runs = [run.id for table in tables for row in table.rows for run in self.runs(row)]
        return [f"<results>/train/{run}/history.parquet" for run in dict.fromkeys(runs)]
