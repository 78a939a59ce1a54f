"""Does today's cost cap of a provider, or of a tenant, allow another call? Reserved before it, settled after it.

A process knows what the fleet had spent by the last snapshot, and what itself has spent since. It reserves at most its
share of the rest: with P processes 1/P each (DESIGN ruling 10). Amounts are whole micro-USD; a day is a UTC day.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.health.spend import MICRO, day_end, day_of, micro_usd


@dataclass(eq=False)
class Reservation:
    """Money that a call under way may come to cost."""

    provider: str
    day: str
    micro_usd: int


@dataclass(frozen=True)
class SetAside:
    """What a call under way may come to cost, in every purse that it draws on."""

    provider: Reservation
    tenant: Reservation | None = None
    """`None` where no tenant's cap concerns it."""


@dataclass(frozen=True)
class _Settled:
    provider: str
    day: str
    micro_usd: int
    seq: int
    """The report that tells the fleet of it."""


class Purse:
    """The caps of one process; used on one event loop only."""

    def __init__(self, caps_usd: dict[str, float]) -> None:
        """`caps_usd`: by provider or tenant, per day; whoever has none is free to spend."""
        self._caps = {provider: micro_usd(cap) for provider, cap in caps_usd.items()}
        self._reserved: dict[str, int] = {}
        self._settled: list[_Settled] = []
        self._spent: dict[str, int] = {}
        self._spent_day = ""
        self._processes = 1

    def tell(self, spent: dict[str, int], day: str, *, processes: int, acked_seq: int) -> None:
        """Take in a snapshot: what each provider has cost on `day`, reports up to `acked_seq` included."""
        self._spent, self._spent_day, self._processes = spent, day, max(1, processes)
        self._settled = [settled for settled in self._settled if settled.seq > acked_seq]

    def reserve(self, provider: str, usd: float, now: float) -> Reservation | None:
        """Set money aside for a call, or `None` where the day's cap would not pay for it.

        Args:
            provider: Who is called, or the account of the tenant who pays.
            usd: The most that the call may cost.
            now: Seconds since the epoch.
        """
        if not self.affords(provider, usd, now):
            return None
        reservation = Reservation(provider, day_of(now), micro_usd(usd))
        self._reserved[provider] = self.reserved(provider) + reservation.micro_usd
        return reservation

    def affords(self, provider: str, usd: float, now: float) -> bool:
        """Whether `reserve` would set this aside right now: what a decision asks, before a call is scheduled."""
        cap = self._caps.get(provider)
        return cap is None or micro_usd(usd) <= self._free(provider, cap, day_of(now))

    def covers(self, provider: str, usd: float) -> bool:
        """Whether this process's share of a whole day would pay for it."""
        cap = self._caps.get(provider)
        return cap is None or micro_usd(usd) <= cap // self._processes

    def back_in_s(self, provider: str, usd: float, now: float) -> float | None:
        """In how many seconds a cap that does not pay for this will, at the earliest; `None` where nobody can say."""
        # A call under way may give back any moment what it has not cost; and no day pays for what is beyond its share.
        if self.reserved(provider) > 0 or not self.covers(provider, usd):
            return None
        return day_end(now) - now

    def settle(self, reservation: Reservation, usd: float, seq: int) -> None:
        """The call has ended and cost this, which report `seq` tells; what was set aside is free again."""
        provider = reservation.provider
        self._reserved[provider] = self.reserved(provider) - reservation.micro_usd
        reservation.micro_usd = 0
        if provider in self._caps:
            self._settled.append(_Settled(provider, reservation.day, micro_usd(usd), seq))

    def spent_usd(self, provider: str, now: float) -> float:
        """What today has cost so far, as far as this process knows; calls under way are not in it."""
        return self._spent_on(provider, day_of(now)) / MICRO

    def reserved(self, provider: str) -> int:
        """What is set aside at the moment."""
        return self._reserved.get(provider, 0)

    def _free(self, provider: str, cap: int, day: str) -> int:
        return (cap - self._spent_on(provider, day)) // self._processes - self.reserved(provider)

    def _spent_on(self, provider: str, day: str) -> int:
        spent = self._spent.get(provider, 0) if self._spent_day == day else 0
        own = sum(settled.micro_usd for settled in self._settled if settled.provider == provider and settled.day == day)
        return spent + own
