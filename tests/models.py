"""Tests that need weights, which come by `rostrum models fetch`."""

import pytest

from pipeline import models
from pipeline.errors import RostrumError


def missing(*names: str) -> str:
    """What is not on this machine of these models."""
    absent = []
    for name in names:
        try:
            models.find(name)
        except RostrumError:
            absent.append(name)
    return " ".join(absent)


def needs(*names: str) -> pytest.MarkDecorator:
    absent = missing(*names)
    return pytest.mark.skipif(bool(absent), reason=f"needs weights: rostrum models fetch {absent}")
