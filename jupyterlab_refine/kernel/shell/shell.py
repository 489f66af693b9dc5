"""The shell of ipykernel for a process that is no kernel: without its sockets, threads and loop."""

from __future__ import annotations

# What each attempt imports otherwise, in all of its processes.
import encodings.unicode_escape  # noqa: F401
import os
import types
from typing import Any

from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.application import BaseIPythonApplication
from IPython.core.shellapp import InteractiveShellApp
from traitlets import Any as AnyTrait
from traitlets.config import Config


class Session:
    """In the place of a kernel's session: what start-up files show, and previews of attempts, go nowhere."""

    def msg(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"content": {}}

    def send(self, *_: Any, **__: Any) -> None:
        return


class _Application(BaseIPythonApplication, InteractiveShellApp):
    """Reads the profile of IPython that kernels read, with its start-up files."""

    name = "ipython-kernel"
    subcommands: dict[str, Any] = {}
    shell: Any = AnyTrait()

    def make(self) -> Any:
        # IPython has no types.
        own: Any = self
        own.initialize([])
        # A thread of its own writes the history; and some ask for this section to know a notebook.
        own.update_config(Config({"HistoryManager": {"enabled": False}, "IPKernelApp": {}}))
        own.init_path()
        made: Any = ZMQInteractiveShell
        shell = self.shell = made.instance(
            parent=self, profile_dir=own.profile_dir, ipython_dir=own.ipython_dir
        )
        # There is no event loop to join.
        shell.enable_gui = lambda gui=None: None
        session = Session()
        for owner in (shell.display_pub, shell.displayhook):
            # traitlets would refuse another class.
            owner._trait_values["session"] = session
        shell.kernel = types.SimpleNamespace(
            session=session, iopub_socket=None, get_parent=lambda *_: {}, shell=shell
        )
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        own.init_gui_pylab()
        own.init_extensions()
        own.init_code()
        return shell


def make() -> Any:
    """The shell of this process."""
    application: Any = _Application
    return application().make()
