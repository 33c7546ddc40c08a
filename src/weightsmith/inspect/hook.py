"""The hook of a run: a function that is called at every site, and may replace the values there."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any
from warnings import warn

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Change, unchanged

EXAMPLE = "such as lambda site, x: 0 * x if str(site) == 'block 0 head 1' else x"


def hook(change: Any) -> Change:
    """Return a function of a site and its values that checks what `change` gives; refuse what is no such function.

    One that takes (kind, stage or block, head, values), as in earlier versions, is taken with a warning.
    """
    given: object = change
    if given is unchanged:
        return unchanged
    if not callable(change):
        raise InputError(f"change={brief(change)}: write a function of a site and the values there, {EXAMPLE}")
    of_site: Change = _of_earlier_versions(change) if _needed(change) == 4 else change

    def checked(site: Site, values: Array) -> Array:
        new = of_site(site, values)
        if new is None:
            raise InputError(f"change gives None at {site}: return the values to go on with, changed or as they are")
        if new is not values and np.shape(new) != values.shape:
            raise InputError(
                f"change gives an array of the shape {np.shape(new)} at {site}, where the values have the shape "
                f"{values.shape}: return one of the same shape"
            )
        return new if new is values else np.asarray(new)

    if hasattr(change, "sites"):
        checked.sites = change.sites  # type: ignore[attr-defined]  # see `may_change`
    return checked


def _needed(change: Callable[..., Any]) -> int:
    """Return how many arguments a function needs; refuse one that cannot be called with a site and values."""
    try:
        form = signature(change)
    except ValueError:  # a function in C, which does not say
        return 2
    each = [
        one for one in form.parameters.values() if one.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]
    needed = sum(one.default is one.empty for one in each)
    if needed != 4:
        try:
            form.bind(None, None)
        except TypeError:
            raise InputError(
                f"change{form} cannot be called with a site and the values there: write a function of both, {EXAMPLE}"
            ) from None
    return needed


def _of_earlier_versions(change: Any) -> Change:
    warn("write change(site, values) instead of change(kind, place, head, values)", DeprecationWarning, stacklevel=4)

    def of_site(site: Site, values: Array) -> Any:
        kind, block = "stream" if site.in_stream else site.kind, site.stage if site.in_stream else site.block
        return change(kind, block, site.index or 0, values)

    return of_site
