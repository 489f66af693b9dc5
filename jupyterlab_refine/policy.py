"""What the administrator allows: ``c.Refine.policy``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .providers.profile import nearest


@dataclass(frozen=True)
class Policy:
    """Permissions, and upper limits for the users' own settings; None: no limit of the server's."""

    allow_key_from_panel: bool = True
    allow_base_url_from_panel: bool = True
    #: Whether nbgrader's solution cells may be refined.
    refine_graded_cells: bool = False
    max_attempts: int | None = None
    #: Tokens of one session.
    max_tokens: int | None = None
    #: Seconds of one session.
    session_timeout: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The policy as clients read it, in camel case."""
        return {_camel(name): value for name, value in asdict(self).items()}


#: Names a policy may have.
POLICY_KEYS = tuple(field.name for field in fields(Policy))

_FLAGS = {"true": True, "false": False}


def read_policy(value: Mapping[str, Any]) -> Policy:
    """The policy as configured; texts of the command line (``--Refine.policy max_attempts=3``) are parsed.

    Raises
    ------
    ValueError
        For an unknown name or a value of the wrong kind. A misspelt restriction must not end as the
        permissive default.
    """
    unknown = sorted(str(name) for name in value if name not in POLICY_KEYS)
    if unknown:
        raise ValueError(f"c.Refine.policy: unknown {nearest(unknown, POLICY_KEYS)}.")
    defaults = asdict(Policy())
    parse = {name: _flag if isinstance(defaults[name], bool) else _limit for name in POLICY_KEYS}
    parsed: dict[str, Any] = {name: parse[name](name, item) for name, item in value.items()}
    return Policy(**parsed)


def _flag(name: str, value: Any) -> bool:
    known = _FLAGS.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(known, bool):
        raise ValueError(f"c.Refine.policy: {name} must be True or False, not {value!r}.")
    return known


def _limit(name: str, value: Any) -> int | None:
    if value is None or value == "None":
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"c.Refine.policy: {name} must be a positive whole number or None, not {value!r}.")
    return number


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
