"""How things are measured here: two things in turn, many times, in one run; what counts is the ratio of the medians."""

import statistics
from collections.abc import Callable, Sequence

WARM_UP = 1


def ratio_of_pairs(ours: Callable[[], float], bare: Callable[[], float], pairs: int) -> tuple[float, float, float]:
    """Median of ours, median of the bare counterpart, and their ratio; each function gives its own seconds."""
    taken: list[tuple[float, float]] = []
    for index in range(pairs + WARM_UP):
        pair = (ours(), bare()) if index % 2 else tuple(reversed((bare(), ours())))
        if index >= WARM_UP:
            taken.append((pair[0], pair[1]))
    first = statistics.median(pair[0] for pair in taken)
    second = statistics.median(pair[1] for pair in taken)
    return first, second, first / second


def print_table(title: str, rows: Sequence[tuple[str, str, str, bool]]) -> None:
    """One line for each measurement: what, measured, allowed, and whether it holds."""
    print(title)
    width = max(len(row[0]) for row in rows)
    for what, measured, allowed, holds in rows:
        print(f"  {what:<{width}}  {measured:>12}  {allowed:>14}  {'ok' if holds else 'TOO MUCH'}")
