"""Candidates that solve nothing: none may pass in silence."""
