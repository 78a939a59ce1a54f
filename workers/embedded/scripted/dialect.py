"""What the server needs to know of a vendor's wire protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workers.embedded.scripted.request import Asked, Request
    from workers.embedded.scripted.script import Reply, Status

Json = dict[str, Any]


class Dialect(Protocol):
    """One vendor's protocol; only replies in one piece, no streams."""

    @property
    def name(self) -> str:
        """LiteLLM's word for the vendor."""
        ...

    @property
    def route(self) -> str:
        """Path below the endpoint's name, as an aiohttp pattern that may hold `{model}`."""
        ...

    @property
    def base(self) -> str:
        """The part of `route` that belongs to LiteLLM's `api_base`."""
        ...

    def asked(self, body: Mapping[str, Any], model: str) -> Asked:
        """What `body` asks for; `model` is the one in the path, or empty."""
        ...

    def reply(self, reply: Reply, request: Request) -> Json:
        """Body of an answer."""
        ...

    def no_choices(self, request: Request) -> Json:
        """Body of a reply without an answer."""
        ...

    def error(self, fault: Status) -> Json:
        """Body of an error."""
        ...


def plain_text(content: object) -> str:
    """Text of a message's content, which is a string or a list of parts of which some have a `text`."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [cast("Json", part) for part in cast("list[object]", content) if isinstance(part, dict)]
    return "\n".join(str(part["text"]) for part in parts if "text" in part)


def texts(messages: list[Json], *roles: str, content: str = "content") -> list[str]:
    """Text of each message that has one of `roles`, oldest first."""
    return [plain_text(message.get(content)) for message in messages if message.get("role") in roles]


def last(found: list[str]) -> str:
    """The last text, or an empty one."""
    return found[-1] if found else ""
