"""Certificates of compiled programs, as the proof has them."""

from weightsmith.programs.proof.certificate import Certificate, InType

__all__ = ["Certificate", "InType"]
