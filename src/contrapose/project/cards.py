"""Facts in the model cards of trained encoders that are not settings of the training."""

from contrapose.base.tasks import LANGUAGES, TASKS
from contrapose.project.lookups import Lookups
from contrapose.project.registries import reached
from contrapose.settings.spec import CODES
from contrapose.train.training import CardFacts


def card_facts(project: Lookups, pairs: str, recipe: str) -> CardFacts:
    """Return what the model card of a run says beside its settings."""
    role = project.recipe(recipe).encoder
    source, model = project.entry("encoders", role), project.encoder(role)
    released = None if model.note else getattr(source, "released", None)
    played = f"{model.name} at {model.hub.revision}" if model.hub else model.name
    known = pairs.partition("+")[0] in project.recipes.pairs  # else of a workflow that imports this one
    return CardFacts(
        catalog=project.catalog_name,
        catalog_description=project.catalog.description,
        generated=project.catalog.mini is not None,
        base=role if played in ("", role) else f"{role} ({played})",
        base_model=getattr(source, "model", None) or released,
        language=_language(project, pairs, recipe),
        asked=project.notes.asked(pairs) if known else [],
    )


def _language(project: Lookups, pairs: str, recipe: str) -> str | None:
    """Return the language of the dev set, else of the source of the pairs; None if unknown."""
    spec = project.recipe(recipe)
    dev = getattr(project.recipe(spec.recipe) if spec.kind == "averaged" else spec, "dev", None)
    if dev in TASKS:
        return LANGUAGES.get(TASKS[dev].suite)
    entries = (project.entry(*each) for each in reached(project, project.pairs(pairs)))
    return next((CODES[entry.language] for entry in entries if hasattr(entry, "language")), None)
