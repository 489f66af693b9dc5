#!/usr/bin/env bash
# Makes .venv use this checkout: Python code, server configuration, IPython's startup file and the built extension.
set -euo pipefail
SKIP_JUPYTER_BUILDER=1 python -m pip install --quiet --no-deps --no-build-isolation -e .
jupyter-builder develop --overwrite .
