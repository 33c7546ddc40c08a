"""How times are taken: the best of several repetitions, peers in turn, so that noise hits all of them alike."""

import time
from collections.abc import Callable, Mapping


def best_seconds(peers: Mapping[str, Callable[[], object]], repeat: int = 7) -> dict[str, float]:
    """Give each peer's shortest time; each is run once before anything is measured."""
    for run in peers.values():
        run()
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(repeat):
        for name, run in peers.items():
            begin = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best
