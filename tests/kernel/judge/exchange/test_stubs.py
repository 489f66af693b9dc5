"""Stand-ins for objects of the candidate: they have what its classes have, no more, and say who decided."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from judge_and_worker import judged

from jupyterlab_refine.kernel.judge import judge_peer
from jupyterlab_refine.kernel.judge.exchange import plain, stubs
from jupyterlab_refine.kernel.judge.exchange.peer import Unconfirmable

CANDIDATE = """
import asyncio, collections, dataclasses, functools, typing
def double(x, *, y: int = 1, **more) -> int:
    "Twice."
    return 2 * x
async def later(x):
    await asyncio.sleep(0)
    return x + 1
class Plain:
    kind = 'plain'
    def __init__(self, n): self.n = n
    def more(self, by=1): self.n += by; return self
    @property
    def twice(self): return 2 * self.n
    @classmethod
    def of(cls, n): return cls(n)
    @staticmethod
    def zero(): return 0
class Ordered:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return isinstance(o, Ordered) and self.n == o.n
    def __lt__(self, o): return self.n < o.n
    def __hash__(self): return hash(self.n)
    def __add__(self, o): return Ordered(self.n + getattr(o, 'n', o))
    __radd__ = __add__
    def __iadd__(self, o): self.n += o; return self
    def __sub__(self, o): return self.n - o.n
    def __repr__(self): return f'Ordered({self.n})'
    def __bool__(self): return self.n > 0
class Bag:
    def __init__(self, *items): self.items = list(items)
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __getitem__(self, i): return self.items[i]
    def __setitem__(self, i, v): self.items[i] = v
    def __delitem__(self, i): del self.items[i]
    def __contains__(self, v): return v in self.items
    def __call__(self, v): self.items.append(v)
    def __reversed__(self): return reversed(self.items)
class Stack(list):
    def push(self, v): self.append(v)
    @property
    def top(self): return self[-1]
class Low(dict):
    def __missing__(self, k): return k.lower()
class Name(str):
    def shout(self): return self.upper() + '!'
class Meters(float): pass
class Pair(typing.NamedTuple):
    a: int
    b: int = 2
    def total(self): return self.a + self.b
Point = collections.namedtuple('Point', 'x y')
@dataclasses.dataclass(order=True, frozen=True)
class Item:
    name: str
    price: float = 1.0
    def tax(self): return self.price * 0.5
def counting():
    got = 0
    while got is not None: got = yield got
    return 'done'
def upto(n): yield from range(n)
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if not self.n: raise StopIteration
        self.n -= 1; return self.n
@functools.lru_cache
def cached(n): return n
partial = functools.partial(double, y=3)
compose = lambda f, g: lambda x: f(g(x))
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[judge_peer.Judge]:
    with judged(CANDIDATE) as made:
        yield made


@pytest.fixture
def of(judge: judge_peer.Judge) -> Callable[[str], Any]:
    judge.notes, judge.problems = [], []
    return lambda name: judge.ask("name", name)


def test_functions_look_like_functions(of: Any) -> None:
    double, later = of("double"), of("later")
    assert callable(double) and double(3, y=2, z=1) == 6
    assert (double.__name__, double.__doc__, double.__module__) == ("double", "Twice.", "__main__")
    assert inspect.isfunction(double) and not inspect.isclass(double)
    assert list(inspect.signature(double).parameters) == ["x", "y", "more"]
    assert inspect.signature(double).parameters["y"].default == 1
    assert (inspect.iscoroutinefunction(later), inspect.iscoroutinefunction(double)) == (True, False)
    assert double.__kwdefaults__ == {"y": 1} and double.__code__.co_argcount == 1
    with pytest.raises(TypeError):
        double()
    with pytest.raises(AttributeError):
        _ = double.__globals__
    assert of("partial")(4) == 8 and of("cached")(5) == 5 and of("cached").cache_info().misses == 1
    assert of("compose")(lambda x: x + 1, double)(5) == 11


ABSENT: dict[str, Callable[[Any], Any]] = {
    "len": len,
    "iter": iter,
    "next": next,
    "call": lambda x: x(),
    "item": lambda x: x[0],
    "contains": lambda x: 1 in x,
    "add": lambda x: x + 1,
    "order": lambda x: x < x,
    "int": int,
    "float": float,
    "index": lambda x: [1][x],
    "with": lambda x: x.__enter__(),
    "await": lambda x: x.__await__(),
    "abs": abs,
    "negative": lambda x: -x,
    "round": round,
    "bytes": bytes,
}


@pytest.mark.parametrize("name", ABSENT)
def test_an_operator_that_a_class_has_not_is_not_there(of: Any, name: str) -> None:
    with pytest.raises((TypeError, AttributeError)):
        ABSENT[name](of("Plain")(1))


def test_without_own_operators_objects_compare_by_identity(judge: judge_peer.Judge, of: Any) -> None:
    one, two = of("Plain")(1), of("Plain")(1)
    assert one == one and one != two and len({one, two}) == 2 and bool(one)
    assert judge.notes == []


