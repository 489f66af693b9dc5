"""Where a host is, and what the environment says of the way to it."""

from __future__ import annotations

import ipaddress
import os

_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")


def proxy_variables() -> list[str]:
    """The variables of the environment that a client reads for its proxy, as they are written there."""
    names = [spelled for name in _PROXIES for spelled in (name, name.lower())]
    return [name for name in names if os.environ.get(name)]


def is_loopback(host: str) -> bool:
    """True for ``localhost`` and loopback addresses."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
