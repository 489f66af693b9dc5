"""An OpenAI-compatible server that always writes the same code, at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def writing(code: str) -> Iterator[str]:
    """Serve until the block ends; yields the base URL."""
    text = f"```python\n{code}\n```"
    parts = [{"delta": {"content": text}, "index": 0}, {"delta": {}, "index": 0, "finish_reason": "stop"}]
    lines = [f"data: {json.dumps({'choices': [part]})}\n\n" for part in parts]
    answer = "".join([*lines, "data: [DONE]\n\n"]).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send("application/json", b'{"data": [{"id": "bench"}]}')

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._send("text/event-stream", answer)

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
