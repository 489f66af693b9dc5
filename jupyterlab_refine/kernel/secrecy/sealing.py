"""Texts that one process alone can read: hold-outs and scorer on their way through the kernel to the judge.

The kernel is forked for each attempt, freed memory included, so it must never hold these texts. The judge,
from which no attempt is forked, makes a key; the client seals the texts for it (``sealing.ts``), and the
kernel passes on what it cannot read. Keys: Diffie-Hellman in group 14 of RFC 3526. Text: a SHAKE-256 stream,
and a SHAKE-256 tag.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from typing import Any

_PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
    "15728E5A8AACAA68FFFFFFFFFFFFFFFF",
    16,
)
_GENERATOR = 2
_NUMBER_BYTES = 256
_SECRET_BYTES = _TAG_BYTES = 32


class Opener:
    """A key of this process, which must not fork one that runs a candidate afterwards."""

    def __init__(self) -> None:
        self._secret = int.from_bytes(os.urandom(_SECRET_BYTES), "big")
        #: To be sent to the client: hexadecimal.
        self.key = _bytes(pow(_GENERATOR, self._secret, _PRIME)).hex()

    def open(self, sealed: dict[str, str]) -> Any:
        """What the client sealed: plain JSON data.

        :param sealed: ``from`` (the client's public number) and ``text``, both hexadecimal.
        :raises ValueError: when it was sealed for another key, or changed.
        """
        sender, content = bytes.fromhex(sealed["from"]), bytes.fromhex(sealed["text"])
        number = int.from_bytes(sender, "big")
        if not 1 < number < _PRIME - 1:
            raise ValueError("the sender's number is out of range")
        shared = _bytes(pow(number, self._secret, _PRIME)) + bytes.fromhex(self.key) + sender
        text, tag = content[:-_TAG_BYTES], content[-_TAG_BYTES:]
        if not hmac.compare_digest(tag, hashlib.shake_256(b"tag" + shared + text).digest(_TAG_BYTES)):
            raise ValueError("sealed for another process")
        stream = hashlib.shake_256(b"key" + shared).digest(len(text))
        plain = int.from_bytes(text, "big") ^ int.from_bytes(stream, "big")
        return json.loads(plain.to_bytes(len(text), "big"))


def _bytes(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")
