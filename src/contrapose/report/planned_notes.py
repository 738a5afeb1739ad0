"""Notes for readers of a table: what its rows are trained on, and what stands in for something else."""

from collections.abc import Iterable, Iterator, Sequence

from contrapose.models.declared import declared_by
from contrapose.models.pooling import WORDS
from contrapose.pairs.kinds import PairSet
from contrapose.report.row_runs import pooled_anew, role_of, trainings
from contrapose.report.row_settings import DetectionSource, Row
from contrapose.settings.plan import Plan
from contrapose.settings.refs import language_of
from contrapose.settings.spec import Spec


def trained_on(project: Plan, rows: Sequence[Row]) -> list[str]:
    """Return how much of which text the runs of a table are trained on, in the order of its rows."""
    materials: dict[str, dict[str, None]] = {}
    for run in (runs[0] for row in rows if (runs := trainings(project, row))):
        material = project.pairs(run.pairs).material(project)
        text = " of ".join(filter(None, (material.amount, material.note)))
        materials.setdefault(text, {})[material.name] = None
    return [
        f"Trained on {', '.join(names)}: {text}{' each' if len(names) > 1 else ''}."
        for text, names in materials.items()
    ] + writers(project, (row.pairs for row in rows if row.pairs))


def poolings(project: Plan, rows: Sequence[Row]) -> list[str]:
    """Say which encoders are pooled in another way in training than as their folders declare."""
    own = {row.encoder for row in rows if row.encoder and row.pooling == "auto"}
    anew = dict.fromkeys(run for row in rows if (run := pooled_anew(project, row))) if own else {}
    notes = []
    for run in (run for run in anew if run.role in own):
        form = declared_by(project, run.role)
        declares = f", and its folder declares {form.described}" if form else ""
        notes.append(
            f"Trainings pool {run.role} by {WORDS[run.pooling]}, as their recipe says{declares}. They are "
            f"compared with {run.role} without training, pooled in the same way, so a change of the pooling "
            "does not count as a gain."
        )
    return notes


def tokenizer(project: Plan, spec: Spec) -> str:
    """Name the word tokenizer of a corpus or of pairs, if it is not NLTK's, which the papers use."""
    language = language_of(project, spec)
    cutter = "MeCab with IPADIC" if language == "japanese" else "Moses's rules"
    return "" if language == "english" else f"words as split by {cutter} for {language.title()}"


def tokenizers_of_detected(project: Plan, sources: Sequence[DetectionSource]) -> Iterator[str]:
    """Name the tokenizer of the words of texts that were written for a corpus, if it is not NLTK's."""
    for source in sources:
        if words := tokenizer(project, project.pairs(project.pairs_id(source.pairs))):
            yield f"{source.name}: {words}"


def translator(project: Plan) -> list[str]:
    """Name who translates the evaluation sets of this catalog; no note if nobody does."""
    translates = project.catalog.translator
    if translates is None and project.catalog.mini:
        return ["Not translated: the generator of this catalog writes the same pairs in English."]
    return [f"Translated by {translates.player(project)}."] if translates else []


def detectors(project: Plan, sources: Sequence[DetectionSource]) -> list[str]:
    """Name the encoders that judge texts but are not what their role says, and who wrote the texts."""
    roles = sorted({project.entry("identifiers", source.identifier).encoder for source in sources})
    available = (role for role in roles if not project.lacking_entry("encoders", role))
    notes = (project.encoder(role).note for role in available)
    return [*filter(None, notes), *writers(project, (source.pairs for source in sources))]


def writers(project: Plan, pairs: Iterable[str]) -> list[str]:
    """Return who wrote the texts of pair sets, as far as they are synthetic and this catalog has them."""
    sets = (project.pairs(project.pairs_id(identifier)) for identifier in pairs)
    names = dict.fromkeys(name for spec in sets if (name := _synthetic(project, spec)))
    written = dict.fromkeys(
        texts.writer(project)
        for name in names
        if not project.lacking(texts := project.entry("synthetic", name))
    )
    return [f"Synthetic texts are written by {writer}." for writer in written]


def _synthetic(project: Plan, pairs: PairSet) -> str | None:
    used = project.reached(pairs)
    return next((name for registry, name in used if registry == "synthetic"), None)


def stand_ins(project: Plan, rows: Sequence[Row]) -> list[str]:
    """Return which encoders behind some rows are not what their role says, and who wrote their texts."""
    roles = dict.fromkeys(role for row in rows if (role := role_of(project, row)))
    models = dict.fromkeys(model for row in rows for model in chat_models(project, row.pairs))
    written = writers(project, (row.pairs for row in rows if row.pairs))
    return [*encoder_notes(project, roles), *written, *models]


def chat_models(project: Plan, pairs: str | None) -> list[str]:
    """Name the chat models behind a pair set by their roles, unless this catalog lacks the pairs."""
    if pairs is None or project.lacking_entry("pairs", pairs):
        return []
    used = project.reached(project.pairs(project.pairs_id(pairs)))
    roles = dict.fromkeys(name for registry, name in used if registry == "llms")
    return [f"{role} is {project.entry('llms', role).player}" for role in roles]


def encoder_notes(project: Plan, roles: Iterable[str]) -> list[str]:
    """Return what stands in for encoders, each note after the role."""
    notes = {role: project.encoder(role).note.removeprefix(f"{role}: ") for role in roles}
    return [f"{role}: {note}" for role, note in notes.items() if note]


def row_note(project: Plan, row: Row, role: str) -> str:
    """Return what is not what its role says: the encoder of a row, or another one of its training."""
    runs = trainings(project, row)
    recipe = project.recipe(runs[0].recipe) if runs else None
    known = encoder_notes(project, recipe.frozen_encoders if recipe else [])
    is_soup = project.runs.is_soup(row.recipe)
    soup = "the average of the trainings of all seeds, which costs as much as all of them" if is_soup else ""
    note = project.encoder(role).note
    known = [other for other in known if other != f"{role}: {note}"]
    return "; ".join(filter(None, [note, *known, soup, *chat_models(project, row.pairs)]))
