"""The health of providers: breakers, cooldowns, spend and latency as values. No clock, no chance, no I/O in here."""
