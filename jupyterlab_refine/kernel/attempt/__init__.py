"""The kernel's side of an attempt: fork it, supervise it, end it, report its result."""
