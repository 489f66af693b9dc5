"""Time limits of an answer."""

from __future__ import annotations

from jupyterlab_refine.providers.call.answer import Timeouts


class TestTimeouts:
    def test_limits_fit_into_the_time_of_a_session(self):
        assert Timeouts().loading < 600
        assert Timeouts().within(None) == Timeouts()
        assert Timeouts().within(100) == Timeouts(first_token=90, stall=60, loading=90)
