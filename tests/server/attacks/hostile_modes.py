"""Modes in which a provider is hostile or broken: answers with status 200, errors, lists of models."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

from fake_provider import Reply, Script, answer_status
from hostile import KEY, Mode, delta, drip, event_text, pump, raw, sends

#: 3 MB that decode to 3 GB, and twice packed to a few KB.
ZEROS = gzip.compress(bytes(30_000_000), 9)
DEEP = "[" * 100_000


def encoded(names: str, body: bytes) -> Script:
    async def script(reply: Reply) -> None:
        await reply.head(content_type="text/event-stream", Content_Encoding=names)
        await reply.raw(body)

    return script


def in_pieces(field: str, size: int) -> Script:
    """The key in pieces of so many characters, a word before and after."""
    text = f"a {KEY} b"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return sends(*(delta(**{field: piece}) for piece in pieces))


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


async def silent(reply: Reply) -> None:
    await reply.left.wait()


async def silent_after_text(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    await reply.left.wait()


async def comments_after_text(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    while not reply.left.is_set():
        await reply.raw(": processing\n\n")
        await asyncio.sleep(0.1)


async def byte_by_byte(reply: Reply) -> None:
    await reply.head()
    text = event_text(delta(content="x" * 20_000)).encode()
    for byte in text:
        await reply.raw(bytes([byte]))
    await reply.finish()


async def small_chunks(reply: Reply) -> None:
    await reply.head(Transfer_Encoding="chunked")
    while not reply.left.is_set():
        await reply.raw(b"1\r\nx\r\n" * 10_000)


async def reset(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    reply.writer.transport.abort()


HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
HELLO = delta(content="Hello")
NOT_AN_API = ("not-an-api",)
LENGTH = ('"finish_reason": "length"', "1,000,000 characters")


def usage(value: Any) -> Script:
    counts = json.dumps({"prompt_tokens": value, "completion_tokens": value})
    return sends(HELLO, f'{{"choices": [], "usage": {counts}}}')


ANSWERS: dict[str, Mode] = {
    # Without an end, or never coming.
    "never answers": Mode(silent, ("stalled", "127.0.0.1", "no answer within 2 s")),
    "comments that drip before the text": Mode(drip(": processing\n\n"), ("stalled", "within 2 s")),
    "empty deltas that drip": Mode(drip(event_text(delta())), ("stalled", "within 2 s")),
    "silence after text": Mode(silent_after_text, ("stalled", "stopped for 1 s")),
    "comments after text": Mode(comments_after_text, ("stalled", "stopped for 1 s")),
    "text without end": Mode(pump(event_text(delta(content="x" * 2000))), LENGTH, within=60.0),
    "text without end, a stop": Mode(pump(event_text(delta(content="word"))), leave=1.0),
    "an event without end": Mode(pump("data: " + "x" * 50_000), (*NOT_AN_API, "an event is longer")),
    "empty lines of data without end": Mode(pump("data:\n"), (*NOT_AN_API, "an event is longer")),
    "chunks of one byte": Mode(small_chunks, ("error",), within=60.0),
    "JSON without end": Mode(
        pump('{"choices": [{"message": {"content": "'), (*NOT_AN_API, "4,000,000 bytes of JSON")
    ),
    "a large event in single bytes": Mode(byte_by_byte, words="x" * 20_000 + "", within=60.0),
    # Encodings.
    "gzip": Mode(encoded("gzip", ZEROS), ("not an event stream",)),
    "gzip, gzip": Mode(encoded("gzip, gzip", gzip.compress(ZEROS)), ("Content-Encoding: gzip, gzip",)),
    "deflate": Mode(encoded("deflate", b"x" * 1000), ("provider-error",)),
    "br": Mode(encoded("br", b"x" * 1000), ("Content-Encoding: br",)),
    # No HTTP, or hardly.
    "no HTTP": Mode(raw(b"\x00\xff" * 1000), ("provider-error",)),
    "nothing": Mode(raw(""), ("provider-error",)),
    "head of 10 MB": Mode(raw(HEAD + "X: " + "x" * 10_000_000), ("provider-error",)),
    "too short for its length": Mode(
        raw(f"{HEAD}Content-Length: 9999\r\n\r\n{event_text(HELLO)}"), ("stream-cut",)
    ),
    "a reset": Mode(reset, ("stream-cut",)),
    # No answer.
    "deep JSON": Mode(raw(f'{HEAD}\r\n{{"choices": {DEEP}'), NOT_AN_API),
    "a deep event": Mode(sends(DEEP), NOT_AN_API),
    "a deep event after text": Mode(sends(HELLO, DEEP), ("stream-cut",)),
    "a number of 5000 digits": Mode(
        sends(HELLO, '{"choices": [], "x": ' + "9" * 5000 + "}"), ("stream-cut",)
    ),
    "bytes that are no UTF-8": Mode(
        raw(
            HEAD.encode()
            + b'\r\ndata: {"choices":[{"delta":{"content":"\xff\xfe"},"finish_reason":"stop"}]}\n\n'
        ),
        words="\ufffd\ufffd",
    ),
    # Wrong shapes.
    "100,000 choices": Mode(
        sends({"choices": [{"delta": {"content": "x"}}] * 30_000}, HELLO), words="xHello"
    ),
    "content of a wrong type": Mode(
        sends(delta(content=5), delta(content={"a": 1}), delta(content=[1, None, {"text": 5}]), HELLO),
        words="Hello",
    ),
    "a finish reason of a wrong type": Mode(
        sends({"choices": [{"delta": {"content": "Hello"}, "finish_reason": {"a": KEY}}]}), words="Hello"
    ),
    "content_filter": Mode(
        sends({"choices": [{"delta": {}, "finish_reason": "content_filter"}]}, finish=False),
        ('"finish_reason": "content_filter"',),
    ),
    # Numbers and characters.
    "NaN in an event": Mode(sends('{"choices": [], "x": NaN, "created": Infinity}', HELLO), words="Hello"),
    "a lone surrogate": Mode(
        sends('{"choices": [{"delta": {"content": "a\\ud800b"}}]}'), ("a\\ufffdb",), words="a\ufffdb"
    ),
    "a surrogate pair in two events": Mode(
        sends(
            '{"choices": [{"delta": {"content": "a\\ud83c"}}]}',
            '{"choices": [{"delta": {"content": "\\udf89b"}}]}',
        ),
        words="a🎉b",
    ),
    "negative usage": Mode(usage(-5), words="Hello"),
    # The key.
    "the key in one piece": Mode(in_pieces("content", 1000), words="a [key] b"),
    "the key in single characters": Mode(in_pieces("content", 1), words="a [key] b"),
    "the key in pieces of 7": Mode(in_pieces("content", 7), words="a [key] b"),
    "the key in reasoning": Mode(in_pieces("reasoning", 5), ("[key]",)),
    "the key in parts of content": Mode(
        sends(delta(content=[{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}])),
        words="[key]",
    ),
    "the key escaped": Mode(
        sends(f'{{"choices": [{{"delta": {{"content": "{escaped(KEY)}"}}}}]}}'), words="[key]"
    ),
    "the start of a key at the end": Mode(sends(delta(content=f"a {KEY[:9]}")), words=f"a {KEY[:9]}"),
    "the key as model, id and unknown field": Mode(
        sends({**HELLO, "model": KEY, "id": KEY, KEY: KEY, "system_fingerprint": KEY}), words="Hello"
    ),
    "the key in an answer that is no stream": Mode(
        raw(f"{HEAD}\r\n" + json.dumps({"choices": [{"message": {"content": f"a {KEY} b"}}]})),
        words="a [key] b",
    ),
    # Errors in a stream.
    "an error with a key": Mode(sends(HELLO, {"error": {"message": KEY, "code": KEY}}), ("[key]",)),
    "a deep error": Mode(sends(HELLO, '{"error": ' + "[" * 900 + "]" * 900 + "}"), ("provider-error",)),
    "a lone surrogate in an error": Mode(sends(HELLO, '{"error": "a\\ud800b"}'), ("a\\ufffdb",)),
    "an error that takes a pattern long": Mode(
        sends(HELLO, {"error": {"message": "exceeds the " * 40_000}}), ("provider-error",)
    ),
}


ZIPPED = gzip.compress(ZEROS)


def error(message: Any, status: int = 400, **more: Any) -> Script:
    return answer_status(status, {"error": {"message": message, **more}})


def head_of(status: int, **headers: str) -> Any:
    async def head(reply: Reply) -> None:
        await reply.head(status, "application/json", **headers)

    return head


def sent(status: int, body: bytes, **headers: str) -> Script:
    async def script(reply: Reply) -> None:
        await head_of(status, **headers)(reply)
        await reply.raw(body)

    return script


def header(name: str, value: str, status: int = 429) -> Script:
    return sent(status, b"{}", **{name.replace("-", "_"): value})


ERRORS: dict[str, Mode] = {
    # Statuses.
    "status 204": Mode(raw("HTTP/1.1 204 No Content\r\n\r\n"), ("not-an-api", "status 204")),
    "status 999": Mode(answer_status(999, "{}"), ("provider-error", "999")),
    "status 499": Mode(answer_status(499, "{}"), ("bad-request", "499")),
    "status 401 with the key": Mode(error(f"Wrong: {KEY}", 401, code=KEY), ("unauthorized", "[key]")),
    # Headers.
    "retry-after-ms of ²": Mode(
        raw("HTTP/1.1 429 X\r\nretry-after-ms: \xb2\r\n\r\n".encode("latin-1")), ("429",)
    ),
    "retry-after of 1e300": Mode(header("Retry-After", "1e300"), ('"retryAfterMs": 604800000',)),
    "retry-after of many digits": Mode(header("Retry-After", "9" * 50_000), ("rate-limited",)),
    "a redirect to xn--": Mode(header("Location", "http://xn--/", 302), ("a redirect",)),
    "a redirect to no port": Mode(header("Location", "http://a:99999999/", 302), ("redirects",)),
    "a redirect that names the key": Mode(
        header("Location", f"http://{KEY.replace('/', '').replace(chr(34), '')}.example/", 302),
        ("redirects",),
    ),
    # Bodies of errors.
    "192 KB for the pattern of contexts": Mode(error("exceed the " * 17_000), ("bad-request",)),
    "spaces for the pattern of limits": Mode(error("max_tokens" * 20_000), ("bad-request",)),
    "an error without end": Mode(pump(" ", head=head_of(400)), ("bad-request",), within=15.0),
    "an error that drips": Mode(drip(" ", status=400), ("bad-request",), within=15.0),
    "an error of gzip": Mode(sent(400, ZEROS, Content_Encoding="gzip"), ("bad-request",)),
    "an error that never comes": Mode(silent, ("stalled",)),
    "a deep error body": Mode(answer_status(400, DEEP), ("bad-request",)),
    "a deep message": Mode(
        answer_status(400, '{"error": {"message": ' + "[" * 900 + "]" * 900 + "}}"), ("bad-request",)
    ),
    "a deep place of an error": Mode(
        answer_status(422, '{"detail": [{"loc": ' + "[" * 900 + "]" * 900 + ', "msg": "no"}]}'), ("no",)
    ),
    "20,000 errors of validation": Mode(
        answer_status(422, {"detail": [{"loc": ["body", "x"], "msg": "no"}] * 20_000}), ("x: no",)
    ),
    "a surrogate in an error body": Mode(answer_status(400, '{"error": "a\\ud800b"}'), ("a\\ufffdb",)),
    "the key as a parameter": Mode(error("no", param=KEY), ("[key]",)),
    "the key escaped in an error": Mode(answer_status(400, f'{{"error": "{escaped(KEY)}"}}'), ("[key]",)),
    "the key escaped twice in an error": Mode(error(f'{{"key": "{escaped(KEY)}"}}'), ("[key]",)),
    "the key across the end of a message": Mode(error("x" * 590 + KEY), ("bad-request",)),
}


def models(script: Script, *says: str, within: float = 12.0) -> Mode:
    return Mode(script, says, models=True, within=within)


LISTS: dict[str, Mode] = {
    "models: deep JSON": models(answer_status(200, DEEP), "a web page or text"),
    "models: 200,000 ids": models(
        answer_status(200, {"data": [{"id": f"m{index}"} for index in range(200_000)]}), '"m1999"'
    ),
    "models: a list of 6 MB": models(
        answer_status(200, {"data": [{"id": f"model-{index}"} for index in range(300_000)]}),
        "4,000,000 bytes",
    ),
    "models: 3 GB of blanks": models(pump(" ", total=3_000_000_000), "4,000,000 bytes"),
    "models: blanks that drip": models(drip(" "), "did not answer within 5 s"),
    "models: gzip": models(sent(200, ZEROS, Content_Encoding="gzip"), "more than 4,000,000 bytes"),
    "models: an error of gzip": models(sent(500, ZEROS, Content_Encoding="gzip"), "4,000,000 bytes"),
    "models: an error without end": models(pump(" ", head=head_of(400)), "4,000,000 bytes"),
    "models: never": models(silent, "did not answer within 5 s"),
    "models: a redirect to xn--": models(header("Location", "http://xn--/", 302), "a redirect"),
    "models: a key as a model": models(answer_status(200, {"data": [{"id": KEY}]}), "[key]"),
    "models: a key in a model, escaped": models(
        answer_status(200, f'{{"data": [{{"id": "x-{escaped(KEY)}"}}]}}'), "x-[key]"
    ),
    "models: a name of 1 MB": models(
        answer_status(200, {"data": [{"id": "x" * 10**6}, {"id": "y"}]}), '["y"]'
    ),
    "models: a head of 10 MB": models(raw(HEAD + "X: " + "x" * 10_000_000), "without an answer"),
}
