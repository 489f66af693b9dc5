"""One call of a model, from the request of a client to the last event."""
