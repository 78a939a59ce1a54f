"""What a run of chaos has shown: every promise with what speaks against it, and the figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.table import Table

from benchmarks.chaos import accounts, breakers, payments, probes, promises, remarks, replies
from benchmarks.chaos.witness import Evidence
from benchmarks.figures import Figure, Neighbour
from benchmarks.promised import promised

FOR_THE_TABLE = 4
"""The first so many figures are those that are wanted; the others tell how much there was to break."""


@dataclass(frozen=True)
class Verdict:
    """The findings."""

    seed: int
    faults: dict[str, list[str]]
    """By promise; an empty list where it was kept."""
    figures: list[Figure]
    explained: Counter[str]

    @property
    def good(self) -> bool:
        """Whether every promise was kept."""
        return not any(self.faults.values())

    def sentences(self) -> list[str]:
        """Each fault, and how often an error in a log had an explanation."""
        told = [f"{promise}: {fault}" for promise, faults in self.faults.items() for fault in faults]
        return [*told, *(f"{times} errors in logs: {why}" for why, times in self.explained.items())]

    def table(self) -> Table:
        """A line for each promise."""
        table = Table("promise", "faults", title=f"Chaos, seed {self.seed}", title_justify="left")
        for promise, found in self.faults.items():
            table.add_row(promise, f"[bold red]{len(found)}[/bold red]" if found else "none")
        return table


def verdict(evidence: Evidence) -> Verdict:
    """Look at everything."""
    counted = accounts.accounts(evidence)
    faults = {
        "every question has ended as promised": promises.lost(evidence),
        f"within its deadline and {promises.grace_s(evidence):.0f} s": promises.late(evidence),
        "and its asker was told what is in its history": replies.mistold(evidence),
        "no call whose completion is in history was sent again": payments.paid_again(evidence),
        "every request is an attempt on record": payments.untold(evidence),
        "every probe is known": probes.strange(evidence),
        "the ledger matches the providers' own count": counted.faults,
        "breakers moved by their rules": breakers.illegal_moves(evidence),
        "breakers are closed again": breakers.not_closed(evidence),
        "no unexplained error is in a log": remarks.unexplained(evidence),
        "no worker ended by itself": evidence.deserters,
        "workers told to stop ended with 0": [f"status {one}" for one in evidence.statuses if one != 0],
    }
    return Verdict(evidence.schedule.seed, faults, _figures(evidence, counted, faults), remarks.explained(evidence))


def _figures(evidence: Evidence, counted: accounts.Accounts, faults: dict[str, list[str]]) -> list[Figure]:
    outcomes = Counter(run.status.name.lower() for run in evidence.runs if run.status is not None)
    servers = [killed.away_s for killed in evidence.killed if killed.target == "server"]
    lost, _, _, again, *_ = faults.values()
    workers = sum(killed.target == "worker" for killed in evidence.killed)
    unrecorded = len(payments.unrecorded(evidence))
    return [
        promised(
            "kill_lost",
            "processes killed: questions lost",
            len(lost),
            beside=(
                Neighbour("kill_questions", "asked", len(evidence.schedule.questions)),
                Neighbour("kill_workers", "workers killed", workers),
                Neighbour("kill_servers", "server killed", len(servers)),
                Neighbour("kill_server_away_s", "away at most", max(servers, default=0.0), "s"),
            ),
        ),
        promised(
            "kill_paid_again",
            "processes killed: calls on record that were sent again",
            len(again),
            beside=(
                Neighbour("kill_unrecorded", "finished but unrecorded at a kill", unrecorded),
                Neighbour("kill_requests", "requests", len(evidence.hits)),
            ),
        ),
        Figure("kill_unrecorded", "processes killed: calls finished but unrecorded at a kill", unrecorded),
        Figure("kill_faults", "processes killed: faults of all kinds", sum(map(len, faults.values())), at_most=0),
        Figure("kill_questions", "questions asked", len(evidence.schedule.questions)),
        Figure("kill_answered", "  runs answered", outcomes["completed"]),
        Figure("kill_failed", "  runs failed with a typed error", outcomes["failed"]),
        Figure("kill_cancelled", "  runs cancelled", outcomes["canceled"]),
        Figure("kill_load", "highest load of each core meanwhile", evidence.load),
        Figure("kill_grace_s", "  grace that follows from it, after a deadline", promises.grace_s(evidence), "s"),
        Figure("kill_latest_s", "  latest end, after the deadline", promises.latest_s(evidence), "s"),
        Figure("kill_requests", "requests that providers saw", len(evidence.hits)),
        Figure("kill_workers", "workers killed", workers),
        Figure("kill_servers", "times the server was killed", len(servers)),
        Figure("kill_server_away_s", "  longest time until it answered again", max(servers, default=0.0), "s"),
        Figure("kill_own_probes", "probes of processes that were cut off", len(probes.own(evidence))),
        Figure("kill_openings", "times a breaker opened", _openings(evidence)),
        Figure("kill_rows_reported", "ledger: rows with reported usage", counted.reported),
        Figure("kill_reported_usd", "  what they cost", counted.reported_nano_usd / 1e9, "USD"),
        Figure("kill_counted_usd", "  what the providers counted for them", counted.counted_nano_usd / 1e9, "USD"),
        Figure("kill_rows_estimated", "ledger: rows with estimated usage", counted.estimated),
        Figure("kill_rows_unheard", "  of answers that nobody heard any more", counted.unheard),
        Figure("kill_rows_unsent", "  of calls cut off before they were sent", counted.unsent),
        Figure("kill_rows_lost", "requests whose row was lost with its worker", counted.lost, at_most=counted.at_risk),
        Figure("kill_ledger_held_s", "ledger: its file was held by one process for", _held_s(evidence), "s"),
    ]


def _held_s(evidence: Evidence) -> float:
    return sum(end - begin for begin, end in evidence.locked)


def _openings(evidence: Evidence) -> int:
    return sum(event.kind == "opened" for events in evidence.changes.values() for event in events)
