"""Model providers: profiles, their models, streamed answers. Nothing in here knows tornado."""
