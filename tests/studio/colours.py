"""Colours as people see them: contrast, CIEDE2000 differences, and how the colour blind see them."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array

D65 = np.array([0.95047, 1.0, 1.08883])
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
# Machado, Oliveira and Fernandes 2009, table 1, severity 1.0; they apply to linear light
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str) -> Array:
    """Return red, green and blue of a colour such as #a3196d as shares of linear light."""
    share = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by the accessibility guidelines, from 1 to 21."""
    dark, light = sorted(float(linear(colour) @ TO_XYZ[1]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, blindness: str | None = None) -> Array:
    """Return L*, a*, b* of a colour, as people with a colour blindness see it."""
    light = linear(colour)
    if blindness is not None:
        light = np.clip(np.array(BLINDNESS[blindness]) @ light, 0, 1)
    ratio = TO_XYZ @ light / D65
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: Array, other: Array) -> float:
    """Return ΔE₀₀ of two colours in L*a*b* (CIE 142-2001)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7))) / 2
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    dh = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    big = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh / 2))
    light, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + dh / 2) % 360
    cosine = np.cos(np.radians([h - 30, 2 * h, 3 * h + 6, 4 * h - 63])) @ [-0.17, 0.24, 0.32, -0.20]
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c, 1 + 0.015 * c * (1 + cosine)
    turn = -np.sin(np.radians(60 * np.exp(-(((h - 275) / 25) ** 2)))) * 2 * np.sqrt(c**7 / (c**7 + 25.0**7))
    parts = (l2 - l1) / s_l, (c2 - c1) / s_c, big / s_h
    return float(np.sqrt(sum(part**2 for part in parts) + turn * parts[1] * parts[2]))


def smallest_difference(colours: Sequence[str], blindness: str | None = None) -> float:
    """Return the smallest ΔE₀₀ between two of several colours."""
    seen = [lab(colour, blindness) for colour in colours]
    return min(difference(one, other) for n, one in enumerate(seen) for other in seen[:n])
