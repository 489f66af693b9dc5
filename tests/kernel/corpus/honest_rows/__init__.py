"""Candidates that solve their task: each must pass."""
