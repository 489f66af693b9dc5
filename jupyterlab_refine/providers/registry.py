"""Which profiles there are, which one is used when none is named, and what to do when there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import RefineError, bad_request
from .catalogue import LOCAL_TIMEOUT, Catalogue, Offer, local_profiles
from .demo import DEMO
from .profile import OPENAI_BASE_URL, Profile, ProfileProblem, bare, check_base_url, key_problem

#: Name of the profile that a key or address typed into the panel makes.
PANEL_PROFILE = "panel"

#: The recorded model, which has no host.
RECORDED = Profile(DEMO, "", models=(DEMO,), prices={DEMO: {"input": 0, "output": 0}})


class Registry:
    """Profiles in the contract's order: configured, else the environment's, else local servers; and ``demo``.

    Parameters
    ----------
    configured
        Profiles of ``c.Refine.profiles``.
    environ
        Where ``OPENAI_API_KEY``, ``OPENAI_BASE_URL``, ``OPENAI_MODEL`` and ``OLLAMA_HOST`` are looked up.
    default_profile
        Name given in the configuration; empty for none.
    """

    def __init__(
        self,
        configured: Sequence[Profile],
        environ: Mapping[str, str],
        catalogue: Catalogue,
        default_profile: str = "",
    ) -> None:
        self._fixed = list(configured) or _of_environment(environ)
        #: Where a key goes that was typed into the panel without an address.
        self._for_key = Profile(PANEL_PROFILE)
        if self._fixed and not configured:
            self._for_key = replace(self._fixed[0], name=PANEL_PROFILE, problem=None)
        self._panel: list[Profile] = []
        self._local = local_profiles(environ)
        self.catalogue = catalogue
        self._default_profile = default_profile
        read = self._fixed or self._local
        #: What is wrong with profiles as they were read, for the log.
        self.problems = [f"Profile {one.name}: {one.problem}" for one in read if one.problem]

    async def profiles(self) -> list[Profile]:
        """All profiles, the panel's first and the demo last."""
        found = self._fixed
        if not found:
            offers = await self.catalogue.offers(self._local, LOCAL_TIMEOUT)
            found = [profile for profile, offer in zip(self._local, offers, strict=True) if offer.is_there]
        return [*self._panel, *found, RECORDED]

    def enter(self, key: str, base_url: str) -> None:
        """Keep in memory what was typed into the panel: a key, an endpoint, or both; nothing: forget it.

        Raises
        ------
        ProfileProblem
            For what is no URL.
        """
        profile = replace(self._for_key, api_key=key)
        if base_url:
            # Never with a key of the server's own: the address is the user's.
            profile = Profile(PANEL_PROFILE, check_base_url(base_url), key)
        self._panel = [profile] if key or base_url else []
        self.catalogue.forget()

    async def choose(self, profile_name: str, model: str | None) -> tuple[Profile, str]:
        """Profile and model for a call.

        Raises
        ------
        RefineError
            ``bad-request`` naming the known profiles, ``no-model`` with what to do, ``model-not-found``.
        """
        profiles = await self.profiles()
        if not profile_name:
            offers = await self.catalogue.offers(profiles)
            default = self._default(profiles, offers)
            if default is None:
                raise RefineError("no-model", " ".join(self._hints(profiles, offers, False)), 400)
            profile_name, model = default[0], model or default[1]
        profile = next((known for known in profiles if known.name == profile_name), None)
        if profile is None:
            names = ", ".join(known.name for known in profiles)
            raise bad_request(f"There is no profile {profile_name[:100]!r} on this server; known: {names}.")
        if profile.problem:
            raise RefineError("no-model", f"Profile {profile.name} cannot be used: {profile.problem}", 400)
        if profile.models and model and model not in profile.models:
            offered = ", ".join(profile.models)
            message = f"Profile {profile.name} does not offer the model {model}; it offers {offered}."
            raise RefineError("model-not-found", message, 404)
        model = model or (await self.catalogue.offer(profile)).default_model
        if not model:
            raise RefineError("no-model", f"Choose a model of profile {profile.name} ({profile.host}).", 400)
        return profile, model

    def _default(self, profiles: Sequence[Profile], offers: Sequence[Offer]) -> tuple[str, str] | None:
        usable = {
            profile.name: offer.default_model
            for profile, offer in zip(profiles, offers, strict=True)
            if offer.default_model
        }
        # The demo is last, and not used unless it is named.
        first = next(iter(usable)) if len(usable) > 1 else ""
        name = PANEL_PROFILE if PANEL_PROFILE in usable else self._default_profile or first
        return (name, usable[name]) if name in usable else None

    async def describe(self) -> dict[str, Any]:
        """``default``, ``hints`` and ``profiles`` of the profiles route; no key in any of them."""
        profiles = await self.profiles()
        offers = await self.catalogue.offers(profiles)
        default = self._default(profiles, offers)
        return {
            "default": {"profile": default[0], "model": default[1]} if default else None,
            "hints": self._hints(profiles, offers, default is not None),
            "profiles": [
                {
                    "name": profile.name,
                    "host": profile.host,
                    "models": list(offer.models),
                    "defaultModel": offer.default_model,
                    "demo": profile is RECORDED,
                    "error": offer.error,
                    "prices": profile.prices,
                    "contexts": dict(offer.contexts),
                }
                for profile, offer in zip(profiles, offers, strict=True)
            ],
        }

    def _hints(self, profiles: Sequence[Profile], offers: Sequence[Offer], found: bool) -> list[str]:
        """What the user can do to get a model, as sentences and commands."""
        hints = []
        names = [profile.name for profile in profiles]
        if self._default_profile and self._default_profile not in names:
            known = ", ".join(names)
            hints.append(f"c.Refine.default_profile names {self._default_profile!r}; known: {known}.")
        for profile, offer in zip(profiles, offers, strict=True):
            if offer.error:
                hints.append(f"Profile {profile.name}: {offer.error}")
            elif not offer.default_model and (not found or profile.name == PANEL_PROFILE):
                # What was entered in the panel is meant to be used, even if another profile is the default.
                hints.append(f"Choose one of the models of {profile.name} ({profile.host}).")
        if names == [DEMO] and not found:
            hints += [
                "Start Jupyter with OPENAI_API_KEY set, or OPENAI_BASE_URL for a server that speaks its API.",
                "Or run a model on this machine: install Ollama, then run `ollama pull qwen2.5-coder`.",
                "Or enter a key here: it stays in the memory of the Jupyter server.",
            ]
        return hints


def _of_environment(environ: Mapping[str, str]) -> list[Profile]:
    key = bare(environ.get("OPENAI_API_KEY", ""))
    # The older name is still that of other tools, whose key must not go elsewhere.
    variable = "OPENAI_BASE_URL" if environ.get("OPENAI_BASE_URL") else "OPENAI_API_BASE"
    url = environ.get(variable, "")
    if not key and not url:
        return []
    try:
        return [
            Profile(
                "openai",
                check_base_url(url or OPENAI_BASE_URL),
                key,
                default_model=bare(environ.get("OPENAI_MODEL", "")) or None,
                problem=key_problem(key, "The environment variable OPENAI_API_KEY"),
            )
        ]
    except ProfileProblem as problem:
        return [Profile("openai", problem=f"{variable}: {problem}")]
