"""Loader of the packed kernel part: makes the private package ``_jupyterlab_refine``.

A template: the packer replaces the two placeholders with the module sources and
their version. Executed again with newer sources it replaces the older package,
after that one has cancelled its attempts.
"""


def _install(version, sources):
    import builtins
    import sys
    import types

    package_name = "_jupyterlab_refine"
    older = sys.modules.get(package_name)
    if older is not None:
        older.shutdown()
        for name in [n for n in sys.modules if n.startswith(package_name + ".")]:
            del sys.modules[name]

    # A copy of its own: a candidate that patches builtins does not break the harness.
    own_builtins = dict(vars(builtins))
    outer_import = builtins.__import__

    def make(name, full_name):
        module = types.ModuleType(full_name)
        module.__package__ = package_name
        module.__dict__["__builtins__"] = own_builtins
        module.__version__ = version
        sys.modules[full_name] = module
        file_name = f"<jupyterlab-refine/{name}>"
        exec(compile(sources[name], file_name, "exec", dont_inherit=True), module.__dict__)
        return module

    def load(name):
        full_name = package_name + "." + name
        module = sys.modules.get(full_name)
        if module is None:
            module = make(name, full_name)
            setattr(package, name, module)
        return module

    def own_import(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0:
            return outer_import(name, globals, locals, fromlist, level)
        if name:
            return load(name)
        for submodule in fromlist:
            load(submodule)
        return package

    own_builtins["__import__"] = own_import
    package = types.ModuleType(package_name)
    package.__path__ = []
    package.__version__ = version
    entry = None
    try:
        sys.modules[package_name] = package
        for name in sources:
            if name != "__init__":
                load(name)
        entry = load("entry")
    finally:
        if entry is None:
            for name in [n for n in sys.modules if n.split(".")[0] == package_name]:
                del sys.modules[name]
    package.call = entry.call
    package.shutdown = entry.shutdown


_install("__REFINE_VERSION__", __REFINE_SOURCES__)  # noqa: F821
