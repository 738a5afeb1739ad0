from tests.unit.generate.conftest import clock, virtual

__all__ = ["clock", "virtual"]
