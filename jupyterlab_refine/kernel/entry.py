"""The operations that browser and command line call; see :func:`call`."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from . import changes, paused
from .attempt import attempts, forms, spare
from .checks import evaluating, statements
from .child import above, shell_cut, tracebacks
from .ends import Events
from .secrecy import hidden_files, redact
from .share import share
from .source import failures, static
from .values import describe

# References of our own: a passed cell runs for real, and may replace the module's attributes.
_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder().encode
#: Type of the requests on the control channel.
_REQUEST = "refine_request"


class Answer:
    """A reply that appears as JSON in the result of a user expression."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"application/json": self._data, "text/plain": ""}

    def __repr__(self) -> str:
        return ""


def call(text: str) -> Answer:
    """Answer one request of the shell channel, a JSON object with the field ``op``.

    Never raises for anything that a candidate does; a defect of the harness is
    answered as ``{"state": "error", "code", "message"}``.
    """
    return Answer(_answer(lambda: _decode(text), _OPERATIONS))


def call_in_frame(text: str, names: dict[str, Any]) -> str:
    """As :func:`call`, for an expression that a debugger evaluates where it has stopped the kernel.

    :param names: the local variables of the frame.
    :returns: the answer, as JSON in base64: a debugger shows the ``repr`` of a value.
    """
    with paused.frame(names, _shell()):
        answer = _answer(lambda: _decode(text), _OPERATIONS)
    return base64.b64encode(_encode(answer).encode()).decode()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """As :func:`call`, for a process that is no kernel and has read the request itself."""
    return _answer(lambda: request, _OPERATIONS)


def shutdown() -> None:
    """End everything before a newer version takes over."""
    spare.discard()
    attempts.cancel_all()
    share.forget()
    changes.stop_watching()
    (getattr(_shell().kernel, "control_handlers", None) or {}).pop(_REQUEST, None)


def _answer(read: Callable[[], dict[str, Any]], operations: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    try:
        request = read()
        operation = operations.get(request.get("op", ""))
        if operation is None:
            what = f"unknown operation {request.get('op')!r}"
            return {"state": "error", "code": "unknown-op", "message": what}
        return operation(request)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return {"state": "error", "code": "harness", "message": message}


def _install_control(kernel: Any) -> bool:
    """Answer requests on the control channel, so that a running cell does not delay them.

    False for a kernel that has no such table of handlers. ipykernel (6.29 and 7) calls them on its control
    thread.
    """
    handlers = getattr(kernel, "control_handlers", None)
    if not isinstance(handlers, dict) or not hasattr(kernel, "control_stream"):
        return False

    def handle(stream: Any, idents: Any, message: dict[str, Any]) -> None:
        content = _answer(lambda: message["content"], _CONTROL_OPERATIONS)
        kernel.session.send(stream, "refine_reply", content, parent=message, ident=idents)

    handlers[_REQUEST] = handle
    return True


def settle() -> None:
    """In a process that only forks attempts, unlike a kernel: do once what each attempt would repeat."""
    shell = _shell()
    session = shell.kernel.session
    shell_cut.cut(shell, Events(None))
    # It sends the previews of attempts.
    shell.kernel.session = session


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _hello(request: dict[str, Any]) -> dict[str, Any]:
    redact.add_key_variables(request.get("keyVariables", []))
    for path in request.get("hiddenFiles", []):
        hidden_files.remember_file(path)
    tracebacks.warm_up()
    statements.checking([{"cellId": "", "role": "assertion", "source": "assert 1 == 1"}])
    own = _is_ipykernel(_shell().kernel)
    return {
        "version": globals().get("__version__", ""),
        "isolation": forms.probe(own),
        "control": own and _install_control(_shell().kernel),
        **({"sidecar": forms.probe_sidecar()} if own else {}),
    }


def _is_ipykernel(kernel: Any) -> bool:
    """False for a Python kernel with sockets and threads of its own (xeus-python): none is forked."""
    try:
        kernel.get_parent("shell")
    except TypeError:
        return False
    except AttributeError:  # An ipykernel before 6.
        pass
    return True


def _above(request: dict[str, Any]) -> dict[str, Any]:
    # A spare does not have them.
    spare.discard()
    above.add(request["cells"], _shell())
    above.trust(request["folderOfChecks"])
    for path in request.get("hidden", []):
        hidden_files.remember_file(path)
    return {"ok": True}


def _prepare(request: dict[str, Any]) -> dict[str, Any]:
    if paused.is_active():
        # The frame may have gone on since an older one was forked.
        spare.discard()
    hidden = hidden_files.paths(_shell(), request.get("notebookPath"))
    form = forms.of(request)
    plan = form.plan(request["allowNetwork"], request["allowWrites"], hidden)
    try:
        ready = spare.prepare(form, plan, _shell(), bool(request.get("force")))
        return {"state": "ready" if ready else "not-now"}
    except forms.Refused as refused:
        return refused.reply()


_CONTROL_OPERATIONS: dict[str, Callable[..., Any]] = {
    "collect": lambda request: attempts.collect(request["id"]),
    "cancel": lambda request: attempts.cancel(request["id"]),
    "ping": lambda _: {"ok": True},
}
_OPERATIONS: dict[str, Callable[..., Any]] = {
    **_CONTROL_OPERATIONS,
    "hello": _hello,
    "inspect": lambda request: {
        "variables": describe.variables(
            request["names"], request["values"], paused.seen_from(_shell().user_ns)
        )
    },
    "failure": lambda request: {
        "failure": failures.last(_shell(), request["source"], request["name"], request["values"])
    },
    "live-checks": lambda request: {"checks": evaluating.list_statements(request["cells"])},
    "static": lambda request: static.look(request["source"], request["cells"], _shell()),
    "above": _above,
    "attempt": lambda request: attempts.start(request["job"], request.get("graceMs", 0), _shell()),
    "prepare": _prepare,
}
