"""Data that only the judge sees, and the scorer itself, are out of a candidate's reach."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel, collect, job, verdict
from scorer_notebook import HIDDEN, NEARLY, RMSE, score

#: Each leaves values in `found`; none may be one of the hidden data.
ROADS = {
    "names": "found = list(globals().values())",
    "outputs": "found = [*Out.values(), *_oh.values(), _, __, ___, get_ipython().displayhook._]",
    "shown before": "found = [v for k, v in globals().items() if k[:1] == '_' and k[1:].isdigit()]",
    "history": (
        "m = get_ipython().history_manager\n"
        "found = [*m.output_hist.values(), *m.output_hist_reprs.values(), repr(getattr(m, 'outputs', ''))]"
    ),
    "names of the shell": "found = list(get_ipython().user_ns_hidden.values())",
    "garbage collector": (
        "import gc\ngc.unfreeze()\nfound = []\nfor thing in gc.get_objects():\n"
        "    found += [i for i in gc.get_referents(thing) if type(i) in (np.ndarray, pd.Series, list)]"
    ),
    "frames": (
        "import sys\nframe, found = sys._getframe(), []\nwhile frame:\n"
        "    found += list(frame.f_locals.values())\n    frame = frame.f_back"
    ),
    "last error": (
        "import sys\ntrace, found = getattr(sys, 'last_traceback', None), []\nwhile trace:\n"
        "    found += list(trace.tb_frame.f_locals.values())\n    trace = trace.tb_next"
    ),
    "functions": "found = [cell.cell_contents for cell in (maker().__closure__ or ())]",
}


@pytest.fixture(scope="module")
def seen(data: LiveKernel) -> LiveKernel:
    """The user has looked at the data, failed with it, and has it under a second name."""
    data.run("secret_list = [41, 389 / 4]\nsecret = np.array([57, 76]) / 8")
    for code in (
        "secret_list",
        "secret",
        "secret[:1]",
        "[secret]",
        "0, {'a': secret[:1], 'b': [secret_list]}",
        "print(secret, secret_list)",
        "pd.DataFrame({'a': secret}).head()",
        "same = secret",
        "def maker(): return lambda: secret",
    ):
        data.run(code)
    data.run("def fail(s): 1 / 0\nfail(secret)")
    data.run("1 + 1")
    return data


def test_a_second_name_is_reported(seen: LiveKernel) -> None:
    execution = seen.attempt("assert 'same' not in globals()", hiddenData=["secret"])
    assert execution["warnings"] == ["same is the same object as secret, so it is hidden as well"]
    assert execution["status"] == "completed"


@pytest.mark.parametrize("road", ROADS)
def test_hidden_data_is_not_to_be_found(seen: LiveKernel, road: str) -> None:
    candidate = (
        ROADS[road] + "\nhits = []\nfor v in found:\n"
        "    t = repr(v)[:10000] if type(v) in (str, list, dict, tuple, pd.DataFrame) else ''\n"
        "    if '97' + '.25' in t or '7.1' + '25' in t: hits.append(t[:200])\n"
        "    if type(v) is np.ndarray and v.size and v.dtype == float and v.flat[0] == 57 / 8: hits += [v]\n"
        "found = thing = frame = v = m = trace = None"
    )
    source = "def score(ns): return sum(ns['secret']) + ns['secret_list'][1]"
    execution = score(seen, candidate, source, "assert hits == []", hidden=["secret", "secret_list"])
    assert "error" not in execution, execution["error"]
    assert execution["assertions"][0]["outcome"] == "passed", str(execution)[:3000]
    assert execution["scored"]["value"] == 7.125 + 9.5 + 97.25, execution["scored"]


@pytest.mark.parametrize("means", ["landlock", "none"], indirect=True)
def test_on_other_means_of_isolation(seen: LiveKernel, means: str) -> None:
    execution = score(seen, NEARLY, RMSE, hidden=HIDDEN)
    assert execution["isolation"]["files"] != "overlay"
    assert execution["scored"].get("value") == 1.0, execution


def test_checks_do_not_see_it_either(data: LiveKernel) -> None:
    execution = score(data, NEARLY, RMSE, "assert len(y_test) == 10", hidden=HIDDEN)
    assert execution["assertions"][0]["error"]["name"] == "NameError"
    assert "scored" not in execution


def test_nothing_is_hidden_from_the_user(data: LiveKernel) -> None:
    score(data, NEARLY, RMSE, hidden=HIDDEN)
    assert data.run("print(len(X_test), y_test[0])")["text"] == "10 300.0\n"


def test_a_candidate_that_binds_the_names_changes_nothing(data: LiveKernel) -> None:
    candidate = NEARLY + "\nX_test = np.zeros((2, 2))\ny_test = predict(X_test)"
    scored = score(data, candidate, RMSE, hidden=HIDDEN)["scored"]
    assert scored["value"] == 1.0 or scored["confirmed"] is False


def test_the_data_is_that_of_the_start(data: LiveKernel) -> None:
    """The user goes on meanwhile: another cell changes what the scorer will see only next time."""
    data.run("late = [5]")
    fields = {
        "scorer": {"cellId": "s", "source": "def score(ns): return ns['late'][0]"},
        "hiddenData": ["late"],
    }
    started = job("import time\ntime.sleep(1.5)", **fields)
    assert data.start(started, 0)["state"] == "running"
    data.run("late[0] = 6")
    assert collect(data, started["id"])["execution"]["scored"]["value"] == 5.0
    assert score(data, "x = 1", fields["scorer"]["source"], hidden=["late"])["scored"]["value"] == 6.0


def test_hidden_data_need_not_be_copied(data: LiveKernel) -> None:
    data.run("door = open('/dev/null'); key = 3")
    source = "def score(ns): return ns['key'] if not ns['door'].closed else 0"
    execution = score(data, "x = 1", source, "assert x == 1", hidden=["door", "key"])
    assert (execution["scored"]["value"], verdict(execution)) == (3.0, "confirmed")


@pytest.mark.parametrize("source", [RMSE, RMSE.replace("_test", "_train")], ids=["hidden", "open"])
def test_nothing_of_the_scorers_stage_is_shown(data: LiveKernel, source: str) -> None:
    candidate = NEARLY.replace("return", "print('x', X[0, 0]); display(X); open('f', 'w').close(); return")
    execution = score(data, candidate, source, hidden=HIDDEN)
    assert (execution["scored"]["value"], execution["stdout"], execution["displays"]) == (1.0, "", [])
    assert (execution["filesWritten"], execution["denied"]) == ([], [])


# -- secrecy of the scorer itself -----------------------------------------------


def test_its_source_is_not_there_before_the_candidate_has_ended(data: LiveKernel) -> None:
    mark = "MARK" + "-of-the-scorer"
    source = f"def score(ns):\n    note = '{mark}'\n    return 1 if ns['hits'] == [] else 0"
    data.run(source)
    # Until the next request ipykernel keeps the one before.
    data.call("ping")
    candidate = """
import gc, sys, linecache
gc.unfreeze()
found = [*In, repr(globals().get("score")), repr(getattr(globals().get("score"), "__code__", None) and
    score.__code__.co_consts)]
found += ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
for thing in gc.get_objects():
    found += [inner for inner in gc.get_referents(thing) if type(inner) is str and len(inner) > 10]
frame = sys._getframe()
while frame is not None:
    found += [repr(frame.f_code.co_consts)]
    found += [repr(v) for v in frame.f_locals.values() if type(v) in (dict, list) and v is not found]
    frame = frame.f_back
hits = [text[:200] for text in found if "-".join(["MARK", "of", "the"]) in text]
found = thing = frame = None
"""
    execution = score(data, candidate, source)
    data.run("del score")
    assert execution["scored"].get("value") == 1.0, str(execution)[:3000]
