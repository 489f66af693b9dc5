"""Modes in which a status, a header, the body of an error or a list of models is hostile or broken."""

from __future__ import annotations

import gzip
import json
from typing import Any

from fake_provider import Reply, Script, answer_status
from hostile import KEY, Mode, drip, pump, raw
from hostile_answers import DEEP, HEAD, ZEROS, escaped, silent

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
    "status 201": Mode(answer_status(201, "{}"), ("not-an-api", "status 201")),
    "status 206": Mode(answer_status(206, "{}"), ("not-an-api", "status 206")),
    "status 304": Mode(raw("HTTP/1.1 304 X\r\n\r\n"), ("not-an-api",)),
    "status 999": Mode(answer_status(999, "{}"), ("provider-error", "999")),
    "status 499": Mode(answer_status(499, "{}"), ("bad-request", "499")),
    "status 401 with the key": Mode(error(f"Wrong: {KEY}", 401, code=KEY), ("unauthorized", "[key]")),
    # Headers.
    "retry-after-ms of ²": Mode(
        raw("HTTP/1.1 429 X\r\nretry-after-ms: \xb2\r\n\r\n".encode("latin-1")), ("429",)
    ),
    "retry-after of nan": Mode(header("Retry-After", "nan"), ("rate-limited",)),
    "retry-after of inf": Mode(header("Retry-After", "inf"), ("rate-limited",)),
    "retry-after of 1e300": Mode(header("Retry-After", "1e300"), ('"retryAfterMs": 604800000',)),
    "retry-after of -1": Mode(header("Retry-After", "-1"), ('"retryAfterMs": 0',)),
    "retry-after in a year without end": Mode(
        header("Retry-After", "Wed, 21 Oct 99999 07:28:00 GMT"), ("rate-limited",)
    ),
    "retry-after of many digits": Mode(header("Retry-After", "9" * 50_000), ("rate-limited",)),
    "a redirect to xn--": Mode(header("Location", "http://xn--/", 302), ("a redirect",)),
    "a redirect to no port": Mode(header("Location", "http://a:99999999/", 302), ("redirects",)),
    "a redirect that names the key": Mode(
        header("Location", f"http://{KEY.replace('/', '').replace(chr(34), '')}.example/", 302),
        ("redirects",),
    ),
    # Bodies of errors.
    "24 KB for the pattern of contexts": Mode(error("exceeds the " * 2_000), ("bad-request",)),
    "192 KB for the pattern of contexts": Mode(error("exceed the " * 17_000), ("bad-request",)),
    "spaces for the pattern of limits": Mode(error("max_tokens" * 20_000), ("bad-request",)),
    "an error without end": Mode(pump(" ", head=head_of(400)), ("bad-request",), within=15.0),
    "an error that drips": Mode(drip(" ", status=400), ("bad-request",), within=15.0),
    "an error of gzip": Mode(sent(400, ZEROS, Content_Encoding="gzip"), ("bad-request",)),
    "an error of gzip, gzip": Mode(sent(500, ZIPPED, Content_Encoding="gzip, gzip"), ("provider-error",)),
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
    "a surrogate in a parameter": Mode(
        answer_status(400, '{"error": {"message": "x", "param": "a\\ud800b"}}'), ("a\\ufffdb",)
    ),
    "NaN in an error body": Mode(answer_status(400, '{"error": {"message": NaN, "code": NaN}}'), ("400",)),
    "the key as a parameter": Mode(error("no", param=KEY), ("[key]",)),
    "the key escaped in an error": Mode(answer_status(400, f'{{"error": "{escaped(KEY)}"}}'), ("[key]",)),
    "the key in JSON in an error": Mode(error(json.dumps({"key": KEY})), ("[key]",)),
    "the key escaped twice in an error": Mode(error(f'{{"key": "{escaped(KEY)}"}}'), ("[key]",)),
    "the key in upper case": Mode(error(KEY.upper()), ("[key]",)),
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
    "models: gzip, gzip": models(sent(200, ZIPPED, Content_Encoding="gzip, gzip"), "gzip, gzip"),
    "models: an error of gzip": models(sent(500, ZEROS, Content_Encoding="gzip"), "4,000,000 bytes"),
    "models: an error without end": models(pump(" ", head=head_of(400)), "4,000,000 bytes"),
    "models: never": models(silent, "did not answer within 5 s"),
    "models: status 204": models(raw("HTTP/1.1 204 X\r\n\r\n"), "status 204"),
    "models: a redirect to xn--": models(header("Location", "http://xn--/", 302), "a redirect"),
    "models: a pattern that takes long": models(error("exceeds the " * 10_000), "refused the request"),
    "models: a key as a model": models(answer_status(200, {"data": [{"id": KEY}]}), "[key]"),
    "models: a key in a model, escaped": models(
        answer_status(200, f'{{"data": [{{"id": "x-{escaped(KEY)}"}}]}}'), "x-[key]"
    ),
    "models: a lone surrogate": models(answer_status(200, '{"data": [{"id": "a\\ud800"}]}'), "a\\ufffd"),
    "models: a name of 1 MB": models(
        answer_status(200, {"data": [{"id": "x" * 10**6}, {"id": "y"}]}), '["y"]'
    ),
    "models: entries of wrong types": models(
        answer_status(200, {"data": [1, None, {"id": 5}, {"id": {}}, {"id": "y"}]}), '["y"]'
    ),
    "models: a list of a wrong type": models(
        answer_status(200, {"data": {"a": 1}}), "without a list of models"
    ),
    "models: NaN": models(answer_status(200, '{"data": [{"id": "y", "x": NaN}]}'), '["y"]'),
    "models: no HTTP": models(raw("\0" * 1000), "without an answer"),
    "models: a head of 10 MB": models(raw(HEAD + "X: " + "x" * 10_000_000), "without an answer"),
}
