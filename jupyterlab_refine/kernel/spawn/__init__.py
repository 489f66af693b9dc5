"""Attempts in processes of their own, with copies of the variables: where the kernel cannot be forked."""
