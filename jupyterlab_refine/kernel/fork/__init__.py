"""Attempts in forks of the kernel; with `isolation` the only modules that need Linux."""
