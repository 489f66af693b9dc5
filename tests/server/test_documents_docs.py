"""The documents say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from traitlets.config import Config

from jupyterlab_refine.app import Refine
from jupyterlab_refine.providers.catalogue import PREFERENCE
from jupyterlab_refine.providers.profile import PROFILE, check_base_url, read_profiles
from jupyterlab_refine.services import POLICY

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = (DOCS / "configuration.md").read_text("utf-8")
MODELS = (DOCS / "models.md").read_text("utf-8")

ROWS = {
    cells[0].strip("`"): cells[1].strip("`")
    for line in DOCUMENT.splitlines()
    if line.startswith("| `")
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}

EXAMPLES = re.findall(r"```python\n(.*?)```", DOCUMENT + MODELS, re.DOTALL)


def test_every_option_with_its_default():
    own = Refine.class_own_traits(config=True)
    options = {f"c.Refine.{name}": trait for name, trait in own.items()}
    reported = {name: default for name, default in ROWS.items() if name.startswith("c.Refine.")}
    defaults = {name: repr(trait.default_value) for name, trait in options.items()}
    # Made by their types, and so without a fixed default.
    defaults |= {"c.Refine.profiles": repr(Refine().profiles), "c.Refine.policy": repr(Refine().policy)}
    assert reported == defaults


def test_every_policy_with_its_default():
    assert {name: ROWS.get(name) for name in POLICY} == {name: repr(value) for name, value in POLICY.items()}


def test_every_key_of_a_profile():
    assert [name for name in PROFILE["properties"] if name not in ROWS] == []


def test_the_order_of_preference():
    (listed,) = re.findall(r"contains the first match of:(.*?)\. If none matches", MODELS, re.DOTALL)
    assert re.findall(r"`(.*?)`", listed) == [entry.rstrip("$") for entry in PREFERENCE]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_taken(example, monkeypatch):
    config = Config()
    exec(example, {"c": config})
    refine = Refine(config=config)
    keys = {"OPENAI_API_KEY": "sk-0123456789", "CAMPUS_KEY": "sk-0123456789", "GATEWAY_KEY": "sk-0123456789"}
    profiles = read_profiles(refine.profiles, keys)
    assert [profile.problem for profile in profiles if profile.problem] == []
    assert {name: getattr(refine, name) for name in config.Refine} == dict(config.Refine)
    assert refine.default_profile in ["", *(profile.name for profile in profiles)]


@pytest.mark.parametrize("address", re.findall(r"OPENAI_BASE_URL=(\S+)", MODELS))
def test_an_address_is_taken_as_it_is_written(address):
    assert check_base_url(address) == address
