"""IPython's shell as a kernel has it, for code that asks where it runs, without ipykernel and its sockets."""

from __future__ import annotations

import base64

# What each attempt imports otherwise, in all of its processes.
import encodings.unicode_escape  # noqa: F401
import getpass  # noqa: F401
import os
import types
from typing import Any, cast

from IPython.core import page, payloadpage
from IPython.core.application import BaseIPythonApplication
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.shellapp import InteractiveShellApp
from traitlets import Any as AnyTrait
from traitlets import Type
from traitlets.config import Config


class Session:
    """In the place of a kernel's session: what attempts preview goes to ``on_message``."""

    def __init__(self, on_message: Any) -> None:
        self._on_message = on_message

    def send(self, _: Any, kind: str, content: Any = None, *__: Any, **___: Any) -> None:
        self._on_message(kind, content)


class Publisher(DisplayPublisher):
    """Sends displays to the kernel's session, which each attempt replaces by its own."""

    session: Any = AnyTrait()

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        content = {"data": _as_text(data), "metadata": metadata or {}, "transient": transient or {}}
        self._send("update_display_data" if update else "display_data", content)

    def clear_output(self, wait: bool = False) -> None:
        self._send("clear_output", {"wait": wait})

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        if self.session is not None:
            self.session.send(None, kind, content)


class Hook(DisplayHook):
    """Sends the value of a cell to the session, and prints nothing."""

    session: Any = AnyTrait()

    def start_displayhook(self) -> None:
        return

    def write_output_prompt(self) -> None:
        return

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        if self.session is not None:
            content = {"data": _as_text(format_dict), "metadata": md_dict or {}}
            content["execution_count"] = self.prompt_count
            self.session.send(None, "execute_result", content)

    def finish_displayhook(self) -> None:
        return


def _as_text(data: dict[str, Any]) -> dict[str, Any]:
    return {
        kind: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for kind, value in data.items()
    }


class Shell(InteractiveShell):
    """The shell of a notebook, with the hooks of a frontend that do nothing here."""

    display_pub_class = Type(Publisher)
    displayhook_class = Type(Hook)
    kernel: Any = AnyTrait()

    def init_hooks(self) -> None:
        # IPython has no types.
        own, inherited = cast(Any, self), cast(Any, super())
        inherited.init_hooks()
        own.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    def _showtraceback(self, *_: Any) -> None:
        """Of a start-up file; attempts replace it."""

    def enable_gui(self, gui: Any = None) -> None:
        """There is no event loop to join."""

    def init_virtualenv(self) -> None:
        """The interpreter is that of the kernel specification."""


# Code that asks `get_ipython().__class__.__name__` shall see a notebook.
Shell.__name__ = "ZMQInteractiveShell"


#: As in a kernel: programs write colours, and none waits for a key.
_ENVIRONMENT = {
    **{"TERM": "xterm-color", "CLICOLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"},
    **{"PAGER": "cat", "GIT_PAGER": "cat"},
}


class _Application(BaseIPythonApplication, InteractiveShellApp):
    """Reads the profile of IPython that kernels read, with its start-up files."""

    name = "ipython-kernel"
    subcommands: dict[str, Any] = {}
    shell: Any = AnyTrait()

    def make(self, session: Session) -> Any:
        # IPython has no types.
        own: Any = self
        own.initialize([])
        # A thread of its own writes the history; and some ask for this section to know a notebook.
        own.update_config(Config({"HistoryManager": {"enabled": False}, "IPKernelApp": {}}))
        own.init_path()
        self.shell = Shell.instance(parent=self, profile_dir=own.profile_dir, ipython_dir=own.ipython_dir)
        self.shell.kernel = types.SimpleNamespace(
            session=session, iopub_socket=None, get_parent=lambda *_: {}, shell=self.shell
        )
        os.environ.update(_ENVIRONMENT)
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        own.init_gui_pylab()
        own.init_extensions()
        own.init_code()
        return self.shell


def make(on_message: Any) -> Any:
    """The shell of this process. :param on_message: called with type and content of a message."""
    application: Any = _Application
    return application().make(Session(on_message))
