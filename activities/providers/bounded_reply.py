"""One request, one address, a reply that ends, and an answer that is read: what LiteLLM's transport promises none of.

LiteLLM follows redirects: a reply would make a second request, with the prompt in it, to an address that nobody has
configured. And it reads whatever comes: a reply without an end, or packed a thousandfold, takes all the memory of a
process that answers everybody's questions. A good answer of two protocols is an error to it where it tells no usage: it
would be paid for and thrown away. Written against the release that pyproject.toml pins.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport  # pyright: ignore[reportMissingTypeStubs]

MAX_REPLY_BYTES = 16 * 1024**2
"""Of a reply's body, unpacked. The longest answer that is taken has 1 MB, and JSON may spell it six times as long."""

_USAGE_IS_NEEDED: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (lambda document: document.get("type") == "message", "usage"),  # Anthropic
    (lambda document: "candidates" in document, "usageMetadata"),  # Gemini
)

_plain_request: Any = LiteLLMAiohttpTransport.handle_async_request


class EndlessReply(httpx.ReadError):
    """The reply goes on beyond the limit."""


class BoundedReply(httpx.Response):
    """A response that is read no further than `MAX_REPLY_BYTES`."""

    async def aiter_bytes(self, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        """The unpacked body, piece by piece.

        Raises:
            EndlessReply: there is more of it.
        """
        read = 0
        async for piece in super().aiter_bytes(chunk_size):
            read += len(piece)
            if read > MAX_REPLY_BYTES:
                raise EndlessReply("the reply goes on beyond its limit")
            yield piece

    def json(self, **options: Any) -> Any:
        """The body as LiteLLM reads it: counts that it insists on are there, as none.

        That nothing was reported is read from the body itself (`native_reply`).
        """
        document = super().json(**options)
        if isinstance(document, dict):
            for marks, usage in _USAGE_IS_NEEDED:
                if marks(document) and not document.get(usage):
                    document[usage] = {}
        return document


async def _request(transport: Any, request: httpx.Request) -> httpx.Response:
    found: httpx.Response = await _plain_request(transport, request)
    # Without a place to go to, a redirect is a status like any other.
    headers = [(name, value) for name, value in found.headers.raw if name.lower() != b"location"]
    return BoundedReply(found.status_code, headers=headers, stream=found.stream, request=request)


def install() -> None:
    """Have every request of LiteLLM made so. Once a process is enough, and twice does no harm."""
    LiteLLMAiohttpTransport.handle_async_request = _request  # pyright: ignore[reportAttributeAccessIssue]
