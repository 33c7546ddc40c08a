"""How tests run: hypothesis without deadlines, for machines are noisy, on CI with the same cases; long files first."""

import os

import pytest
from hypothesis import HealthCheck, settings

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
    *("check/test_killed", "composition/test_library_models", "cli/test_train_loads", "test_public_names"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long."""
    items.sort(key=lambda item: not item.nodeid.startswith(tuple(f"tests/{name}.py" for name in LONG_FILES)))
