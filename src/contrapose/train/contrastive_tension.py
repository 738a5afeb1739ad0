"""Train two copies of an encoder against each other on the anchors of a table of pairs; keep the better."""

from contrapose.jobs.inputs import Pairs
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.train.training import Dev, Finish, Options, Pretrained, Trained, TrainingSettings, plan

__all__ = ["build", "plan"]  # planned as every training


def build(
    spec: TrainingSettings[ContrastiveTensionRecipe],
    pairs: Pairs,
    dev: Dev,
    options: Options,
    encoder: Pretrained,
    finish: Finish,
) -> Trained:
    """Train an encoder by contrastive tension; see `train_contrastive_tension`."""
    from contrapose.train.batches import distinct_texts
    from contrapose.train.tension import train_contrastive_tension

    texts = distinct_texts(pairs, ["anchor"])
    history, counts = train_contrastive_tension(encoder, texts, dev, spec.recipe, spec.seed, options)
    return finish(encoder, history, **{**counts, "pairs": len(pairs)})
