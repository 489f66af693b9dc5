"""The routes. Each is authenticated, authorised on ``jupyterlab-refine`` and XSRF-checked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any
from urllib.parse import unquote

import nbformat
from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web
from tornado.iostream import StreamClosedError

from .demo import FOLDER, NOTEBOOK
from .errors import RefineError, bad_request, unexpected
from .providers.profile import ProfileProblem, bare, key_problem
from .schema import problem
from .services import Services

#: Holds the services, or why the configuration was refused: its restrictions must not become defaults.
SERVICES_SETTING = "jupyterlab_refine_services"


class RefineHandler(APIHandler):
    """Base of all routes: services, parsed bodies, errors as JSON."""

    auth_resource = "jupyterlab-refine"

    @property
    def services(self) -> Services:
        """What the extension built at start-up.

        Raises
        ------
        RefineError
            ``bad-option`` when its configuration was refused: nothing works then, and all say why.
        """
        services: Services | str = self.settings[SERVICES_SETTING]
        if isinstance(services, str):
            raise RefineError("bad-option", services, 503)
        return services

    def json_body(self) -> Any:
        """The parsed body. Unlike ``get_json_body`` it logs nothing of a body, which may hold a key."""
        try:
            # NaN and the like are of no type that is accepted.
            return json.loads(self.request.body, parse_constant=str)
        except (ValueError, RecursionError):
            raise bad_request("The request must be JSON.") from None

    def failed(self, error: BaseException) -> RefineError:
        """A defect of ours as an error for the user; logged without its text, which may hold a key."""
        described = unexpected(error)
        self.log.error("jupyterlab-refine: %s", described.message)
        return described

    def answer_error(self, error: RefineError) -> None:
        """End the request with an error of ours."""
        self.set_status(error.http_status)
        self.finish(json.dumps(error.body()))


def guarded(
    method: Callable[..., Awaitable[None]],
) -> Callable[..., Awaitable[None] | None]:
    """Login, permission, XSRF for every verb, and errors mapped to an answer."""

    @web.authenticated
    @authorized
    @wraps(method)
    async def guard(self: RefineHandler) -> None:
        # ``prepare`` checks verbs that change something; here GET is checked as well.
        self.check_xsrf_cookie()
        try:
            await method(self)
        except RefineError as error:
            self.answer_error(error)
        except (web.HTTPError, StreamClosedError):
            raise
        except Exception as error:
            self.answer_error(self.failed(error))

    return guard


#: The body of the key route.
KEY = {
    "type": "object",
    "properties": {"key": {"type": ["string", "null"]}, "baseUrl": {"type": ["string", "null"]}},
    "additionalProperties": False,
}


class ProfilesHandler(RefineHandler):
    """``GET …/v1/profiles``: names, hosts, models, prices, policy; with ``?refresh=1`` asked for anew."""

    @guarded
    async def get(self) -> None:
        if self.get_query_argument("refresh", ""):
            self.services.registry.catalogue.forget()
        self.finish(json.dumps(await self.services.describe()))


class KeyHandler(RefineHandler):
    """``POST …/v1/key`` ``{key, baseUrl}``: kept in the server's memory; two empty values forget it."""

    @guarded
    async def post(self) -> None:
        policy, body = self.services.policy, self.json_body()
        if wrong := problem(body, KEY):
            raise bad_request(f"The request is not accepted: {wrong}.")
        key, base_url = (bare(body.get(name) or "") for name in ("key", "baseUrl"))
        for value, name in ((key, "key"), (base_url, "base_url")):
            if value and not policy[f"allow_{name}_from_panel"]:
                message = f"This server does not accept a {name} from the panel (c.Refine.policy)."
                raise RefineError("other", message, 403)
        if wrong := key_problem(key, "The key"):
            raise bad_request(wrong)
        try:
            self.services.registry.enter(key, base_url)
        except ProfileProblem as refused:
            raise bad_request(str(refused)) from None
        self.finish(json.dumps(await self.services.describe()))


class DemoHandler(RefineHandler):
    """``POST …/v1/demo``: puts the demo notebook below the server's root, over no file; returns its path."""

    @guarded
    async def post(self) -> None:
        contents: Any = self.contents_manager
        path = f"{FOLDER}/{NOTEBOOK.name}"
        created = not await ensure_async(contents.file_exists(path))
        if created:
            if not await ensure_async(contents.dir_exists(FOLDER)):
                await ensure_async(contents.save({"type": "directory"}, FOLDER))
            notebook = nbformat.read(NOTEBOOK, as_version=4)
            await ensure_async(
                contents.save({"type": "notebook", "format": "json", "content": notebook}, path)
            )
        self.finish(json.dumps({"path": path, "created": created}))


class CompletionsHandler(RefineHandler):
    """Streams an answer; a browser that goes ends the call to the provider."""

    def initialize(self) -> None:
        self._call: asyncio.Task[None] | None = None
        self._streaming = False
        self._writing = asyncio.Lock()

    def on_connection_close(self) -> None:
        super().on_connection_close()
        if self._call is not None:
            self._call.cancel()

    @guarded
    async def post(self) -> None:
        # Percent-encoded where it is not ASCII; of all else only the fields of the request reach a provider.
        profile = unquote(self.request.headers.get("X-Refine-Profile", ""))
        self._call = asyncio.create_task(self.services.answer(self.json_body(), profile, self._send))
        await asyncio.wait({self._call})
        if self._call.cancelled():
            return
        error = self._call.exception()
        if error is not None and not self._streaming:
            raise error
        # Where the browser went while something was written to it, there is nobody to answer.
        with contextlib.suppress(StreamClosedError):
            if error is not None:
                reported = error if isinstance(error, RefineError) else self.failed(error)
                await self._send(f"data: {json.dumps(reported.body())}\n\n")
            self.finish(set_content_type="text/event-stream")

    async def _send(self, text: str) -> None:
        if not self._streaming:
            self._streaming = True
            self.set_header("Content-Type", "text/event-stream; charset=utf-8")
            self.set_header("Cache-Control", "no-store")
            # No proxy and not this server either may gather what should arrive at once.
            self.set_header("X-Accel-Buffering", "no")
            self.set_header("Content-Encoding", "identity")
        # Tornado forgets a flush that waits when another one starts.
        async with self._writing:
            self.write(text)
            await self.flush()
