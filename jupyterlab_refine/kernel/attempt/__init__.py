"""Attempts as the kernel sees them: forked, supervised, ended, reported."""
