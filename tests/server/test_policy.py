"""What an administrator allows."""

from __future__ import annotations

import pytest

from jupyterlab_refine.policy import Policy, read_policy


class TestPolicy:
    def test_the_defaults_allow_what_one_user_needs(self):
        assert read_policy({}) == Policy()
        assert Policy().as_json()["allowKeyFromPanel"] is True
        assert Policy().as_json()["refineGradedCells"] is False

    @pytest.mark.parametrize(
        ("value", "part"),
        [
            ({"max_attempt": 3}, "unknown max_attempt"),
            ({"allow_key_from_panel": "no"}, "must be True or False, not 'no'"),
            ({"allow_key_from_panel": 0}, "must be True or False"),
            ({"max_attempts": 0}, "positive whole number"),
            ({"max_attempts": True}, "positive whole number"),
            ({"max_tokens": "many"}, "positive whole number"),
        ],
    )
    def test_a_value_that_says_nothing_is_refused(self, value, part):
        with pytest.raises(ValueError, match=part):
            read_policy(value)
