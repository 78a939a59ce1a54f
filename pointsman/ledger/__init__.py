"""The ledger of costs: one row per attempt at a provider, kept in SQLite or PostgreSQL (DESIGN ruling 11).

    ledger = Ledger.open("sqlite:///.pointsman/ledger.db")
    ledger.write([LedgerEntry.of(attempt, ...)])
    ledger.spent("frontier-a", date(2026, 11, 30)).reported_usd

Only `pointsman.ledger.database` and `pointsman.ledger.table` import SQLAlchemy, so that a client does without it.
"""
