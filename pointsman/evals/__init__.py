"""Evaluation suites: the cases that a model has to stand before it may serve a task, one folder a task."""
