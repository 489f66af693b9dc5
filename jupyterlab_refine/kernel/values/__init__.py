"""Values described in words, bounded in size and time."""
