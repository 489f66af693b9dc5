"""The key typed into the panel: in the server's memory and, where asked for, in its keyring."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass, field
from typing import Protocol

from .profile import check_base_url, key_problem

SERVICE = "jupyterlab-refine"
ACCOUNT = "panel"


@dataclass(frozen=True)
class PanelKey:
    """What the user typed: a key, an endpoint, or both."""

    api_key: str | None = field(repr=False)
    #: None: the endpoint of the server's own configuration, else OpenAI.
    base_url: str | None


class Keyring(Protocol):
    """The three functions used of the ``keyring`` package."""

    def get_password(self, service_name: str, username: str) -> str | None: ...

    def set_password(self, service_name: str, username: str, password: str) -> None: ...

    def delete_password(self, service_name: str, username: str) -> None: ...


def find_keyring() -> Keyring | None:
    """The ``keyring`` package, if it is installed."""
    if importlib.util.find_spec("keyring") is None:
        return None
    import keyring

    found: Keyring = keyring
    return found


class KeyStore:
    """Holds one key. A keyring that fails leaves the key in memory; ``problem`` then says why."""

    def __init__(self, keyring: Keyring | None = None) -> None:
        self._keyring = keyring
        self.problem: str | None = None
        self.current: PanelKey | None = self._load()

    def set(self, key: PanelKey | None) -> None:
        """Keep a key, or forget it when None."""
        self.current = key
        if self._keyring is None:
            return
        try:
            if key is not None:
                text = json.dumps({"key": key.api_key, "baseUrl": key.base_url})
                self._keyring.set_password(SERVICE, ACCOUNT, text)
            elif self._keyring.get_password(SERVICE, ACCOUNT) is not None:
                self._keyring.delete_password(SERVICE, ACCOUNT)
            self.problem = None
        except Exception as error:  # a backend may raise anything; the key works from memory
            kind = type(error).__name__
            self.problem = f"The keyring did not store the key ({kind}). The server keeps it until it stops."

    def _load(self) -> PanelKey | None:
        if self._keyring is None:
            return None
        try:
            stored = self._keyring.get_password(SERVICE, ACCOUNT)
            if stored is None:
                return None
            value = json.loads(stored)
            key, base_url = value["key"], value["baseUrl"]
            if key_problem(key, "The keyring"):
                raise ValueError
            return PanelKey(key, check_base_url(base_url) if base_url else None)
        except Exception as error:  # as above; an unreadable entry counts as none
            self.problem = f"The keyring could not be read ({type(error).__name__})."
            return None
