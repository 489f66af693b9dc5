"""Data of libraries, by value."""
