"""Copies of variables for a second kernel."""
