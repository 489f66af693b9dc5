"""What runs inside the user's Python kernel: standard library only.

The modules are packed into one source text (see ``_loader.py``) and executed in
the kernel as the private package ``_jupyterlab_refine``. Nothing is installed
there, nothing enters ``user_ns``.

Two processes share this code. The *kernel* forks, supervises and reports; the
*child* runs one candidate and its checks and is then killed.
"""
