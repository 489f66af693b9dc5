"""Stand-ins for objects of the candidate: they have what its classes have, no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from judge_and_worker import judged

from jupyterlab_refine.kernel.judge import judge_peer
from jupyterlab_refine.kernel.judge.exchange import plain, stubs
from jupyterlab_refine.kernel.judge.exchange.peer import Unconfirmable

CANDIDATE = """
class Plain:
    def __init__(self, n): self.n = n
    def more(self, by=1): self.n += by; return self
class Bag: pass
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[judge_peer.Judge]:
    with judged(CANDIDATE) as made:
        yield made


@pytest.fixture
def of(judge: judge_peer.Judge) -> Callable[[str], Any]:
    judge.notes, judge.problems = [], []
    return lambda name: judge.ask("name", name)


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


def test_a_structure_of_the_notebook_gets_no_methods() -> None:
    class Config:
        def check(self) -> bool:
            return True

        limit = property(lambda self: 5)

    made = Config()
    stubs.fill(made, {"tol": 1})
    assert made.tol == 1 and made.check()
    for key in ("check", "limit", "__class__", "__dict__", 5):
        with pytest.raises(plain.BadData):
            stubs.fill(made, {key: lambda: False})
