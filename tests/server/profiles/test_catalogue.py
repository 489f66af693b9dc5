"""Lists of models: each profile by itself, at the same time, within its limits."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field

import pytest
from browser import CANARY
from fake_provider import FakeProvider, answer_models, answer_status

from jupyterlab_refine.providers.profiles import catalogue


@dataclass
class Slow(FakeProvider):
    #: Set: the lists that drip end.
    over: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def slow(jp_asyncio_loop):
    """A second provider, whose list drips and never ends."""

    async def drip(reply):
        await reply.head(content_type="application/json")
        while not (reply.left.is_set() or fake.over.is_set()):
            await reply.raw(" ")
            await asyncio.sleep(0.05)

    fake = Slow(models=drip)
    jp_asyncio_loop.run_until_complete(fake.start())
    yield fake
    fake.over.set()
    jp_asyncio_loop.run_until_complete(fake.stop())


async def listed(browser) -> list[dict]:
    return (await browser.send("GET", "profiles?refresh=1")).json["profiles"]


class TestSlowProfiles:
    @pytest.fixture
    def refine_config(self, refine_config, slow, monkeypatch):
        monkeypatch.setattr(catalogue, "LIST_TIMEOUT", 2)
        others = [{"name": f"slow-{index}", "base_url": slow.base_url} for index in range(5)]
        return {"profiles": [*others, *refine_config["profiles"]]}

    async def test_they_wait_together_and_the_others_are_listed(self, browser, slow):
        started_at = time.monotonic()
        *others, main, _ = await listed(browser)
        # One after the other they would take 10 s.
        assert time.monotonic() - started_at < 8
        assert main["models"] == ["m-one"]
        assert {other["error"] for other in others} == {
            f"{slow.host} did not answer within 2 s. Check that it runs."
        }

    async def test_a_call_to_another_profile_does_not_wait(self, browser, slow, monkeypatch):
        monkeypatch.setattr(catalogue, "LIST_TIMEOUT", 60)
        lists = asyncio.create_task(listed(browser))
        while not slow.calls:
            await asyncio.sleep(0.01)
        assert (await browser.chat(profile="main")).words == "Hello"
        assert not lists.done()
        slow.over.set()
        await lists


@pytest.mark.parametrize(
    ("body", "headers", "says"),
    [
        (" " * 5_000_000, {}, "more than 4,000,000 bytes of models"),
        ("[" * 100_000, {}, "a web page or text"),
        ("zipped", {"Content_Encoding": "br"}, "Content-Encoding: br"),
        ("zipped", {"Content_Encoding": "gzip"}, "The call to"),
    ],
    ids=["blanks", "deep", "br", "no gzip"],
)
async def test_a_list_beyond_its_limits_is_an_error_of_its_profile(browser, provider, body, headers, says):
    provider.models = answer_status(200, body, **headers)
    main, _ = await listed(browser)
    assert says in main["error"]


async def test_the_first_2000_models_are_listed_and_no_endless_names(browser, provider):
    provider.models = answer_models("x" * 201, *(f"m{index}" for index in range(5000)))
    main, _ = await listed(browser)
    assert main["models"] == ["m-one", *(f"m{index}" for index in range(1999))]


async def test_a_key_as_a_model_is_masked(browser, provider):
    escaped = "".join(f"\\u{ord(char):04x}" for char in CANARY)
    provider.models = answer_status(200, f'{{"data": [{{"id": "{CANARY}"}}, {{"id": "x-{escaped}"}}]}}')
    main, _ = await listed(browser)
    assert main["models"] == ["m-one", "[key]", "x-[key]"]
    assert CANARY not in json.dumps(main)
