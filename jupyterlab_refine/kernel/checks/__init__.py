"""Check cells: statements, how each ended, expected against observed."""
