"""Rules of the stage report: figures."""

from contrapose.config.figures import Calibration, Curve, Differences, Scatter, Tenths
from contrapose.jobs import CalibrationJob, CurveJob, DifferencesJob, HistogramJob, ScatterJob, TenthsJob
from contrapose.plan.text_tables import TextTablesPlan


class FiguresPlan(TextTablesPlan):
    """Rules that draw."""

    def report_histogram(self, figure: str) -> HistogramJob:
        """Which sets, and how many bins."""
        study, settings = self.figures[figure]
        assert settings.kind == "histogram"
        return HistogramJob(
            **dict(self._about(figure, study, settings.caption, [])),
            sets=list(settings.sets.items()),
            bins=settings.bins,
        )

    def report_scatter(self, figure: str) -> ScatterJob:
        """What is said about the figure."""
        study, settings = self.figures[figure]
        return ScatterJob(**dict(self._about(figure, study, settings.caption, [])))

    def shown_table(self, figure: str) -> str:
        """Return the table whose numbers a figure shows."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Scatter | Differences)
        return f"<results>/tables/{self.studies[study].prefix}{settings.of}.parquet"

    def report_tenths(self, figure: str) -> TenthsJob:
        """Which pairs are counted, and who judged them."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Tenths)
        about = self._about(figure, study, settings.caption, self._judges(settings.sources))
        return TenthsJob(**dict(about), sources=self._judged(settings.sources))

    def tenths_inputs(self, figure: str) -> list[str]:
        """Return the counts behind a figure, of each source that this world can have."""
        settings = self.figures[figure][1]
        assert isinstance(settings, Tenths)
        return self._linguistics_files(settings.sources, "-tenths")

    def report_differences(self, figure: str) -> DifferencesJob:
        """With which rows the others are compared."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Differences)
        about = self._about(figure, study, settings.caption, [])
        return DifferencesJob(**dict(about), baseline=settings.baseline)

    def report_calibration(self, figure: str) -> CalibrationJob:
        """Which classifiers are drawn, at which temperature."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Calibration)
        writers = self._writers(panel.pairs for panel in settings.panels)
        return CalibrationJob(
            **dict(self._about(figure, study, settings.caption, writers)),
            panels=[self._identified(panel, panel.label) for panel in settings.panels],
            bins=settings.bins,
        )

    def calibration_inputs(self, figure: str) -> list[str]:
        """Return the same behind a figure."""
        return self._held_out(self.report_calibration(figure).panels)

    def report_curve(self, figure: str) -> CurveJob:
        """Which tables, which column, and where their rows stand."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Curve)
        return CurveJob(
            **dict(self._about(figure, study, settings.caption, [])),
            of=settings.of,
            column=settings.column,
            points=list(settings.points.items()),
            axis=settings.axis,
            logarithmic=settings.logarithmic,
        )

    def curve_inputs(self, figure: str) -> list[str]:
        """Return the tables whose numbers a figure of curves shows."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Curve)
        prefix = self.studies[study].prefix
        return [f"<results>/tables/{prefix}{name}.parquet" for name in settings.of]
