"""Frames of JSON over a pipe."""

from __future__ import annotations

import os
import threading

from jupyterlab_refine.warm.frames import Frames


def test_a_frame_is_read_without_the_next() -> None:
    reader, writer = os.pipe()
    sent = Frames(-1, writer)
    sent.write({"text": "\u00e9\ud800"})
    sent.write({"n": 2})
    # As a fork does, which has no bytes of the first reader.
    assert Frames(reader, -1).read() == {"text": "\u00e9\ud800"}
    assert Frames(reader, -1).read() == {"n": 2}


def test_threads_do_not_mix_their_frames() -> None:
    reader, writer = os.pipe()
    sent = Frames(-1, writer)
    texts = [str(n) * 50_000 for n in range(8)]
    threads = [threading.Thread(target=sent.write, args=({"text": text},)) for text in texts]
    for thread in threads:
        thread.start()
    frames = Frames(reader, -1)
    assert sorted((frames.read() or {})["text"] for _ in texts) == texts


def test_an_end_within_a_frame_is_the_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\0\0\0\x09{")
    os.close(writer)
    assert Frames(reader, -1).read() is None
