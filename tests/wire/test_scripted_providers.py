"""The scripted providers speak the vendors' protocols well enough for LiteLLM, and their faults are real ones."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import pytest

from workers.embedded.scripted import faults
from workers.embedded.scripted.script import (
    Drip,
    ErrorInside,
    Hang,
    NoChoices,
    Raw,
    Reply,
    Reset,
    Status,
    Tokens,
    ToolCall,
)
from workers.embedded.scripted.server import ScriptedProviders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workers.embedded.scripted.request import Request

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm  # after the choice of its price map, which it makes at import
from litellm import exceptions

litellm.suppress_debug_info = True
MODELS = {
    "openai": "openai/gpt-4o-mini",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "gemini": "gemini/gemini-2.5-flash",
    "ollama": "ollama_chat/llama3.2",
}
LONG_S = 30.0
"""Far longer than anything here takes."""

each_dialect = pytest.mark.parametrize("dialect", list(MODELS))


@pytest.fixture
def providers() -> Iterator[ScriptedProviders]:
    """Running providers; not on the tests' event loop, which LiteLLM blocks to ask an ollama endpoint for its model."""
    with ScriptedProviders.in_thread() as running:
        yield running


async def ask(providers: ScriptedProviders, dialect: str, prompt: str = "hello", **options: Any) -> Any:
    """Ask the endpoint `a` through LiteLLM."""
    return await cast("Any", litellm).acompletion(
        model=MODELS[dialect],
        messages=[{"role": "system", "content": "be brief"}, {"role": "user", "content": prompt}],
        api_base=providers.api_base("a", dialect),
        **{"api_key": "none", "max_tokens": 99, "timeout": LONG_S, "max_retries": 0, "num_retries": 0, **options},
    )


async def abandon(providers: ScriptedProviders, dialect: str) -> None:
    """Ask, and go away as soon as the request has arrived."""
    call = asyncio.create_task(ask(providers, dialect))
    await providers.wait_for_hits("a", 1, LONG_S)
    assert providers.in_flight("a") == 1
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def post(url: str, body: object) -> tuple[int, bytes]:
    """Ask without LiteLLM: the status and the body."""
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return response.status, await response.read()


