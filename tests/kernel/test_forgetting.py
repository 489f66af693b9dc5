"""A child forgets the request it was forked for and what other attempts hold; the user's values stay."""

from __future__ import annotations

import ast
import contextvars
import ctypes
import time
import types
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import zmq
from parts import in_child

from jupyterlab_refine.kernel import forget


def new(*parts: str) -> str:
    """An object of its own, of which no constant is a copy: it is overwritten in place."""
    return "".join(parts)


#: The id of an attempt, as no frame of this file holds it in one piece.
PARTS = ("5f0c", "-attempt-", "77aa")


def secret() -> str:
    return new("assert f(3) == 4  # ", *PARTS)


def blank(text: str | bytes) -> bool:
    return not text.strip()


# What other attempts hold


def test_a_text_that_is_held_twice_stays_a_text() -> None:
    """Its characters are blank after the first time, and tell no more how wide they are."""
    for letter in "a\xe9\u65e5\U0001f389":
        text = new("assert ", letter * 3)
        forget._wipe([text, {"again": text}])
        assert list(text) == [" "] * 10


def test_short_texts_and_names_may_be_shared_and_stay() -> None:
    short, name = new("a ", "+ b"), new("collections_", "of_mine")
    forget._wipe([short, name])
    assert (short, name) == ("a + b", "collections_of_mine")


@pytest.mark.parametrize("kind", [list, dict, set])
def test_what_is_too_short_to_be_overwritten_is_held_no_more(kind: type) -> None:
    """A name, a number."""
    held = kind([("score", 3)])
    forget._wipe([(held,)])
    assert not held


def test_a_tree_of_a_check_tells_nothing_any_more() -> None:
    text, data = new("the goal ", "is 4"), new("the goal ", "is 5").encode()
    tree = ast.parse("assert goal(3) == x")
    tree.body += [ast.Expr(ast.Constant(text)), ast.Expr(ast.Constant(data))]
    nodes = list(ast.walk(tree))
    forget._wipe([tree])
    assert blank(text) and blank(data)
    assert [vars(node) for node in nodes] == [{}] * len(nodes)


def test_a_deep_tree_is_forgotten_to_its_end() -> None:
    """A sum of thousands of terms, say."""
    text = new("the goal ", "is 4")
    node: ast.expr = ast.Constant(text)
    for _ in range(5000):
        node = ast.UnaryOp(ast.Not(), node)
    forget._wipe(node)
    assert blank(text)


# The request


def shell(**parts: Any) -> Any:
    namespace: dict[str, Any] = parts.pop("user_ns", {})
    return SimpleNamespace(user_ns=namespace, user_global_ns=namespace, kernel=SimpleNamespace(**parts))


def test_what_functions_hold_is_forgotten() -> None:
    assert in_child(lambda: _in_frames()) == [True, [], {}]


def _in_frames() -> Any:
    text, inner, table = secret(), [secret(), 3], {"request": secret()}

    def deeper() -> None:
        forget.forget_requests(new(*PARTS), shell())

    deeper()
    return [blank(text), inner, table]


def test_bytes_are_forgotten() -> None:
    def work() -> bool:
        data = secret().encode()
        forget.forget_requests(new(*PARTS), shell())
        return blank(data)

    assert in_child(work)


def test_our_request_is_forgotten_by_its_words() -> None:
    """A spare has no id: it is forked for no attempt yet."""

    def work() -> list[bool]:
        ours, other = new("modules['_jupyterlab", "_refine'].call('x')"), secret()
        forget.forget_requests(None, shell())
        return [blank(ours), blank(other)]

    assert in_child(work) == [True, False]


def test_constants_of_code_that_runs_are_forgotten() -> None:
    def work() -> bool:
        code = compile(f"text = {secret()!r}; forget()", "<cell>", "exec")
        cell = SimpleNamespace(forget=lambda: forget.forget_requests(new(*PARTS), shell()))
        exec(code, vars(cell))
        return blank(cell.text)

    assert in_child(work)


def test_names_of_modules_and_of_the_user_stay() -> None:
    """Frames of cells and modules are not looked at, nor are the user's values where functions hold them."""

    def work() -> list[Any]:
        user_ns = {"mine": [secret()]}
        one = shell(user_ns=user_ns)
        module = SimpleNamespace(theirs=[secret()], one=one, forget=forget, marker=new(*PARTS))
        exec("forget.forget_requests(marker, one)", vars(module))
        return [len(user_ns["mine"]), len(module.theirs), blank(module.theirs[0])]

    assert in_child(work) == [1, 1, False]


def test_containers_of_other_texts_stay() -> None:
    """Only what itself holds the request is emptied."""

    def work() -> Any:
        nested = {"mine": ["an ordinary text", 3], "request": [secret()]}
        forget.forget_requests(new(*PARTS), shell())
        return nested

    assert in_child(work) == {"mine": ["an ordinary text", 3], "request": []}


