"""What runs inside the user's Python kernel: standard library only.

The modules are packed into one source text (see ``_loader.py``) and executed in
the kernel as the private package ``_jupyterlab_refine``. Nothing is installed
there, nothing enters ``user_ns``.

Four kinds of processes share this code (see docs/contributing/verdict.md):

- the *kernel* forks, supervises and reports (``attempt``);
- the *judge*, its child, never runs a candidate and confirms the checks (``judge.judge``);
- the *attempt* runs one candidate, then the visible checks (``child``);
- the *worker* has run the candidate too and answers the judge's calls (``judge.worker``).

The kernel kills the last three when the attempt ends.
"""
