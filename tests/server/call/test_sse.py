"""Events are found in the bytes of a stream, however they are cut."""

from __future__ import annotations

import time

import pytest

from jupyterlab_refine.providers.call.chat import EventTooLong, SseDecoder


class TestSse:
    BODY = (
        b': hi\r\ndata: {"a": 1}\r\n\r\nevent: x\r\ndata: one\r\ndata:two\n\n\n\n'
        b"data: \xe2\x80\xa8\xc2\x85\r\rdata: rest"
    )
    EVENTS = ['{"a": 1}', "one\ntwo", "\u2028\x85", "rest"]

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
    def test_however_the_bytes_are_torn(self, size):
        decoder = SseDecoder()
        events = []
        for start in range(0, len(self.BODY), size):
            events += decoder.feed(self.BODY[start : start + size])
        assert events + decoder.end() == self.EVENTS

    @pytest.mark.parametrize(
        "line", [b"x" * 1_000_000, b"data: " + b"x" * 999_993 + b"\n", b"data:\n" * 300_000]
    )
    def test_something_endless_is_given_up(self, line):
        decoder = SseDecoder()
        with pytest.raises(EventTooLong):
            for _ in range(10):
                decoder.feed(line)

    def test_a_long_event_in_single_bytes_takes_linear_time(self):
        decoder = SseDecoder()
        started_at = time.process_time()
        for _ in range(500_000):
            decoder.feed(b"x")
        assert time.process_time() - started_at < 5
