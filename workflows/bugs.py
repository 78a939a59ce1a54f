"""What a bug in workflow code raises: it ends the workflow, which would else retry its task for ever.

A non-determinism error is none of these: it waits for a worker with the right code.
"""

from __future__ import annotations

BUGS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RuntimeError)
