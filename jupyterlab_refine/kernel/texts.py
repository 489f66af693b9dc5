"""Make texts safe for JSON and ZeroMQ: bounded, without lone surrogates and ANSI codes."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def plain(text: str) -> str:
    """Without ANSI codes; lone surrogates escaped, since they break ipykernel's packer."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def of_error(error: BaseException) -> str:
    """Its message; empty where the class of a notebook fails to give one."""
    try:
        return str(error)
    except Exception:
        return ""


def cut_middle(text: str, limit: int) -> str:
    """At most about ``limit`` characters; what is left out is counted in the middle."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    return f"{text[:head]}\n... ({len(text) - head - tail} characters left out) ...\n{text[-tail:]}"


def cut_end(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis where something is left out."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def megabytes(size: float) -> str:
    """``512 MB``, ``1.5 GB``."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{size / (1 << 20):.0f} MB"
