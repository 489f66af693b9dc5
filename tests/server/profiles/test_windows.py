"""Context windows that local servers report, and which local servers are found."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from jupyterlab_refine.providers.profiles.catalogue import Catalogue
from jupyterlab_refine.providers.profiles.ollama import OTHERS, OllamaProbe, local_servers
from jupyterlab_refine.providers.profiles.profile import Profile
from jupyterlab_refine.providers.quirks.ollama import QUIRK


class Answering:
    """Clients of a server that knows the given paths."""

    def __init__(self, paths: dict[str, Any]) -> None:
        self._paths = paths

    def of(self, _: Profile) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        found = self._paths.get(request.url.path)
        body = httpx.ByteStream(json.dumps(found).encode())
        return httpx.Response(404 if found is None else 200, stream=body)


def local(**parts: Any) -> Profile:
    return Profile(name="p", base_url=parts.pop("base_url", "http://localhost:1/v1"), **parts)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ([{"id": "a", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}}], {"a": 8192}),
        ([{"id": "a", "max_model_len": 16384}, {"id": "b"}], {"a": 16384}),
        ([{"id": "a", "loaded_context_length": 4096, "max_context_length": 9}], {"a": 4096}),
        ([{"id": "a", "max_model_len": "many"}, {"id": "c", "max_model_len": True}], {}),
    ],
)
async def test_the_list_of_models_names_their_windows(models, expected):
    offer = await Catalogue(Answering({"/v1/models": {"data": models}})).offer(local())
    assert offer.contexts == expected


async def test_ollama_cuts_at_4096_but_for_models_that_run():
    listed = {"/v1/models": {"data": [{"id": "q:1"}]}}
    running = {"/api/ps": {"models": [{"name": "q:1", "context_length": 32768}]}}
    offer = await Catalogue(Answering(listed | running)).offer(local(quirk=QUIRK))
    assert offer.contexts == {"": 4096, "q:1": 32768}
    assert (await Catalogue(Answering(listed)).offer(local(quirk=QUIRK))).contexts == {"": 4096}


@pytest.mark.parametrize(
    ("name", "path", "answer"),
    [
        ("llama.cpp", "/props", {"default_generation_settings": {}}),
        ("lm-studio", "/api/v0/models", {"data": []}),
    ],
)
async def test_servers_at_their_default_ports_are_found(name, path, answer):
    ((url, kind),) = [one for one in OTHERS if one[1].name == name]
    found = await OllamaProbe(url, Answering({path: answer}), kind=kind).find()
    assert found is not None and found.name == name
    assert await OllamaProbe(url, Answering({path: {"other": 1}}), kind=kind).find() is None


def test_nothing_is_looked_for_where_ollama_is_not():
    clients = Answering({})
    assert len(local_servers(OllamaProbe("", clients), clients)) == 1
    names = [
        probe.profile.name for probe in local_servers(OllamaProbe("http://localhost:1", clients), clients)
    ]
    assert names == ["ollama", "llama.cpp", "lm-studio"]
