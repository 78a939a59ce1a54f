"""`pointsman explain`: a question's way in words, from its history alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pointsman.cli.asking import AsJson, QuestionId, with_client
from pointsman.cli.exits import Exit
from pointsman.printable import printable

if TYPE_CHECKING:
    from pointsman.client import RouterClient


def explain(question_id: QuestionId, *, as_json: AsJson = False) -> int:
    """Tell a question's way: where it went and why, every attempt with its times, and what it cost."""

    async def run(client: RouterClient) -> int:
        from pointsman.story.text import story_text  # noqa: PLC0415 - only when there is something to show

        story = await client.explain(question_id)
        print(story.model_dump_json(indent=2) if as_json else story_text(story))
        if not story.unreadable:
            return Exit.DONE
        # What can be told is told; a script sees that this is not all, and why.
        print(printable(story.unread_because or "some of its payloads cannot be read here"), file=sys.stderr)
        return Exit.BAD_INPUT

    return with_client(run)
