"""A warm Python process that forks one copy for each attempt: where ``jupyter refine check`` runs attempts.

Started by the command line with the interpreter of a kernel specification, see ``start.py``. It has the shell
of ipykernel and the kernel part, but neither a kernel's sockets nor a Jupyter server; requests come over a
pipe. No code of a notebook runs in it: only in attempts, forks of its copies.
"""

import os

#: The shell is the kernel part's.
__path__.append(os.path.join(os.path.dirname(os.path.abspath(__path__[0])), "kernel", "shell"))
