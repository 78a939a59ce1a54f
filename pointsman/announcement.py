"""What a webhook is told of a review. It names the question and quotes neither it nor an answer."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

Occasion = Literal["opened", "reminder", "extended"]


class Announcement(BaseModel):
    """The JSON that is posted."""

    model_config = ConfigDict(frozen=True)

    question_id: str
    run_id: str
    occasion: Occasion
    task: str | None = None
    why: str
    opened_at: datetime
    decide_by: datetime
