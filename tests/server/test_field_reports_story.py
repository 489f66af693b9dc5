"""What users of other tools have reported of servers, proxies and certificates, without a Jupyter server."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_provider import FakeProvider, Reply, Script, answer_hello, answer_status, chunk
from traitlets.config import Config

from jupyterlab_refine.app import Refine
from jupyterlab_refine.errors import RefineError

KEY = "sk-field-12345678"
CLOUD = "https://api.example.invalid/v1"


@pytest.fixture(autouse=True)
def model_of_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    monkeypatch.setenv("OPENAI_MODEL", "m")


@pytest.fixture
def loop(jp_asyncio_loop: asyncio.AbstractEventLoop) -> asyncio.AbstractEventLoop:
    return jp_asyncio_loop


class Asked:
    """One call as a client makes it, with the environment as it is."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, profiles: list[Any] | None = None, name: str = ""
    ) -> None:
        self.text = ""
        self.error: RefineError | None = None
        loop.run_until_complete(self._ask(profiles or [], name))

    @property
    def message(self) -> str:
        assert self.error is not None, self.text
        return self.error.message

    async def _ask(self, profiles: list[Any], name: str) -> None:
        services = Refine(config=Config({"Refine": {"profiles": profiles}})).build()
        messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello?"}]
        try:
            await services.answer({"messages": messages, "model": "m"}, name, self._take)
        except RefineError as error:
            self.error = error
        finally:
            self.profiles = (await services.describe())["profiles"]
            await services.clients.close()

    async def _take(self, text: str) -> None:
        if text.startswith("data: {"):
            event = json.loads(text[6:])
            for choice in event["choices"]:
                self.text += choice["delta"].get("content", "")


def answering(body: str | bytes, **headers: str) -> Script:
    async def script(reply: Reply) -> None:
        await reply.head(**headers)
        await reply.raw(body)

    return script


def events(*values: Any) -> str:
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values)


WHOLE = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]
}
HELLO = events(chunk({"content": "Hello"}), chunk({}, "stop")) + "data: [DONE]\n\n"


class TestModelThatIsNamed:
    @pytest.mark.parametrize(
        "models",
        [
            answer_status(404, {"detail": "Not Found"}),
            answer_status(405, {"detail": "Method Not Allowed"}),
            answer_status(403, {"message": "not allowed to list"}),
            answer_status(500, {"error": {"message": "boom"}}),
            answer_status(200, {"object": "list", "data": []}),
            answer_status(200, "<html>", "text/html"),
        ],
    )
    def test_is_called_whatever_becomes_of_the_list(self, loop, provider, monkeypatch, models):
        provider.models = models
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert Asked(loop).text == "Hello"

    def test_a_list_that_fails_is_a_note(self, loop, provider, monkeypatch):
        provider.models = answer_status(405)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.delenv("OPENAI_MODEL")
        [profile, *_] = Asked(loop, name="openai").profiles
        assert "does not know the path /v1/models (405). Check the server URL" in profile["error"]


NOT_FOUND = answer_status(404, "404 page not found", "text/plain")
LM_STUDIO = answer_status(200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"})


class TestAddress:
    @pytest.mark.parametrize("other", [NOT_FOUND, LM_STUDIO, answer_status(404, {"detail": "Not Found"})])
    def test_without_v1_is_named(self, loop, provider, monkeypatch, other):
        provider.chat = provider.models = other
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://{provider.host}")
        assert "Check the server URL (most servers want /v1 at its end)" in Asked(loop).message

    @pytest.mark.parametrize("route", ["chat/completions", "messages", "responses/"])
    def test_may_have_a_route_at_its_end(self, loop, provider, monkeypatch, route):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.base_url}/{route}")
        assert Asked(loop).text == "Hello"

    def test_of_the_older_variable_gets_the_key(self, loop, provider, monkeypatch):
        monkeypatch.setenv("OPENAI_API_BASE", provider.base_url)
        # In cmd.exe, as in Docker's file of variables, quotes belong to the value.
        monkeypatch.setenv("OPENAI_API_KEY", f' "Bearer {KEY}"\n')
        monkeypatch.setenv("OPENAI_MODEL", '"m"')
        assert Asked(loop).text == "Hello"
        assert Asked(loop).profiles[0]["defaultModel"] == "m"
        assert provider.chats()[0].headers["authorization"] == f"Bearer {KEY}"


