"""Names and descriptions of poolings: how the vectors of a text's tokens become one vector.

This module loads no PyTorch, so that planning can compare poolings; `contrapose.models.poolers` computes
them.
"""

from dataclasses import dataclass

# How the tokens of a text are reduced to one vector, by the names of sentence-transformers (`Pooling`), in
# the order in which its former configuration put them side by side.
MODES = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
LAST_LAYER: tuple[tuple[int, float], ...] = ((-1, 1.0),)


@dataclass(frozen=True)
class Pooling:
    """How the vectors of a text's tokens become one vector.

    `modes`: of MODES; the vectors of several are put side by side.
    `layers`: pairs of a layer and its weight, which sum to 1: 0 is the embeddings, -1 the last layer.
    `include_prompt`: False leaves the tokens of a prompt, the first special token included, out.
    """

    modes: tuple[str, ...]
    layers: tuple[tuple[int, float], ...] = LAST_LAYER
    include_prompt: bool = True

    @property
    def name(self) -> str:
        """The name that it has in settings, or else one made of its parts."""
        if (name := next((name for name, each in POOLINGS.items() if each == self), "")) and name != "cls":
            return name
        names = {each.modes: name for name, each in POOLINGS.items() if each.layers == LAST_LAYER}
        modes = "+".join(names.get((mode,), mode) for mode in self.modes)
        layers = "" if self.layers == LAST_LAYER else f" of layers {self._weights}"
        return f"{modes}{layers}{'' if self.include_prompt else ' without the prompt'}"

    @property
    def _weights(self) -> str:
        return ", ".join(f"{layer} x {weight:.3g}" for layer, weight in self.layers)

    @property
    def needs(self) -> str:
        """What it reads: `first`, the first token of the last layer; `last`, all its tokens; `all` layers."""
        if self.layers != LAST_LAYER:
            return "all"
        return "first" if self.modes == ("cls",) and self.include_prompt else "last"


def _mean(*layers: int) -> Pooling:
    return Pooling(("mean",), tuple((layer, 1 / len(layers)) for layer in layers))


# What settings call them, in the words of a table.
WORDS = {
    "cls_before_pooler": "[CLS]",
    "cls": "[CLS] through a dense layer",
    "mean": "mean",
    "avg_top2": "mean of the last two layers",
    "avg_first_last": "mean of the first and the last layer",
    "lasttoken": "last token",
}
# By their names in settings.  "First" is the output of layer 1, as in SimCSE's code since its fix; the
# numbers in its paper used the static embeddings, layer 0 (SimCSE, `simcse/models.py`, issue 285).
POOLINGS = {
    "cls_before_pooler": Pooling(("cls",)),
    "cls": Pooling(("cls",)),  # and a dense layer after it
    "mean": _mean(-1),
    "avg_top2": _mean(-1, -2),
    "avg_first_last": _mean(1, -1),
    "lasttoken": Pooling(("lasttoken",)),
}