def test_a_tuple_is_looked_into() -> None:
    def work() -> bool:
        held = (1, (secret(), 2))
        forget.forget_requests(new(*PARTS), shell())
        return blank(held[1][0])

    assert in_child(work)


class Var(SimpleNamespace):
    """As a ``contextvars.Context``."""

    def values(self) -> list[Any]:
        return [self.box.request]


KEPT: dict[str, Callable[[Any], dict[str, Any]]] = {
    "this request": lambda box: {"get_parent": lambda: box.request},
    "the last request of the shell": lambda box: {"_shell_context": Var(box=box)},
}


@pytest.mark.parametrize("where", KEPT)
def test_what_ipykernel_keeps_of_requests_is_forgotten(where: str) -> None:
    """No frame leads to it."""

    def work() -> Any:
        box = SimpleNamespace(request={"content": {"code": secret(), "silent": True}})
        forget.forget_requests(new(*PARTS), shell(**KEPT[where](box)))
        return box.request

    assert in_child(work) == {"content": {}}


def test_what_the_context_of_this_request_holds_is_forgotten() -> None:
    """Beside that of the last, which is there or not."""

    def work() -> list[Any]:
        variable: contextvars.ContextVar[Any] = contextvars.ContextVar("parent")
        box = SimpleNamespace(request={"code": secret()})
        variable.set(box.request)
        found = []
        for kept in (None, Var(box=SimpleNamespace(request={}))):
            box.request["code"] = secret()
            forget.forget_requests(new(*PARTS), shell(_shell_context=kept))
            found.append(box.request)
        return found

    assert in_child(work) == [{}, {}]


def received(data: bytes) -> zmq.Frame:
    """A message as ipykernel gets it: in memory of ZeroMQ's."""
    with zmq.Context() as context, context.socket(zmq.PAIR) as one, context.socket(zmq.PAIR) as other:
        one.bind("inproc://here")
        other.connect("inproc://here")
        one.send(data)
        frame = other.recv(copy=False)
    return frame


def test_a_message_that_was_received_is_forgotten_and_others_stay() -> None:
    def work() -> list[bool]:
        frames = [received(secret().encode()), received(b"an ordinary message"), Frame()]
        # Asked for their bytes, they keep these too.
        box = SimpleNamespace(ours=frames[0].bytes, other=frames[1].bytes)
        forget.forget_requests(new(*PARTS), shell())
        return [blank(part) for part in (box.ours, box.other, *(bytes(frame.buffer) for frame in frames[:2]))]

    assert in_child(work) == [True, False, True, False]


class Frame:
    """Of the user's: not ZeroMQ's."""


def test_memory_that_was_overwritten_is_given_back() -> None:
    data = bytearray(b"assert f(3) == 4")
    forget._overwrite_buffer(ctypes.py_object(data), len(data))
    assert blank(bytes(data))
    # Refused as long as somebody holds it.
    data.append(0)


# How far it is looked


def search(marker: str = "5f0c-") -> forget._Search:
    return forget._Search([marker])


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def test_what_is_nested_deep_is_no_request() -> None:
    """And the user's lists may be nested a hundred thousand deep."""
    one = search()
    one.look(nested(secret(), 8), 0)
    assert len(one.found) == 1
    one.look(nested(secret(), 100_000), 0)
    assert len(one.found) == 1


def test_lists_that_hold_themselves_are_looked_at_once() -> None:
    ring: list[Any] = []
    ring += [ring] * 7
    start = time.monotonic()
    search().look(ring, 0)
    assert time.monotonic() - start < 1


def test_tokens_of_the_parser_are_found_among_the_youngest(monkeypatch: pytest.MonkeyPatch) -> None:
    token, text = secret().encode(), secret()
    looked: list[int] = []

    def objects(generation: int) -> list[Any]:
        looked.append(generation)
        return [[b"other"], {"a": token}, [text], [[text]], [1, token]] if generation == 1 else [[b"other"]]

    monkeypatch.setattr(forget, "gc", SimpleNamespace(get_objects=objects))
    one = search()
    one.look_at_parser()
    assert one.found == [token]
    # The oldest are all that the kernel has.
    assert looked == [0, 1]


def test_tokens_of_the_parser_are_forgotten() -> None:
    def work() -> bool:
        box = SimpleNamespace(tokens=[secret().encode()])
        forget.forget_requests(new(*PARTS), shell())
        return blank(box.tokens[0])

    assert in_child(work)


def test_a_spare_does_not_look_at_all_objects() -> None:
    """The request that it is forked for holds no check."""

    def work() -> str:
        forget.gc = types.SimpleNamespace(get_objects=lambda _: 1 / 0)  # type: ignore[assignment]
        forget.forget_requests(None, shell())
        return "done"

    assert in_child(work)
