"""The names of `contrapose.base.seeds`, which strategies of version 0.4 import from here."""

from contrapose.base.seeds import derived_seed, generator, uniforms

__all__ = ["derived_seed", "generator", "uniforms"]
