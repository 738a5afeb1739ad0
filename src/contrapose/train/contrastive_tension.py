"""Train two copies of an encoder against each other on the anchors of a table of pairs; keep the better."""

from contrapose.pairs.strategy import Pairs
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.steps import Project, planned
from contrapose.train.training import (
    CardFacts,
    Dev,
    Options,
    Pretrained,
    Provenance,
    Trained,
    TrainingSettings,
    trained,
    training_settings,
)


class TensionTraining(TrainingSettings):
    """What contrastive tension depends on."""

    recipe: ContrastiveTensionRecipe


@planned
def plan(project: Project, pairs: str, recipe: str, seed: str) -> TensionTraining:
    return training_settings(TensionTraining, project, recipe, seed)


def build(
    spec: TensionTraining,
    pairs: Pairs,
    dev: Dev,
    options: Options,
    encoder: Pretrained,
    card: CardFacts,
    made_by: Provenance,
) -> Trained:
    """Train an encoder by contrastive tension; see `train_contrastive_tension`."""
    from contrapose.train.batches import distinct_texts
    from contrapose.train.tension import train_contrastive_tension

    texts = distinct_texts(pairs, ["anchor"])
    history, counts = train_contrastive_tension(encoder, texts, dev, spec.recipe, spec.seed, options)
    return trained(encoder, history, card, made_by, [], **counts, pairs=len(pairs))
