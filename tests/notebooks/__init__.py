"""Tests of the notebooks of the documentation."""
