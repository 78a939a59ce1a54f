"""What the fleet has measured of its models: profiles, evaluations, served versions and upgrades, and their rules."""
