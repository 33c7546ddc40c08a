"""How tests run: hypothesis without deadlines, for machines are noisy, on CI with the same cases; long files first.

Two processes load all tests, and in a fresh clone Python has compiled none of them, nor what they import. So every
other process begins at the other end: each compiles half, and finds the rest done.
"""

import os
from collections import defaultdict
from collections.abc import Generator
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from weightsmith.check import engine
from weightsmith.kernels import engines

slow_is_fine = [HealthCheck.too_slow]
settings.register_profile("here", deadline=None, suppress_health_check=slow_is_fine)
settings.register_profile("ci", deadline=None, suppress_health_check=slow_is_fine, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Files that take long for their few tests: at the end one process would wait for the other to finish them.
LONG_FILES = (
    *(
        "check/test_cluster",
        "check/test_cluster_lost",
        "check/test_cluster_network",
        "train/test_interrupted",
        "kernels/test_checked",
        "train/test_killed",
    ),
    *("studio/test_engine", "studio/test_studio_page", "studio/test_live_figures", "kernels/test_operations"),
    *("exercises/test_wrong", "exercises/test_hostile", "notebooks/test_notebooks"),
    *("check/test_killed", "composition/test_library_models", "cli/test_train_loads", "test_public_names"),
)

engine.SMALL_WORK = engines.SMALL_WORK = 0  # checks and chains of tests run by the kernels, also the small ones
BACKWARDS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 2


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Load the files of a folder backwards in every other process."""
    report = yield
    if BACKWARDS and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)  # before those that are long are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of tests marked `one_in(n)` to the long searches; put the files that take long first."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("one_in") and not item.get_closest_marker("long"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for some in cases.values():
        marker = some[0].get_closest_marker("one_in")
        assert marker is not None
        some.sort(key=lambda item: crc32(item.nodeid.encode()))  # any order that mixes the parameters
        for item in some[-(-len(some) // marker.args[0]) :]:
            item.add_marker(pytest.mark.long)
    first = tuple(f"tests/{name}.py" for name in LONG_FILES)
    items.sort(key=lambda item: (not item.nodeid.startswith(first), str(item.path)))  # the same order in all processes
