"""Which model is used when none is named.

In this order: the profile's ``default_model``; the only model there is; the first model, in the order
the provider lists them, that matches the first matching entry of ``PREFERENCE``; else none, and the
user is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Parts of model names. First cheap hosted models that write code well and take every usual
#: parameter, then models made for code, then general ones. An entry ending in ``$`` must match to the end.
PREFERENCE = (
    "gpt-4.1-mini$",
    "gpt-4o-mini$",
    "gpt-5-mini$",
    "claude-sonnet",
    "qwen3-coder",
    "qwen2.5-coder",
    "devstral",
    "codestral",
    "deepseek-coder",
    "deepseek-chat",
    "codegemma",
    "codellama",
    "coder",
    "gpt-oss",
    "llama-3.3",
    "llama3.3",
)

#: Parts of names of models that do not chat; they are not offered.
NO_CHAT = (
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "image",
    "audio",
    "realtime",
    "transcribe",
    "rerank",
    "sora",
    "babbage",
    "davinci",
    "-instruct-0914",
)


def chat_models(names: Sequence[str]) -> list[str]:
    """The names that can be asked to write code, in the provider's order."""
    return [name for name in names if not any(part in name.lower() for part in NO_CHAT)]


def preferred(names: Sequence[str]) -> str | None:
    """The model to use of these; None when the user should choose."""
    if len(names) == 1:
        return names[0]
    for entry in PREFERENCE:
        for name in names:
            lower = name.lower()
            if lower.endswith(entry[:-1]) if entry.endswith("$") else entry in lower:
                return name
    return None
