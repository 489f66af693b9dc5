"""The shell of processes that are no kernel, with nothing beside it: the warm process takes this folder."""
