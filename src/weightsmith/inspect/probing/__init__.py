"""Probing: which single unit of a model predicts a feature of the input, and its values along one input."""

from weightsmith.inspect.probing.one_input import Track, Tracks
from weightsmith.inspect.probing.tracking import Baselines, Followed, Tracking, tracking
from weightsmith.inspect.probing.units import Reading, Unit

__all__ = ["Baselines", "Followed", "Reading", "Track", "Tracking", "Tracks", "Unit", "tracking"]
