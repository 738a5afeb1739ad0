"""Facts in the model cards of trained encoders that are not settings of the training."""

from contrapose.base.tasks import LANGUAGES, TASKS
from contrapose.project.lookups import Lookups
from contrapose.report.planned_notes import chat_models
from contrapose.settings.refs import languages
from contrapose.settings.spec import CODES
from contrapose.train.training import CardFacts


def card_facts(project: Lookups, pairs: str, recipe: str) -> CardFacts:
    """Return what the model card of a run says beside its settings."""
    role = project.recipe(recipe).encoder
    source, model = project.entry("encoders", role), project.encoder(role)
    played = f"{model.name} at {model.hub.revision}" if model.hub else model.name
    known = pairs.partition("+")[0] in project.recipes.pairs  # else of a workflow that imports this one
    return CardFacts(
        catalog=project.catalog_name,
        catalog_description=project.catalog.description,
        generated=project.catalog.generated,
        base=role if played in ("", role) else f"{role} ({played})",
        base_model=None if model.note else source.hub_name,
        language=_language(project, pairs, recipe),
        asked=chat_models(project, pairs) if known else [],
    )


def _language(project: Lookups, pairs: str, recipe: str) -> str | None:
    """Return the language of the dev set, else of the source of the pairs; None if unknown."""
    dev = project.recipe(recipe).trained(project).dev
    if dev in TASKS:
        return LANGUAGES.get(TASKS[dev].suite)
    return next((CODES[language] for language in languages(project, project.pairs(pairs))), None)
