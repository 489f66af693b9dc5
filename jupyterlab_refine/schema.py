"""Checks values of users against a JSON schema; what is wrong is said without the value, maybe a secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match


def problem(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Place and reason: ``prices.m: must have type object``; None where the value is right."""
    error = best_match(Draft202012Validator(schema).iter_errors(value))
    if error is None:
        return None
    what = f"must have {error.validator} {error.validator_value}"
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        unknown = ", ".join(str(name) for name in error.instance if name not in known)
        what = f"unknown {unknown[:200]}; known are {', '.join(known)}"
    if "propertyNames" in error.absolute_schema_path:
        what = f"{error.instance[:200]!r} {what}"
    place = ".".join(map(str, error.absolute_path))
    return f"{place}: {what}" if place else what
