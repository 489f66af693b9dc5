# Runs whenever IPython starts in this environment: `%%refine` outside JupyterLab says so in one sentence
# (jupyterlab_refine/__init__.py), which is imported on first use. It defines no name.
try:
    get_ipython().magics_manager.register_lazy("refine", "jupyterlab_refine")  # noqa: F821
except Exception:  # noqa: S110 - an IPython without lazy magics starts as it always did.
    pass
