"""Run source in the child's namespace as a cell would run, without history, hooks and execution count."""

from __future__ import annotations
import __future__

import ast
import asyncio
import contextvars
import inspect
import linecache
from collections.abc import Coroutine
from typing import Any

from ..source.names import UNREADABLE, ipython_source
from .shell_cut import Displays, shown_errors
from .tracebacks import CANDIDATE

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


def remember(file_name: str, source: str) -> None:
    """Let tracebacks and ``inspect.getsource`` find the lines (in the child only)."""
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)


def flags(shell: Any) -> int:
    """What cells are compiled with: top-level await, and the futures of earlier cells."""
    return (shell.compile.flags & _FUTURE) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def parsed(source: str, file_name: str, shell: Any) -> tuple[str, ast.Module]:
    """The cell as Python code, by the input transformers of the user's shell. :raises UNREADABLE:"""
    try:
        tree = ast.parse(source, file_name)
        if not _transforms(shell):
            return source, tree
    except UNREADABLE:
        pass
    try:
        text = shell.transform_cell(source)
    except Exception:
        text = ipython_source(source)
    return text, ast.parse(text, file_name)


def _transforms(shell: Any) -> bool:
    """Whether the user has added transformers of input."""
    return bool(shell.input_transformers_post or shell.input_transformer_manager.line_transforms[1:])


def complete(work: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> None:
    """Run it to its end. Context variables stay set, as between cells: some are print options."""

    async def run() -> contextvars.Context:
        await work
        return contextvars.copy_context()

    for variable, value in loop.run_until_complete(run()).items():
        variable.set(value)


def new_loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process: a fork cannot use that of the kernel."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def compiled(source: str, file_name: str, shell: Any) -> list[Any] | None:
    """The code of a cell without magics, before any code of the notebook ran; of its last expression apart.

    None for a cell that the shell must read: magics, ``from __future__``, or an error to be raised.
    """
    try:
        trees = zip(parts_of(ast.parse(source, file_name)), ("exec", "eval"), strict=False)
        parts: list[Any] = [compile(tree, file_name, mode, flags(shell), True, 0) for tree, mode in trees]
    except UNREADABLE:
        return None
    return None if parts[0].co_flags & _FUTURE else parts


def parts_of(tree: ast.Module) -> list[ast.Module | ast.Expression]:
    """The statements, and the last expression apart, whose value is shown or awaited."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return [tree]
    return [ast.Module(tree.body[:-1], tree.type_ignores), ast.Expression(last.value)]


class Runner:
    """Compiles and executes statements in ``user_ns``. Runs within a running event loop, as cells do."""

    def __init__(self, shell: Any, displays: Displays) -> None:
        self._shell = shell
        self._displays = displays
        self._flags = flags(shell)
        # The user's transformers: one that a candidate adds does not change the checks.
        self._transformers = list(shell.ast_transformers)

    async def cell(self, source: str, file_name: str, ready: list[Any] | None) -> None:
        """Run a cell above the target; its last expression is evaluated and not displayed."""
        shell = self._shell
        changed = shell.ast_transformers or _transforms(shell) or self._flags != flags(shell)
        if ready is None or changed:
            await self.candidate(source, None, file_name)
            return
        await self._run_cell(ready, source, shows=False)

    async def candidate(
        self, source: str, watch: ast.NodeTransformer | None = None, file_name: str = CANDIDATE
    ) -> None:
        """Run a candidate as one cell: magics, top-level await, the last expression displayed.

        :param watch: a transformer of our own, after the user's; of what magics run as well.
        """
        shell = self._shell
        text, tree = parsed(source, file_name, shell)
        remember(file_name, text)
        added = [watch] if watch else []
        for transformer in [*self._transformers, *added]:
            tree = ast.fix_missing_locations(transformer.visit(tree))
        shell.ast_transformers += added
        parts = parts_of(tree) if shell.ast_node_interactivity.startswith("last_expr") else [tree]
        await self._run_cell([self.compile(part, file_name) for part in parts], source, shows=True)

    async def _run_cell(self, codes: list[Any], source: str, shows: bool) -> None:
        events = self._shell.events
        events.trigger("pre_execute")
        shown_errors.clear()
        value = None
        for code in codes:
            value = await self.run(code)
        if self._remember(value, source) and shows:
            data, _ = self._shell.display_formatter.format(value)
            if data:
                self._displays.show(data)
        events.trigger("post_execute")
        if shown_errors:
            raise shown_errors[0]

    async def run(self, code: Any) -> Any:
        """Run statements, or give the value of an expression."""
        value = eval(code, self._shell.user_global_ns, self._shell.user_ns)
        return await value if code.co_flags & inspect.CO_COROUTINE else value

    def compile(self, tree: ast.Module | ast.Expression, file_name: str) -> Any:
        mode = "eval" if isinstance(tree, ast.Expression) else "exec"
        # optimize=0: with -O or PYTHONOPTIMIZE the asserts would vanish.
        code = compile(tree, file_name, mode, self._flags, True, 0)
        # `from __future__ import` in the candidate also applies to the checks, as between cells.
        self._flags |= code.co_flags & _FUTURE
        return code

    def _remember(self, value: Any, source: str) -> bool:
        """Set ``_``, ``__`` and ``___``, not ``Out``; False for a value that is not shown."""
        if value is None or source.rstrip().endswith(";"):
            return False
        hook = self._shell.displayhook
        cache, hook.do_full_cache = hook.do_full_cache, 0
        hook.update_user_ns(value)
        hook.do_full_cache = cache
        return True
