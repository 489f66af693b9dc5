"""Errors of pydantic, which are made from their fields."""

from __future__ import annotations

import typing
from typing import Any

from .nodes import library, text_of


def validation_error(kind: Any, title: Any, errors: Any) -> Any:
    """A ``ValidationError`` with these errors, as ``errors()`` lists them."""
    lines = []
    for error in errors:
        context = error.get("ctx") or {}
        if error["type"] in ("value_error", "assertion_error"):
            context = {"error": str(context.get("error", ""))}
        known = error["type"] in typing.get_args(library("pydantic_core.core_schema").ErrorType)
        custom = library("pydantic_core").PydanticCustomError
        shown = error["type"] if known else custom(error["type"], error["msg"].replace("{", "{{"), context)
        line = {"type": shown, "loc": tuple(error["loc"]), "input": error["input"]}
        lines.append({**line, "ctx": context} if known and context else line)
    return kind.from_exception_data(text_of(title), lines)
