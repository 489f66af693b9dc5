"""Where an Ollama listens."""

from __future__ import annotations

import pytest

from jupyterlab_refine.providers.profiles.ollama import ollama_url


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:1234", "http://gpu-box:1234"),
        ("http://gpu-box:1234/", "http://gpu-box:1234"),
        ("https://ollama.example.org", "https://ollama.example.org"),
        ("[::1]:1234", "http://[::1]:1234"),
    ],
)
def test_ollama_host_in_all_its_forms(value, url):
    assert ollama_url({"OLLAMA_HOST": value}) == url
