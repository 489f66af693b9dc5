"""The server extension: its routes, and ``c.Refine.…`` in a file, ``--Refine.…`` as a flag."""

from __future__ import annotations

from typing import Any

from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, TraitError

from . import configuration
from .handlers import SERVICES_SETTING, CompletionsHandler, DemoHandler, KeyHandler, ProfilesHandler
from .services import RefusedConfiguration, Services
from .websocket import leave_untracked, with_nodelay

NODELAY_SETTING = "kernel_websocket_connection_class"


class Refine(configuration.Refine, ExtensionApp):
    """Model profiles, keys, limits and policy of jupyterlab-refine."""

    name = "jupyterlab_refine"

    #: What is wrong with a configuration that was refused.
    _wrong = "its log says how."

    websocket_nodelay = Bool(
        True, help="Send the messages of kernels at once (TCP_NODELAY), which saves up to 40 ms for each."
    ).tag(config=True)

    def _link_jupyter_server_extension(self, serverapp: Any) -> None:
        """Apply the configuration; keep what is wrong with it, for the routes to say."""
        try:
            super()._link_jupyter_server_extension(serverapp)
        except TraitError as error:
            self._wrong = str(error)
            raise

    def initialize_settings(self) -> None:
        """Build the services; adapt the kernel websockets."""
        if self._linked:
            self.settings[SERVICES_SETTING] = self.services()
        else:
            # The server goes on with an extension whose configuration it could not apply, which here
            # would turn every restriction of the administrator into the default.
            self.settings[SERVICES_SETTING] = RefusedConfiguration(
                f"The configuration of jupyterlab-refine on this Jupyter server is wrong: {self._wrong} "
                "Correct it, then restart the Jupyter server."
            )
        if self.websocket_nodelay:
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
