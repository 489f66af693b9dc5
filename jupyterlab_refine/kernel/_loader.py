"""Loader of the packed kernel part: makes the private package ``_jupyterlab_refine``.

A template: the packer replaces the two placeholders with the module sources, by
dotted name, and their version. Executed again with newer sources it replaces the
older package, after that one has cancelled its attempts.
"""


def _install(version, sources):
    import builtins
    import sys
    import types

    package_name = "_jupyterlab_refine"

    def forget():
        for name in [n for n in sys.modules if n.split(".")[0] == package_name]:
            del sys.modules[name]

    older = sys.modules.get(package_name)
    if older is not None:
        older.shutdown()
        forget()

    # A private copy, so that a candidate that patches builtins does not break the harness.
    own_builtins = dict(vars(builtins))
    outer_import = builtins.__import__

    def load(name):
        """The module or package of a dotted name within ours; an empty name for the package itself."""
        full_name = ".".join(filter(None, (package_name, name)))
        module = sys.modules.get(full_name)
        if module is not None:
            return module
        module = types.ModuleType(full_name)
        outer, _, last = name.rpartition(".")
        is_package = name not in sources
        if is_package:
            module.__path__ = []
        module.__package__ = full_name if is_package else full_name.rpartition(".")[0]
        module.__version__ = version
        module.__dict__["__builtins__"] = own_builtins
        sys.modules[full_name] = module
        if name:
            setattr(load(outer), last, module)
        if not is_package:
            exec(compiled(name), module.__dict__)
        return module

    def compiled(name):
        """The code of a module; it is kept for the processes that this one starts."""
        if isinstance(sources[name], str):
            file_name = f"<jupyterlab-refine/{name.replace('.', '/')}>"
            sources[name] = compile(sources[name], file_name, "exec", dont_inherit=True)
        return sources[name]

    def parts():
        """What another process needs to call this function with."""
        for name in sources:
            compiled(name)
        return version, sources, _install.__code__

    def own_import(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0:
            return outer_import(name, globals, locals, fromlist, level)
        rooms = globals["__package__"].split(".")[1:]
        base = ".".join([*rooms[: len(rooms) + 1 - level], *filter(None, (name,))])
        module = load(base)
        if base not in sources:
            for inner in fromlist:
                load(".".join(filter(None, (base, inner))))
        return module

    own_builtins["__import__"] = own_import
    try:
        entry = load("entry")
    except BaseException:
        forget()
        raise
    package = sys.modules[package_name]
    package.load, package.parts = load, parts
    package.call = entry.call
    package.call_in_frame = entry.call_in_frame
    package.shutdown = entry.shutdown


_install("__REFINE_VERSION__", __REFINE_SOURCES__)  # noqa: F821
