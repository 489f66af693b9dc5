"""Program of the warm process: ``python start.py KERNEL``.

It loads this folder as a package of a private name, so that nothing needs to be installed and no module of a
notebook is taken for one of ours. Where the kernel specification names another interpreter, that takes over.
"""

import importlib.util
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
NAME = "_jupyterlab_refine_warm"


def load() -> None:
    """Import this folder under its private name."""
    sys.path[:] = [path for path in sys.path if path not in ("", FOLDER)]
    file = os.path.join(FOLDER, "__init__.py")
    spec = importlib.util.spec_from_file_location(NAME, file, submodule_search_locations=[FOLDER])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    load()
    importlib.import_module(f"{NAME}.server").main(sys.argv[1:])
