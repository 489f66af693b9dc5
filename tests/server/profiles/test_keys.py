"""The key of the panel, in memory and in a keyring."""

from __future__ import annotations

import json

import pytest

from jupyterlab_refine.providers.profiles.keys import KeyStore, PanelKey


class FakeKeyring:
    """A keyring in memory; with ``broken`` every call fails as a locked one does."""

    def __init__(self, broken: bool = False) -> None:
        self.stored: dict[tuple[str, str], str] = {}
        self.broken = broken

    def _check(self) -> None:
        if self.broken:
            raise RuntimeError("locked")

    def get_password(self, service_name: str, username: str) -> str | None:
        self._check()
        return self.stored.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self._check()
        self.stored[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        self._check()
        del self.stored[service_name, username]


class TestKeyStore:
    KEY = PanelKey("sk-0123456789", "http://x/v1")

    def test_memory_only(self):
        store = KeyStore()
        store.set(self.KEY)
        assert (store.current, store.problem) == (self.KEY, None)
        assert KeyStore().current is None

    def test_a_keyring_outlives_the_server(self):
        keyring = FakeKeyring()
        KeyStore(keyring).set(self.KEY)
        assert KeyStore(keyring).current == self.KEY
        KeyStore(keyring).set(None)
        assert keyring.stored == {}
        assert KeyStore(keyring).current is None

    def test_a_locked_keyring_is_reported_and_the_key_works(self):
        store = KeyStore(FakeKeyring(broken=True))
        assert "could not be read (RuntimeError)" in (store.problem or "")
        store.set(self.KEY)
        assert store.current == self.KEY
        assert "did not store the key (RuntimeError)" in (store.problem or "")

    def test_an_entry_that_is_not_ours_is_no_key(self):
        keyring = FakeKeyring()
        keyring.stored["jupyterlab-refine", "panel"] = json.dumps(["x"])
        assert KeyStore(keyring).current is None

    @pytest.mark.parametrize(
        "entry",
        [
            {"key": "a\nb", "baseUrl": None},
            {"key": 5, "baseUrl": None},
            {"key": "sk-0123456789", "baseUrl": "http://xn--/"},
        ],
    )
    def test_an_entry_that_cannot_be_used_is_no_key(self, entry):
        keyring = FakeKeyring()
        keyring.stored["jupyterlab-refine", "panel"] = json.dumps(entry)
        store = KeyStore(keyring)
        assert store.current is None
        assert "could not be read" in (store.problem or "")
