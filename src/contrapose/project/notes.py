"""Notes for readers of a table: what its rows are trained on, and what stands in for something else."""

from collections.abc import Iterable, Iterator, Sequence

from contrapose.models.declared import declared_by
from contrapose.models.pooling import WORDS
from contrapose.pairs.kinds import PairSet
from contrapose.project.lookups import Lookups
from contrapose.project.registries import lacking, reached
from contrapose.report.row_settings import DetectionSource, Row
from contrapose.settings.refs import language_of
from contrapose.settings.spec import Spec


class Notes:
    """Notes for readers of a table: what its rows are trained on, and what stands in for something else."""

    def __init__(self, project: Lookups) -> None:
        self.project = project

    def trained_on(self, rows: Iterable[Row]) -> list[str]:
        """Return how much of which text the runs of a table are trained on, in the order of its rows."""
        rows = list(rows)
        materials: dict[str, dict[str, None]] = {}
        for run in (of_row[0] for row in rows if (of_row := self.project.runs.of(row))):
            material = self.project.pairs(run.pairs).material(self.project)
            text = " of ".join(filter(None, (material.amount, material.note)))
            materials.setdefault(text, {})[material.name] = None
        return [
            f"Trained on {', '.join(names)}: {text}{' each' * (len(names) > 1)}."
            for text, names in materials.items()
        ] + self.writers(row.pairs for row in rows if row.pairs)

    def poolings(self, rows: Iterable[Row]) -> list[str]:
        """Say which encoders are pooled in another way in training than as their folders declare."""
        rows = list(rows)
        own = {row.encoder for row in rows if row.encoder and row.pooling == "auto"}
        anew = dict.fromkeys(filter(None, map(self.project.runs.pooled_anew, rows))) if own else {}
        notes = []
        for _, role, pooling in (run.split("/") for run in anew):
            form = declared_by(self.project, role) if role in own else None
            declares = f", and its folder declares {form.described}" if form else ""
            notes += [
                f"Trainings pool {role} by {WORDS[pooling]}, as their recipe says{declares}. They are "
                f"compared with {role} without training, pooled in the same way: a change of the pooling is "
                "no gain."
            ] * (role in own)
        return notes

    def words(self, spec: Spec) -> str:
        """Name the word tokenizer of a corpus or of pairs, if it is not NLTK's, which the papers use."""
        language = language_of(self.project, spec)
        cutter = "MeCab with IPADIC" if language == "japanese" else "Moses's rules"
        return "" if language == "english" else f"words as split by {cutter} for {language.title()}"

    def words_of_detected(self, sources: Sequence[DetectionSource]) -> Iterator[str]:
        """Name the tokenizer of the words of texts that were written for a corpus, if it is not NLTK's."""
        for source in sources:
            if words := self.words(self.project.pairs(self.project.pairs_id(source.pairs))):
                yield f"{source.name}: {words}"

    def translator(self) -> list[str]:
        translator = self.project.catalog.translator
        if translator is None and self.project.catalog.mini:
            return ["Not translated: the generator of the made-up world writes the same pairs in English."]
        if translator is None:
            return []
        return [f"Translated by {translator.player(self.project)}."]

    def detectors(self, sources: Sequence[DetectionSource]) -> list[str]:
        """Name the encoders that judge texts but are not what their role says, and who wrote the texts."""
        roles = sorted({self.project.entry("identifiers", source.identifier).encoder for source in sources})
        available = (role for role in roles if not self.project.lacking_entry("encoders", role))
        notes = (self.project.encoder(role).note for role in available)
        return [*filter(None, notes), *self.writers(source.pairs for source in sources)]

    def writers(self, pairs: Iterable[str]) -> list[str]:
        """Return who wrote the texts of pair sets, as far as they are synthetic and this catalog has them."""
        sets = (self.project.pairs(self.project.pairs_id(each)) for each in pairs)
        names = dict.fromkeys(name for each in sets if (name := self._texts(each)))
        writers = dict.fromkeys(
            texts.writer(self.project)
            for name in names
            if not lacking(self.project, texts := self.project.entry("synthetic", name))
        )
        return [f"Synthetic texts are written by {writer}." for writer in writers]

    def _texts(self, pairs: PairSet) -> str | None:
        used = reached(self.project, pairs)
        return next((name for registry, name in used if registry == "synthetic"), None)

    def stand_ins(self, rows: Iterable[Row]) -> list[str]:
        """Return which encoders behind some rows are not what their role says, and who wrote their texts."""
        rows = list(rows)
        roles = dict.fromkeys(filter(None, (self.project.runs.role_of(row) for row in rows)))
        models = dict.fromkeys(each for row in rows for each in self.asked(row.pairs))
        return [*self.encoder_notes(roles), *self.writers(row.pairs for row in rows if row.pairs), *models]

    def asked(self, pairs: str | None) -> list[str]:
        """Name the chat models behind a pair set by their roles, unless this catalog lacks the pairs."""
        if pairs is None or self.project.lacking_entry("pairs", pairs):
            return []
        used = reached(self.project, self.project.pairs(self.project.pairs_id(pairs)))
        roles = dict.fromkeys(name for registry, name in used if registry == "llms")
        return [f"{role} is {self.project.llm(role).player}" for role in roles]

    def encoder_notes(self, roles: Iterable[str]) -> list[str]:
        notes = {role: self.project.encoder(role).note.removeprefix(f"{role}: ") for role in roles}
        return [f"{role}: {note}" for role, note in notes.items() if note]

    def row_note(self, row: Row, role: str) -> str:
        """Return what is not what its role says: the encoder of a row, or another one of its training."""
        runs = self.project.runs.of(row)
        recipe = self.project.recipe(runs[0].recipe) if runs else None
        known = self.encoder_notes(recipe.frozen_encoders if recipe else [])
        soup = "one encoder at the cost of all seeds, by which its chance is measured"
        soups = [soup] * self.project.runs.is_soup(row.recipe)
        note = self.project.encoder(role).note
        known = [each for each in known if each != f"{role}: {note}"]
        return "; ".join(filter(None, [note, *known, *soups, *self.asked(row.pairs)]))
