"""`pointsman explain`: a question's way in words, from its history alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pointsman.cli.asking import AsJson, QuestionId, with_client
from pointsman.cli.exits import Exit

if TYPE_CHECKING:
    from pointsman.client import RouterClient


def explain(question_id: QuestionId, *, as_json: AsJson = False) -> int:
    """Tell a question's way: where it went and why, every attempt with its times, and what it cost."""

    async def run(client: RouterClient) -> int:
        from pointsman.story.text import story_text  # noqa: PLC0415 - only when there is something to show

        story = await client.explain(question_id)
        print(story.model_dump_json(indent=2) if as_json else story_text(story))
        return Exit.DONE

    return with_client(run)
