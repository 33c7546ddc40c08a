"""Timing: the best of several repetitions, peers in turn, so that noise affects all of them alike."""

import time
from collections.abc import Callable, Mapping


def best_seconds(peers: Mapping[str, Callable[[], object]], repeat: int = 7, least: float = 0) -> dict[str, float]:
    """Return the shortest time of each peer; each runs once before the measurement.

    A time is the mean of the runs that fit into `least` seconds, so that short calls have no advantage.
    """
    for run in peers.values():
        run()
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(repeat):
        for name, run in peers.items():
            begin, runs, seconds = time.perf_counter(), 0, 0.0
            while runs == 0 or seconds < least:
                run()
                runs, seconds = runs + 1, time.perf_counter() - begin
            best[name] = min(best[name], seconds / runs)
    return best
