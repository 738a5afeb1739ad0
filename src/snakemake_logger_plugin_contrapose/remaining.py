"""How long the rest of a run will take: the jobs to do, each by the measured time of its rule."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import mean

# Stages that run models or ask them.  The jobs of others take seconds.
LONG = ("mini", "generate", "score", "train", "evaluate")


class Remaining:
    """The jobs that a run still has to do.

    A job counts its seconds over the number of jobs that ran when it ended, so jobs side by side count once.
    """

    def __init__(self, jobs: Mapping[str, int]) -> None:
        self.jobs = Counter(jobs)  # by rule, running ones too
        self._shares: dict[str, list[float]] = defaultdict(list)  # seconds, by rule

    def finish(self, rule: str, seconds: float, side_by_side: int) -> None:
        """Count a job that has ended, after `seconds`, when so many were running."""
        self.jobs[rule] -= 1
        self._shares[rule].append(seconds / side_by_side)

    def said(self, running: Iterable[tuple[str, float, float | None]]) -> str:
        """Return the time left in words; empty while too little is known.

        `running` has rule, seconds so far and seconds left, if known, of each running job.  Of the jobs of
        long stages, a third must be of rules that have been measured; `at least` means that not all are.
        """
        running = list(running)
        waiting = self.jobs - Counter(rule for rule, _, _ in running)
        shares = {rule: mean(each) for rule, each in self._shares.items()}
        left = 0.0
        for rule, seconds, more in running:
            if more is None and rule in shares:
                more = max(0.0, shares[rule] * len(running) - seconds)
            if more is not None:
                left += more / len(running)
                shares.setdefault(rule, (seconds + more) / len(running))
        short = [share for rule, share in shares.items() if not _is_long(rule)]
        for rule, count in waiting.items():
            left += count * shares.get(rule, mean(short) if short and not _is_long(rule) else 0.0)
        long = Counter({rule: count for rule, count in self.jobs.items() if _is_long(rule)})
        measured = sum(count for rule, count in long.items() if rule in shares)
        if 3 * measured < long.total():
            return ""
        return f"{'about' if measured == long.total() else 'at least'} {duration(left)} left"


def _is_long(rule: str) -> bool:
    return rule.split("_")[0] in LONG


def duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
