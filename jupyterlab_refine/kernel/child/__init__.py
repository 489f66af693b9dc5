"""The attempt's own process: made harmless, then the candidate and the visible checks."""