class TestEnvironment:
    @pytest.mark.parametrize(
        "name, value",
        [
            ("ALL_PROXY", "socks5://127.0.0.1:9"),
            ("all_proxy", "socks://127.0.0.1:9/"),
            ("NO_PROXY", "localhost,[::1]"),
            ("NO_PROXY", "localhost,fd07:b51a:cc66:f0::/64"),
            ("SSL_CERT_FILE", "/nonexistent/cacert.pem"),
        ],
    )
    def test_is_named_and_leaves_other_profiles_alone(self, loop, provider, monkeypatch, name, value):
        monkeypatch.setenv(name, value)
        profiles = [
            {"name": "local", "base_url": provider.base_url},
            {"name": "cloud", "base_url": CLOUD, "api_key": KEY},
        ]
        assert Asked(loop, profiles, "local").text == "Hello"
        cloud = Asked(loop, profiles, "cloud")
        assert name.upper() in cloud.message
        assert cloud.error is not None and cloud.error.code in ("bad-option", "unreachable")
        assert cloud.profiles[1]["error"] and "extension failed" not in cloud.profiles[1]["error"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    subject = "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -keyout key.pem -out cert.pem -noenc -days 9 {subject}".split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture
def secure(loop, certificate: Path) -> Iterator[FakeProvider]:
    class Secure(FakeProvider):
        async def start(self) -> None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
            self.port = self._server.sockets[0].getsockname()[1]

    fake = Secure()
    loop.run_until_complete(fake.start())
    yield fake
    loop.run_until_complete(fake.stop())


class TestCertificate:
    def test_that_nobody_signed_is_named(self, loop, secure):
        asked = Asked(loop, [{"name": "x", "base_url": f"https://{secure.host}/v1"}], "x")
        assert "certificate verify failed: self-signed certificate" in asked.message
        assert "SSL_CERT_FILE" in asked.message and "ca_file" in asked.message

    def test_may_be_named_by_the_environment(self, loop, secure, certificate, monkeypatch):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
        assert Asked(loop, [{"name": "x", "base_url": f"https://{secure.host}/v1"}], "x").text == "Hello"

    def test_may_be_named_by_the_profile(self, loop, secure, certificate):
        profile = {
            "name": "x",
            "base_url": f"https://{secure.host}/v1",
            "ca_file": str(certificate / "cert.pem"),
        }
        assert Asked(loop, [profile], "x").text == "Hello"

    def test_a_wrong_scheme_is_named(self, loop, secure, provider):
        secured = Asked(loop, [{"name": "x", "base_url": f"http://{secure.host}/v1"}], "x")
        assert "Check the server URL: http:// or https://?" in secured.message
        plain = Asked(loop, [{"name": "x", "base_url": f"https://{provider.host}/v1"}], "x")
        assert "Is a model server running there? Check the server URL (http:" in plain.message
        assert "HTTPS_PROXY" not in plain.message


def refusing(reason: dict[str, Any], is_refused: Any, answer: Script = answer_hello) -> Script:
    async def script(reply: Reply) -> None:
        refused = is_refused(reply.call.json)
        await (answer_status(400, reason) if refused else answer)(reply)

    return script


class TestRefusal:
    def test_of_a_stream_is_asked_again_without(self, loop, provider, monkeypatch):
        message = "Your organization must be verified to stream this model."
        provider.chat = refusing(
            {"error": {"message": message, "param": "stream", "code": "unsupported_value"}},
            lambda body: body["stream"],
            answer_status(200, WHOLE),
        )
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert (Asked(loop).text, Asked(loop).text) == ("Hello", "Hello")
        assert len(provider.chats()) == 3

    @pytest.mark.parametrize(
        "reason",
        [
            {"object": "error", "message": "System role not supported", "param": None, "code": 400},
            {
                "error": {
                    "message": "'messages[0].role' does not support 'system'",
                    "param": "messages[0].role",
                }
            },
        ],
    )
    def test_of_the_system_role_is_asked_again_in_the_users(self, loop, provider, monkeypatch, reason):
        provider.chat = refusing(reason, lambda body: body["messages"][0]["role"] == "system")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert Asked(loop).text == "Hello"
        assert provider.chats()[-1].json["messages"] == [{"role": "user", "content": "Be short.\n\nHello?"}]

    @pytest.mark.parametrize(
        "body",
        [{"error": {"message": "Country, region, or territory not supported"}}, "<html>blocked</html>"],
    )
    def test_of_a_region_or_a_firewall_is_not_the_keys_fault(self, loop, provider, monkeypatch, body):
        provider.chat = answer_status(403, body)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        asked = Asked(loop)
        assert "does not allow this call (403)" in asked.message and "refused the key" not in asked.message


FAILED = {"index": 0, "finish_reason": "error", "error": {"code": 502, "message": "out of memory"}}
NAMED = {
    "in a choice": events(chunk({"role": "assistant"}), {"choices": [{**FAILED, "delta": {"content": ""}}]}),
    "in a choice of one object": json.dumps({"choices": [{**FAILED, "message": {"content": ""}}]}),
    "in an event of that name": 'event: error\ndata: {"message":"out of memory","code":500}\n\n',
    "in such an event after text": HELLO[: HELLO.index("\n\n") + 2]
    + 'event: error\ndata: {"detail":"out of memory"}\n\n',
    "in such an event of text": "event: error\ndata: out of memory\n\n",
    "in a body of status 200": '{"detail": "out of memory"}',
}


class TestAnswer:
    @pytest.mark.parametrize("body", NAMED.values(), ids=NAMED)
    def test_an_error_is_named_in_the_servers_words(self, loop, provider, monkeypatch, body):
        provider.chat = answering(body)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert "It said: out of memory" in Asked(loop).message

    @pytest.mark.parametrize(
        "body", ["data: [DONE]\n\n", events(chunk({"role": "assistant"})) + "data: [DONE]\n\n"]
    )
    def test_of_nothing_is_no_answer(self, loop, provider, monkeypatch, body):
        provider.chat = answering(body)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert "answered with an empty stream" in Asked(loop).message

    @pytest.mark.parametrize(
        "body",
        [
            events(
                {"choices": [{"text": "Hello", "finish_reason": None}]},
                {"choices": [{"text": "", "finish_reason": "stop"}]},
            ),
            events(WHOLE) + "data: [DONE]\n\n",
            "\ufeff" + HELLO,
            "\ufeff" + json.dumps(WHOLE),
            json.dumps(WHOLE, indent=1),
            ': hi\r\n\r\nevent: x\r\ndata: {"choices":\r\ndata:[{"delta": {"content": "Hello"},'
            ' "finish_reason": "stop"}]}',
            events(chunk({"content": [{"type": "thinking", "thinking": []}, {"text": "Hello"}, 5]}, "stop")),
        ],
        ids=[
            "text of a completion",
            "a message",
            "a mark before events",
            "a mark before JSON",
            "JSON in lines",
            "data in lines, without an end",
            "parts of content",
        ],
    )
    def test_of_another_form_is_read(self, loop, provider, monkeypatch, body):
        provider.chat = answering(body)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert Asked(loop).text == "Hello"

    def test_that_is_compressed_is_read(self, loop, provider, monkeypatch):
        provider.chat = answering(gzip.compress(HELLO.encode()), Content_Encoding="gzip")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        assert Asked(loop).text == "Hello"

    def test_ends_although_the_connection_stays_open(self, loop, provider, monkeypatch):
        async def script(reply: Reply) -> None:
            await reply.head()
            await reply.raw(HELLO.removesuffix("data: [DONE]\n\n"))
            await reply.left.wait()

        provider.chat = script
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        start = loop.time()
        assert Asked(loop).text == "Hello"
        assert loop.time() - start < 30


class TestWait:
    @pytest.mark.parametrize(
        "status, body, code, wait",
        [
            (503, {"error": {"message": "Loading model", "code": 503}}, "loading", 2000),
            (503, {"error": "Model x is currently loading", "estimated_time": 20.0}, "loading", 2000),
            (429, {"error": {"message": "Please try again in 4.5s."}}, "rate-limited", 4500),
            (429, {"error": {"message": "Please try again in 1m2.5s."}}, "rate-limited", None),
            (429, {"error": {"message": "retry after 350ms"}}, "rate-limited", 350),
            (429, {"error": "Exceeded your current quota. Retry in 3.665902715s."}, "rate-limited", 3666),
            (429, {"error": {"message": "Pay first.", "type": "insufficient_quota"}}, "other", None),
            (503, {"error": {"message": "overloaded"}}, "provider-error", None),
        ],
    )
    def test_is_what_the_text_says(self, loop, provider, monkeypatch, status, body, code, wait):
        provider.chat = answer_status(status, body)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        error = Asked(loop).error
        assert error is not None and (error.code, error.retry_after_ms) == (code, wait)
