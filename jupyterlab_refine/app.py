"""The server extension: its routes, and ``c.Refine.…`` in a file, ``--Refine.…`` as a flag."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, Dict, Enum, Float, Int, List, TraitError, Unicode

from .handlers import SERVICES_SETTING, CompletionsHandler, DemoHandler, KeyHandler, ProfilesHandler
from .services import POLICY, Services

NODELAY_SETTING = "kernel_websocket_connection_class"


class Refine(ExtensionApp):
    """Model profiles, keys, limits and policy of jupyterlab-refine."""

    name = "jupyterlab_refine"

    #: What is wrong with a configuration that was refused.
    _wrong = "its log says how."

    profiles: List[Any] = List(
        # Entries of any kind: one that is wrong is reported by itself, and the others work.
        help="""Model profiles: a list of dicts with name, base_url, api_key or api_key_env, headers, models,
        default_model and prices ({model: {'input': USD, 'output': USD}} for a million tokens). Prefer
        api_key_env: Jupyter prints its configuration, keys included, when started with --debug. Without
        profiles OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL make one, else an Ollama that answers.
        How a model is chosen when none is named: docs/configuration.md.""",
    ).tag(config=True)

    default_profile = Unicode(
        help="Profile to use when none is chosen; 'demo' for the recorded one. Empty: the first usable."
    ).tag(config=True)

    daily_token_limit = Int(
        None,
        allow_none=True,
        min=1,
        help="Tokens (prompt and answer) this server process may use in a day, local time. None: no limit.",
    ).tag(config=True)

    policy = Dict(
        key_trait=Enum(list(POLICY)),
        per_key_traits={
            name: Int(allow_none=True, min=1) if value is None else Bool() for name, value in POLICY.items()
        },
        help="""What users of this server may do: allow_key_from_panel (True), allow_base_url_from_panel
        (True), refine_graded_cells (False: nbgrader's solution cells are not refined), and upper limits for
        their own settings: max_attempts, max_tokens, session_timeout in seconds (None: no limit of the
        server's). Limits and refine_graded_cells are sent to the clients, which the server cannot force;
        the two permissions and daily_token_limit it enforces.""",
    ).tag(config=True)

    hide_keys_from_kernels = Bool(
        False,
        help="""Remove the environment variables that hold keys (OPENAI_API_KEY and every api_key_env) from
        the server's environment once they are read, so that no kernel or terminal started later has them. Off
        by default, since notebooks that call a model themselves, and other extensions, read the same
        variables; attempts run without them either way.""",
    ).tag(config=True)

    first_token_timeout = Float(
        540.0,
        min=1.0,
        help="Seconds before the first text of an answer, the loading of a model included.",
    ).tag(config=True)

    def build(self) -> Services:
        """Built once, from the configuration and the environment."""
        services = Services(self, dict(os.environ))
        for problem in services.registry.problems:
            self.log.warning(problem)
        if self.hide_keys_from_kernels:
            for variable in services.key_variables:
                os.environ.pop(variable, None)
        return services

    def _link_jupyter_server_extension(self, serverapp: Any) -> None:
        """Apply the configuration; keep what is wrong with it, for the routes to say."""
        try:
            super()._link_jupyter_server_extension(serverapp)
        except TraitError as error:
            # Without the value where it may hold a key.
            self._wrong = "c.Refine.profiles must be a list." if "'profiles'" in str(error) else str(error)
            raise TraitError(self._wrong) from None

    def initialize_settings(self) -> None:
        """Build the services; adapt the kernel websockets."""
        if self._linked:
            self.settings[SERVICES_SETTING] = self.build()
        else:
            # The server goes on with an extension whose configuration it could not apply, which here
            # would turn every restriction of the administrator into the default.
            self.settings[SERVICES_SETTING] = (
                f"The configuration of jupyterlab-refine on this Jupyter server is wrong: {self._wrong} "
                "Correct it, then restart the Jupyter server."
            )
        self.settings[NODELAY_SETTING] = with_nodelay(self.settings[NODELAY_SETTING])
        assert self.serverapp is not None
        leave_untracked(self.serverapp.kernel_manager)

    def initialize_handlers(self) -> None:
        """Register the routes; the server puts its base URL in front."""
        root = "/jupyterlab-refine/v1"
        self.handlers.extend(
            [
                (rf"{root}/profiles", ProfilesHandler),
                (rf"{root}/key", KeyHandler),
                (rf"{root}/chat/completions", CompletionsHandler),
                (rf"{root}/demo", DemoHandler),
            ]
        )

    async def stop_extension(self) -> None:
        """Close the connections to providers."""
        services = self.settings.get(SERVICES_SETTING)
        if isinstance(services, Services):
            await services.clients.close()


#: Sent on the control channel between the executor and the kernel part.
CONTROL_MESSAGE_TYPES = ("refine_request", "refine_reply")


def with_nodelay(connection_class: Any) -> Any:
    """A subclass of ``connection_class`` that sends each message at once.

    A stock server lets the operating system hold small messages back until the
    browser has acknowledged earlier ones (Nagle's algorithm): about 40 ms for
    each short execution.

    ``connection_class`` is what the server is configured with, the value of
    ``web_app.settings["kernel_websocket_connection_class"]``; its behaviour and
    its configuration stay as they are.
    """

    class NoDelayConnection(connection_class):
        def connect(self, *args: Any, **kwargs: Any) -> Any:
            # A websocket that is slow is better than none.
            with contextlib.suppress(Exception):
                self.websocket_handler.set_nodelay(True)
            return super().connect(*args, **kwargs)

    return NoDelayConnection


def leave_untracked(kernel_manager: Any) -> None:
    """Keep requests on the control channel from changing the state that the server reports for a kernel.

    They are answered while a cell runs, and the kernel says ``idle`` after each:
    the server would show a busy kernel as idle, and a culler could end it.
    ``kernel_manager`` is the server's; one that tracks no types is left alone.
    """
    if hasattr(kernel_manager, "untracked_message_types"):
        kernel_manager.untracked_message_types += list(CONTROL_MESSAGE_TYPES)
