"""Plugins for every Python test."""

pytest_plugins = ("pytest_jupyter.jupyter_server",)
