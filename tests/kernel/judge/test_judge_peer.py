"""What a forged question may have the judge do, and what a forged answer becomes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

import pytest
from processes import start_child

from jupyterlab_refine.kernel.judge import judge_peer, worker
from jupyterlab_refine.kernel.judge.exchange import wire
from jupyterlab_refine.kernel.judge.exchange.peer import Unconfirmable


class Asked:
    """One that a check has passed in."""

    public = 5
    _private = 6

    def method(self, n: int = 1) -> int:
        return n + 1


@pytest.fixture
def judge() -> Any:
    left, right = socket.socketpair()
    made = judge_peer.Judge(wire.Link(left), {"secret": 42}, {})
    yield made
    left.close()
    right.close()


def generator() -> Any:
    yield 1


def traced() -> Any:
    try:
        raise ValueError
    except ValueError as error:
        return error.__traceback__


async def coroutine() -> None:
    return None


FRAME_OWNERS = {
    "gi_frame": generator, "gi_code": generator, "cr_frame": coroutine, "f_back": sys._getframe,
    "f_globals": sys._getframe, "f_locals": sys._getframe, "tb_frame": traced, "tb_next": traced,
}  # fmt: skip
HIDDEN = (
    "__globals__ __code__ __closure__ __dict__ __class__ __subclasses__ __mro__ __self__ __builtins__ "
    "__init__ __reduce__ __getattribute__ __wrapped__ _private __defaults__ __loader__"
).split()


@pytest.mark.parametrize("operation", ["get", "set", "delete", "method", "operator"])
@pytest.mark.parametrize("name", HIDDEN)
def test_dunder_and_private_names_are_refused(judge: Any, operation: str, name: str) -> None:
    arguments = {"set": (5,), "method": ((), {}), "operator": ((),)}.get(operation, ())
    for value in (Asked(), Asked, Asked().method, generator):
        judge._handles[id(value)] = 1
        with pytest.raises((AttributeError, TypeError)):
            judge.perform(operation, (value, name, *arguments))


@pytest.mark.parametrize("name", FRAME_OWNERS)
def test_frames_are_refused(judge: Any, name: str) -> None:
    owner = FRAME_OWNERS[name]()
    judge._handles[id(owner)] = 1
    with pytest.raises(AttributeError):
        judge.perform("get", (owner, name))
    if hasattr(owner, "close"):
        owner.close()


def test_modules_are_not_read(judge: Any) -> None:
    judge._handles[id(os)] = 1
    for operation, *arguments in (("operator", "__eq__", (1,)), ("operator", "__dir__", ())):
        with pytest.raises(AttributeError):
            judge.perform(operation, (os, *arguments))


@pytest.mark.parametrize(
    "operation", ["eval", "name", "module", "patch", "measure", "unpickle", "pickle", "names", ""]
)
def test_operations_of_the_worker_are_refused(judge: Any, operation: str) -> None:
    with pytest.raises(AttributeError):
        judge.perform(operation, ("secret",))


@contextlib.contextmanager
def judged(source: str, **known: Any) -> Iterator[judge_peer.Judge]:
    """The judge of this candidate.

    :param known: what both processes have from the notebook.
    """
    ours, theirs = socket.socketpair()
    ours.settimeout(20)
    namespace = {"__name__": "__main__", **known}

    def work() -> None:
        ours.close()
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        # As in a kernel: where classes are found when they are pickled.
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        vars(module).update(namespace)
        before = dict(vars(module))
        exec(compile(source, "<candidate>", "exec"), vars(module))
        worker.Worker(wire.Link(theirs), vars(module), before, loop).run()

    pid = start_child(work)
    theirs.close()
    try:
        yield judge_peer.Judge(wire.Link(ours), {"__name__": "__main__", **known}, known)
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        os.waitpid(pid, 0)


def test_only_public_names_of_what_was_passed_in_are_granted(judge: Any) -> None:
    mine: Any = Asked()
    with judged("def use(x): return [x.public, x.method(4), len(x.items), isinstance(x, type(x))]") as asking:
        mine.items = [1, 2]
        assert asking.ask("name", "use")(mine) == [5, 5, 2, True]
        assert asking.perform("get", (mine, "public")) == 5
    with pytest.raises(AttributeError):
        judge.perform("get", (mine, "public"))


def test_a_callback_may_run_a_coroutine_of_the_candidate() -> None:
    with judged("async def double(n): return 2 * n\ndef apply(f, n): return f(n)") as asking:
        apply, double = (asking.ask("name", name) for name in ("apply", "double"))
        assert apply(lambda n: asyncio.run(double(n)), 3) == 6


def test_random_states_are_read_only_where_a_check_sets_a_seed() -> None:
    with judged("import numpy\nnumpy.random.get_state = None\ndef f(): return 6") as asking:
        assert asking.ask("name", "f")() == 6


#: Kind, result, changed arguments, what goes with it.
FORGED: list[Any] = [
    *(("ok", ["h", 1], [], None), ("ok", ["u", "secret"], [], None), ("ok", ["y", 1], [], None)),
    *(("ok", ["g", "os", "system"], [], None),),
    *(("raise", 5, [], None), ("raise", ["g", "builtins", "int"], [], None)),
    *(("ok", ["k", "1.1."], [], None), ("ok", ["nope"], [], None), ("ok", [[]], [], None)),
    *(("ok", 1, [[0, ["l", []]]], None), ("ok", 1, [["x"]], None), ("ok", 1, 5, None)),
    ("ok", 1, [], [[["secret", 5]], "", "", [], None]),
    *(("ok", ["h", 1, {"operators": ["__class__"]}], [], None), ("ok", ["h", "x", {}], [], None)),
    ("ok", ["h", 1, {"operators": [], "class": "a b"}], [], None),
    *(("ok", ["h", 1, {}], [], None), ("ok", ["h", 1, {"operators": "__len__"}], [], None)),
    ("ok", ["h", 1, {"operators": [], "name": "f", "of": ["g", "builtins", "ValueError"]}], [], None),
    (
        "ok",
        ["h", 1, {"operators": [], "class": "A", "bases": [["g", "unittest.case", "TestCase"]]}],
        [],
        None,
    ),
    *(("ok", ["o", ["g", "builtins", "int"], []], [], None), ("ok", ["=", "x", 1], [], None)),
    *(
        ("ok", ["en", ["g", "builtins", "int"], "x"], [], None),
        ("ok", ["nt", ["g", "builtins", "int"], []], [], None),
    ),
    ("raise", ["e", ["g", "builtins", "ValueError"], 5, 5, 5], [], None),
    ("raise", ["e", ["g", "builtins", "UnicodeDecodeError"], [], [], ""], [], None),
    ("raise", ["e", ["g", "builtins", "ValueError"], [], [["x"]], ""], [], None),
    *(("ok", ["m", "__main__"], [], None), ("ok", 1, [], [[], "", "", [[1]], None])),
]


def answered(*parts: Any, numbered: bool = True) -> Any:
    """What a judge makes of this answer to its first question."""
    ours, theirs = socket.socketpair()
    ours.settimeout(2)
    judge = judge_peer.Judge(wire.Link(ours), {"secret": 42, "__name__": "__main__"}, {"n": 1})
    link = wire.Link(theirs)

    def answer() -> None:
        (_, number, *_), _ = link.receive()
        link.send([parts[0], number, *parts[1:]] if numbered else parts, [])

    answering = threading.Thread(target=answer)
    answering.start()
    try:
        found = judge.ask("name", "x")
        if judge.problems:
            raise Unconfirmable
        return found
    finally:
        answering.join()
        ours.close()
        theirs.close()
        assert judge.namespace["secret"] == 42


def test_an_answer_that_is_one_is_taken() -> None:
    """The test below can fail."""
    assert answered("ok", ["l", [5]], [], None) == [5]


@pytest.mark.parametrize("tree", FORGED, ids=str)
def test_a_forged_answer_cannot_be_confirmed(tree: Any) -> None:
    with pytest.raises(Unconfirmable):
        answered(*tree)


@pytest.mark.parametrize("number", [None, "1", 10**9, []], ids=str)
@pytest.mark.parametrize("kind", ["ok", "raise", "nope", []], ids=str)
def test_a_forged_kind_or_number_cannot_be_confirmed(kind: Any, number: Any) -> None:
    with pytest.raises(Unconfirmable):
        answered(kind, number, ["l", [5]], [], None, numbered=False)


def test_noise_on_the_road_cannot_be_confirmed() -> None:
    ours, theirs = socket.socketpair()
    judge = judge_peer.Judge(wire.Link(ours), {}, {})
    theirs.sendall(b"no message at all, but long enough to be read as the head of one")
    with pytest.raises(Unconfirmable):
        judge.ask("name", "x")
