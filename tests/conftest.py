"""How hypothesis runs: machines are noisy, so nothing depends on time; on CI the same cases every time."""

import os

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow]
settings.register_profile("here", deadline=None, suppress_health_check=slow_is_fine)
settings.register_profile("ci", deadline=None, suppress_health_check=slow_is_fine, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
