"""The attempt's own process: it is isolated, then runs the candidate and the visible checks."""
