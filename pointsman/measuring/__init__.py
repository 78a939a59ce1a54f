"""Measuring the fleet's models: what is asked of whom, what came of it, and what that comes to."""
