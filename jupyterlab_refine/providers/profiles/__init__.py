"""Profiles: endpoints, their keys and models, and which of them is used."""
