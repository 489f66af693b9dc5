"""What a provider answered, or how it failed to, as an error for the user."""
