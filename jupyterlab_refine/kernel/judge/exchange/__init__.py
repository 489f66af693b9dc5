"""The conversation of judge and worker."""
