"""IPython's shell as a kernel has it, for code that asks where it runs, without ipykernel and its sockets."""

from __future__ import annotations

# What each attempt imports otherwise, in all of its processes.
import encodings.unicode_escape  # noqa: F401
import getpass  # noqa: F401
import os
import types
from typing import Any

from IPython.core.application import BaseIPythonApplication
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
        self, data: Any, metadata: Any = None, source: Any = None, *, update: bool = False, **_: Any
    ) -> None:
        if self.session is not None:
            self.session.send(None, "update_display_data" if update else "display_data", {"data": data})


class Shell(InteractiveShell):
    """The shell of a notebook, with the hooks of a frontend that do nothing here."""

    display_pub_class = Type(Publisher)
    kernel: Any = AnyTrait()

    def enable_gui(self, gui: Any = None) -> None:
        """There is no event loop to join."""

    def init_virtualenv(self) -> None:
        """The interpreter is that of the kernel specification."""


# Code that asks `get_ipython().__class__.__name__` shall see a notebook.
Shell.__name__ = "ZMQInteractiveShell"


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
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        own.init_gui_pylab()
        own.init_extensions()
        own.init_code()
        return self.shell


def make(on_message: Any) -> Any:
    """The shell of this process. :param on_message: called with type and content of a message."""
    application: Any = _Application
    return application().make(Session(on_message))
