"""Bodies of errors."""

from __future__ import annotations

import time

import pytest

from jupyterlab_refine.providers.errors import error_body


class TestErrorBodies:
    @pytest.mark.parametrize("text", ["exceeds the ", "exceed the context", "max_tokens", "exceeds the   "])
    def test_a_long_message_takes_no_time(self, text):
        started_at = time.process_time()
        error_body.is_context({"message": text * 200_000})
        assert time.process_time() - started_at < 1

    def test_only_the_start_of_a_message_is_read(self):
        assert error_body.is_context({"message": "x " * 1000 + "maximum context"})
        assert not error_body.is_context({"message": "x " * 3000 + "maximum context"})
