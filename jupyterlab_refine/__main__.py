"""``python -m jupyterlab_refine`` is ``jupyter refine``."""

from .cli import main

if __name__ == "__main__":
    main()
