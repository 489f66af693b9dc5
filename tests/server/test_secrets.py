"""Keys are masked however they are written, and wherever a stream cuts them."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from jupyterlab_refine.providers.secrets import MASK, StreamMask, mask

KEY = 'sk-Canary/0123"456+789'
ESCAPED = "".join(f"\\u{ord(char):04x}" for char in KEY)


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.upper(),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        quote(KEY, safe=""),
        ESCAPED,
        ESCAPED.replace("\\", "\\\\"),
        f"s\\u006b{KEY[2:]}",
    ],
)
def test_every_spelling_of_a_key_is_masked(written):
    assert mask(f"a {written} b", [KEY]) == f"a {MASK} b"


@pytest.mark.parametrize("scheme", ["Bearer", "Basic", "Token"])
def test_a_header_is_masked_with_and_without_its_scheme(scheme):
    secrets = [f"{scheme} {KEY}"]
    assert mask(f"{scheme} {KEY}, {KEY}", secrets) == f"{MASK}, {MASK}"


def test_short_values_are_no_secrets():
    assert mask("ollama", ["ollama"]) == "ollama"
    assert StreamMask(["ollama"]).feed("ollama") == "ollama"


def streamed(text: str, size: int, secrets: list[str]) -> str:
    stream = StreamMask(secrets)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return "".join(map(stream.feed, pieces)) + stream.flush()


@pytest.mark.parametrize("size", range(1, 30))
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"a {KEY} b", f"a {MASK} b"),
        (f"{KEY}{KEY}", MASK * 2),
        (f"sk-{KEY} s", f"sk-{MASK} s"),
        (f"a {KEY[:-1]}", f"a {KEY[:-1]}"),
        (f"{KEY[:5]}{KEY[:9]}x", f"{KEY[:5]}{KEY[:9]}x"),
        ("a longer-secret b", f"a {MASK} b"),
        ("abcdefghijklm", f"{MASK}klm"),
        ("a longer-secret-still b", f"a {MASK} b"),
        ("a longer-secret-sting", f"a {MASK}-sting"),
    ],
)
def test_a_key_in_pieces_is_masked_and_all_else_arrives(size, text, shown):
    secrets = [KEY, "longer-secret", "longer-secret-still", "abcdefghij", "cdefghijklmnop"]
    assert streamed(text, size, secrets) == shown


def test_no_more_is_held_back_than_could_be_a_key():
    stream = StreamMask([KEY])
    assert stream.feed("no key at all") == "no key at all"
    assert stream.feed(KEY[:7]) == ""
    assert stream.feed("x") == f"{KEY[:7]}x"


def test_the_longest_first_and_placeholders_not_at_all():
    text = mask("sk-0123456789-more sk-0123456789 ollama", ["sk-0123456789", "sk-0123456789-more", "ollama"])
    assert text == "[key] [key] ollama"


def test_a_bearer_token_without_its_word():
    assert mask("it was 0123456789", ["Bearer 0123456789"]) == "it was [key]"
