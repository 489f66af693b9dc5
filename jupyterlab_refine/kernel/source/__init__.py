"""Source code inspected before it runs."""
