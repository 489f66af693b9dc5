"""What the processes of an attempt are sent: the parts of its job that each of them needs."""

from __future__ import annotations

from typing import Any

_SECRET = ("holdouts", "scorer", "hiddenNames")


def take_secrets(job: dict[str, Any]) -> dict[str, Any] | None:
    """Take out of the job what only the judge may read; None where there is none of it."""
    found = {key: value for key in _SECRET if (value := job.pop(key, None))}
    return found or None


def head(job: dict[str, Any]) -> dict[str, Any]:
    """For those that run the candidate, before it starts."""
    return {
        **{key: job[key] for key in ("candidate", "limits", "contextValues")},
        "static": job.get("static"),
        "repair": job.get("repair"),
        # With hold-outs or a scorer the judge fills it in.
        "hidden": None,
        "hiddenData": hidden_data(job),
        "copies": job["copies"]["folder"] if "copies" in job else None,
    }


def visible(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The visible check cells."""
    return [{**cell, "role": "assertion"} for cell in job["assertions"]]


def judgement(job: dict[str, Any]) -> dict[str, Any]:
    """For the judge, after the visible checks held; see :class:`judging.Judging`."""
    asked = job.get("askedNames", [])
    return {
        "cells": visible(job),
        "data": hidden_data(job),
        "free": [*job.get("ownNames", []), *asked],
        "asked": asked,
        "source": job["candidate"],
    }


def hidden_data(job: dict[str, Any]) -> list[str]:
    return job.get("hiddenData") or []
