"""The judge and the worker: checks run again where the candidate never ran."""
