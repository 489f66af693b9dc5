"""Ollama has the models that were pulled, and only those."""

from __future__ import annotations

from .quirk import Quirk

QUIRK = Quirk(get_model="To get it: ollama pull {model}", get_any_model="Run `ollama pull qwen2.5-coder`.")