DECIDING: dict[str, Callable[[Any, Any], Any]] = {
    "__eq__": lambda a, b: a == b,
    "__lt__": lambda a, b: a < b,
    "__sub__": lambda a, b: a - b,
    "__bool__": lambda a, b: not a,
}


@pytest.mark.parametrize("name", DECIDING)
def test_what_the_candidates_class_decides_is_noted(judge: judge_peer.Judge, of: Any, name: str) -> None:
    one, two = of("Ordered")(1), of("Ordered")(2)
    judge.notes.clear()
    DECIDING[name](one, two)
    assert f"`Ordered.{name}` of the candidate's own class decided the result" in judge.notes


def test_subclasses_of_lists_and_dictionaries_stay_over_there(judge: judge_peer.Judge, of: Any) -> None:
    stack = of("Stack")([1, 2])
    stack.push(3)
    stack.append(4)
    stack[0] = 0
    assert [*stack] == [0, 2, 3, 4] and stack.top == 4 and sum(stack) == 9 and stack.pop() == 4
    low = of("Low")(a=1)
    low["b"] = 2
    assert {**low} == {"a": 1, "b": 2} and low["XY"] == "xy" and low.get("q") is None
    assert stack == [0, 2, 3] and low == {"a": 1, "b": 2} and judge.notes == []


def test_subclasses_of_builtins_compute_as_those(judge: judge_peer.Judge, of: Any) -> None:
    name, meters = of("Name")("abc"), of("Meters")(1.5)
    assert (
        name == "abc" and name.shout() == "ABC!" and f"{name}-{name[1]}" == "abc-b" and {"abc": 1}[name] == 1
    )
    assert meters + 1 == 2.5 and round(meters) == 2 and meters == 1.5
    for pair in (of("Pair")(1), of("Point")(1, 2)):
        first, second = pair
        assert (first, second) == pair and (1, 2) == pair and len(pair) == 2 and pair[1] == 2
        assert tuple(pair._replace(**{pair._fields[0]: 5})) == (5, 2)
    assert of("Pair")(3).total() == 5 and of("Pair")._fields == ("a", "b")
    assert judge.notes == []


def test_data_classes(judge: judge_peer.Judge, of: Any) -> None:
    Item = of("Item")
    one = Item("x", price=4.0)
    assert (one.name, one.price, one.tax(), repr(one)) == ("x", 4.0, 2.0, "Item(name='x', price=4.0)")
    assert dataclasses.is_dataclass(Item) and [field.name for field in dataclasses.fields(one)] == [
        "name",
        "price",
    ]
    assert dataclasses.asdict(one) == {"name": "x", "price": 4.0}
    assert Item("a") < Item("b") and Item("a") == Item("a") and len({Item("a"), Item("a")}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.price = 1


def test_generators_and_iterators(of: Any) -> None:
    assert list(of("upto")(3)) == [0, 1, 2] and sum(of("upto")(4)) == 6
    lazy = of("upto")(10**9)
    assert (next(lazy), next(lazy)) == (0, 1) and inspect.isgenerator(lazy)
    lazy.close()
    assert list(lazy) == []
    counting = of("counting")()
    assert (next(counting), counting.send(7)) == (0, 7)
    with pytest.raises(StopIteration) as found:
        counting.send(None)
    assert found.value.value == "done"
    with pytest.raises(KeyError):
        of("counting")().throw(KeyError("k"))
    down = of("Countdown")(3)
    assert iter(down) is down and list(down) == [2, 1, 0] and next(down, None) is None


def test_the_same_object_is_the_same_stub(of: Any) -> None:
    Plain = of("Plain")
    one = Plain(1)
    assert of("Plain") is Plain and one.more() is one and type(one) is Plain
    assert {Plain: 1}[Plain] == 1 and Plain == Plain and Plain != of("Bag")


def test_a_class_of_a_check_cannot_extend_the_candidates(of: Any) -> None:
    with pytest.raises(Unconfirmable, match="a check extends the candidate's class `Plain`"):
        type("Mine", (of("Plain"),), {})


FORGED: dict[str, dict[str, Any]] = {
    **{
        "nothing": {},
        "no operators": {"kind": "function"},
        "an operator that is none": {"operators": ["__class__"]},
    },
    **{
        "operators that are none": {"operators": "__len__"},
        "no class": {"operators": [], "kind": "module", "of": 5},
    },
    "a name that is code": {"operators": [], "class": "a; b", "bases": []},
    "an error's class": {"operators": [], "name": "f", "of": ["g", "builtins", "ValueError"]},
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_description_is_bad_data(judge: judge_peer.Judge, name: str) -> None:
    unpacker = plain.Unpacker([], judge._resolve)
    with pytest.raises(plain.BadData):
        stubs.make(judge, 10**6, FORGED[name], unpacker)
