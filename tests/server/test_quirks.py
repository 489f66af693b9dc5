"""What providers do otherwise than OpenAI is read as if OpenAI had sent it."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_refine.providers.quirks import usual_delta, usual_error

DELTAS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "openai": ({"content": "a"}, {"content": "a"}),
    "mistral": (
        {
            "content": [
                {"type": "thinking", "thinking": [{"text": "b"}, {"text": 5}, "c"]},
                {"text": "a"},
                "d",
                {"text": "e"},
            ]
        },
        {"content": "ae", "reasoning_content": "b"},
    ),
    "openrouter": ({"content": "", "reasoning": "b"}, {"content": "", "reasoning_content": "b"}),
}


@pytest.mark.parametrize("provider", DELTAS)
def test_a_delta_is_as_openai_writes_it(provider):
    sent, usual = DELTAS[provider]
    found = usual_delta(sent)
    assert {name: found.get(name) for name in usual} == usual


REFUSED = {"loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": "the prompt"}
USUAL = {"message": "seed: Extra inputs are not permitted", "param": "seed"}

ERRORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "openai": ({"message": "no", "param": "seed"}, {"message": "no", "param": "seed"}),
    "gemini": ([{"error": {"code": 400}}], {"error": {"code": 400}}),
    "mistral": ({"message": {"detail": [REFUSED]}, "param": None}, USUAL),
    "fastapi": ({"detail": [REFUSED]}, USUAL),
}


@pytest.mark.parametrize("provider", ERRORS)
def test_an_error_is_as_openai_writes_it(provider):
    sent, usual = ERRORS[provider]
    found = usual_error(sent)
    assert {name: found.get(name) for name in usual} == usual
    assert "the prompt" not in str(found)