@each_dialect
async def test_a_reply_arrives_with_text_usage_and_served_model(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", Reply("hi there", usage=Tokens(input=40, output=12, cached=8, reasoning=2)))

    response = await ask(providers, dialect)

    requested = MODELS[dialect].partition("/")[2]
    assert response.choices[0].message.content == "hi there"
    assert response.choices[0].finish_reason == "stop"
    assert (response.usage.prompt_tokens, response.usage.completion_tokens) == (40, 12)
    # LiteLLM shows the requested model for ollama, whatever the server says.
    assert response.model == (MODELS[dialect] if dialect == "ollama" else f"{requested}-2026-01-01")


@each_dialect
async def test_a_hit_says_what_was_asked(providers: ScriptedProviders, dialect: str) -> None:
    await ask(providers, dialect, prompt="what is it?", temperature=0.25)

    (hit,) = providers.hits("a")
    assert (hit.name, hit.dialect, hit.number, hit.outcome) == ("a", dialect, 1, "answered")
    assert (hit.model, hit.prompt, hit.system) == (MODELS[dialect].partition("/")[2], "what is it?", "be brief")
    assert (hit.max_tokens, hit.temperature) == (99, 0.25)
    assert hit.headers["HOST"] == hit.headers["host"]
    assert hit.body
    assert hit.ended is not None
    assert hit.started <= hit.ended


@each_dialect
async def test_a_client_that_goes_away_before_its_reply_is_recorded_as_aborted(
    providers: ScriptedProviders, dialect: str
) -> None:
    providers.script("a", Reply(delay_s=LONG_S))

    await abandon(providers, dialect)

    (hit,) = await providers.wait_for_hits("a", 1, LONG_S, "aborted")
    assert hit.ended is not None
    assert hit.ended - hit.started < LONG_S
    assert providers.in_flight("a") == 0


@each_dialect
async def test_a_finish_that_no_vendor_has_arrives_verbatim(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", Reply(finish="brand_new"))
    paths = {
        "openai": "/v1/chat/completions",
        "anthropic": "/v1/messages",
        "gemini": "/v1beta/models/m:generateContent",
        "ollama": "/api/chat",
    }

    status, body = await post(f"{providers.url}/a{paths[dialect]}", {"model": "m", "messages": [], "contents": []})

    assert status == 200
    assert b'"brand_new"' in body


@each_dialect
async def test_length_is_the_vendors_own_word_for_length(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", Reply("cut sho", finish="length"))

    response = await ask(providers, dialect)

    assert response.choices[0].finish_reason == "length"


@each_dialect
async def test_a_tool_call_arrives(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", Reply("", finish="tool_calls", tool_calls=(ToolCall("look_up", '{"id": 4}'),)))

    response = await ask(providers, dialect)

    (call,) = response.choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("look_up", '{"id": 4}')


@each_dialect
async def test_a_status_is_an_error_in_the_vendors_words(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", Status(429, "slow down", headers={"retry-after": "7"}))

    with pytest.raises(exceptions.RateLimitError, match="slow down") as caught:
        await ask(providers, dialect)

    assert cast("Any", caught.value).litellm_response_headers["retry-after"] == "7"


@each_dialect
async def test_an_echoed_key_is_the_one_that_was_sent(providers: ScriptedProviders, dialect: str) -> None:
    providers.script("a", faults.echoed_key)

    with pytest.raises(Exception, match="sk-visible"):
        await ask(providers, dialect, api_key="sk-visible")


async def test_vendor_faults_are_recognised_by_litellm(providers: ScriptedProviders) -> None:
    for fault, dialect, recognised in (
        (faults.out_of_credit, "openai", exceptions.RateLimitError),
        (faults.out_of_credit, "anthropic", exceptions.BadRequestError),
        (faults.payment_required, "openai", exceptions.APIError),
        (faults.context_too_long, "openai", exceptions.ContextWindowExceededError),
        (faults.context_too_long, "anthropic", exceptions.ContextWindowExceededError),
        (faults.content_policy, "openai", exceptions.BadRequestError),
        (faults.overloaded, "anthropic", exceptions.InternalServerError),
        (faults.overloaded_503, "anthropic", exceptions.InternalServerError),
        (ErrorInside(503), "openai", exceptions.ServiceUnavailableError),
    ):
        providers.script("a", fault)
        with pytest.raises(recognised):
            await ask(providers, dialect)


async def test_a_blocked_prompt_is_a_content_filter_at_gemini(providers: ScriptedProviders) -> None:
    providers.script("a", faults.prompt_blocked)

    response = await ask(providers, "gemini")

    assert response.choices[0].finish_reason == "content_filter"


async def test_no_choices_is_an_empty_list_at_openai(providers: ScriptedProviders) -> None:
    providers.script("a", NoChoices())

    assert (await ask(providers, "openai")).choices == []


async def test_a_refusal_has_no_text(providers: ScriptedProviders) -> None:
    providers.script("a", Reply(refusal="I can't help with that."))

    at_openai = (await ask(providers, "openai")).choices[0]
    at_anthropic = (await ask(providers, "anthropic")).choices[0]
    at_gemini = (await ask(providers, "gemini")).choices[0]

    assert (at_openai.message.content, at_openai.message.refusal) == (None, "I can't help with that.")
    assert (at_anthropic.message.content, at_anthropic.finish_reason) == (None, "content_filter")
    assert (at_gemini.message.content, at_gemini.finish_reason) == (None, "content_filter")


async def test_steps_run_in_order_and_the_last_one_repeats(providers: ScriptedProviders) -> None:
    def count(request: Request) -> Reply:
        return Reply(f"call {request.number} says {request.prompt}")

    providers.script("a", Status(503), Reply("second"), count)

    with pytest.raises(exceptions.ServiceUnavailableError):
        await ask(providers, "openai")
    later = [(await ask(providers, "openai")).choices[0].message.content for _ in range(3)]

    assert later == ["second", "call 3 says hello", "call 4 says hello"]
    assert [hit.number for hit in providers.hits("a")] == [1, 2, 3, 4]


async def test_a_hang_never_answers_and_sees_its_client_leave(providers: ScriptedProviders) -> None:
    providers.script("a", Hang())

    with pytest.raises(exceptions.Timeout):
        await ask(providers, "openai", timeout=0.2)

    await providers.wait_for_hits("a", 1, LONG_S, "aborted")


async def test_stopping_cuts_a_hanging_request_and_does_not_blame_its_client() -> None:
    providers = ScriptedProviders()
    providers.script("a", Hang())
    async with asyncio.timeout(LONG_S):
        async with providers:
            call = asyncio.create_task(ask(providers, "openai"))
            await providers.wait_for_hits("a", 1, LONG_S)
        with pytest.raises(exceptions.InternalServerError):
            await call

    assert [hit.outcome for hit in providers.hits("a")] == ["open"]


async def test_a_drip_sends_bytes_for_ever_and_never_a_whole_header(providers: ScriptedProviders) -> None:
    providers.script("a", Drip(interval_s=0.001))
    reader, writer = await asyncio.open_connection("127.0.0.1", providers.port)
    body = b'{"model": "m", "messages": []}'
    head = f"POST /a/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)

    received = await reader.readexactly(500)
    writer.close()

    assert received.startswith(b"HTTP/1.1 200 OK\r\nx-drip: 1\r\n")
    assert b"\r\n\r\n" not in received
    await providers.wait_for_hits("a", 1, LONG_S, "aborted")


async def test_a_reset_destroys_the_connection(providers: ScriptedProviders) -> None:
    providers.script("a", Reset(), Reply())

    with pytest.raises(exceptions.InternalServerError, match="Connection error"):
        await ask(providers, "openai")

    assert (await ask(providers, "openai")).choices[0].message.content == "ok"
    assert [hit.outcome for hit in providers.hits("a")] == ["answered", "answered"]


# aiohttp warns that sending so much at once holds up the event loop.
@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
async def test_two_megabytes_pass_in_both_directions(providers: ScriptedProviders) -> None:
    text = "x" * 2 * 1024**2
    providers.script("a", Reply(lambda request: request.prompt))

    response = await ask(providers, "openai", prompt=text)

    assert response.choices[0].message.content == text


async def test_raw_bytes_arrive_as_they_are(providers: ScriptedProviders) -> None:
    providers.script("a", Raw(b"<html>no</html>", status=502, content_type="text/html; charset=utf-8"))

    answer = await post(f"{providers.url}/a/v1/messages", {"model": "m", "messages": []})

    assert answer == (502, b"<html>no</html>")


async def test_a_body_in_another_protocol_is_turned_away_and_is_no_hit(providers: ScriptedProviders) -> None:
    status, _ = await post(f"{providers.url}/a/v1/messages", ["not", "an", "object"])

    assert status == 400
    assert providers.hits() == []


async def test_a_question_for_a_models_properties_is_no_hit(providers: ScriptedProviders) -> None:
    status, body = await post(f"{providers.url}/a/api/show", {"name": "llama3.2"})

    assert status == 200
    assert b"model_info" in body
    assert providers.hits() == []


async def test_reset_forgets_scripts_and_hits(providers: ScriptedProviders) -> None:
    providers.script("a", Reply("scripted"))
    await ask(providers, "openai")

    providers.reset()
    response = await ask(providers, "openai")

    assert response.choices[0].message.content == "ok"
    assert [hit.number for hit in providers.hits()] == [1]


async def test_too_few_hits_are_a_timeout(providers: ScriptedProviders) -> None:
    with pytest.raises(TimeoutError, match="a has 0 of 1 hits"):
        await providers.wait_for_hits("a", 1, 0.01)


async def test_a_taken_port_is_an_error(providers: ScriptedProviders) -> None:
    with pytest.raises(OSError, match="in use"):
        await ScriptedProviders(providers.port).start()


async def test_providers_on_the_callers_event_loop_answer() -> None:
    async with ScriptedProviders() as providers:
        providers.script("a", Reply("from here"))
        response = await ask(providers, "openai")
        providers.reset()
        providers.script("a", Reply(delay_s=LONG_S))

        await abandon(providers, "openai")

        await providers.wait_for_hits("a", 1, LONG_S, "aborted")
    assert response.choices[0].message.content == "from here"


def test_providers_on_their_own_thread_serve_synchronous_code() -> None:
    async def ask_once(providers: ScriptedProviders) -> Any:
        response = await ask(providers, "openai")
        await cast("Any", litellm).close_litellm_async_clients()
        return response

    with ScriptedProviders.in_thread() as providers:
        providers.script("a", Reply("from afar"))
        response = asyncio.run(ask_once(providers))

        (hit,) = providers.wait_for_hits_blocking("a", 1, LONG_S)

    assert response.choices[0].message.content == "from afar"
    assert (hit.number, hit.outcome) == (1, "answered")


def test_a_hang_does_not_hold_up_the_end_of_the_thread() -> None:
    async def leave_open(providers: ScriptedProviders) -> asyncio.StreamWriter:
        _, writer = await asyncio.open_connection("127.0.0.1", providers.port)
        body = b'{"model": "m", "messages": []}'
        writer.write(b"POST /a/api/chat HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await providers.wait_for_hits("a", 1, LONG_S)
        return writer

    async def stay() -> None:
        with ScriptedProviders.in_thread() as providers:
            providers.script("a", Hang())
            writer = await leave_open(providers)
        writer.close()

    asyncio.run(asyncio.wait_for(stay(), LONG_S))
