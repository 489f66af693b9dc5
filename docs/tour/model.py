"""A model server for the tour, without a model: it plays the recorded answers of answers.json.

Run ``python docs/tour/model.py`` and start Jupyter with ``OPENAI_BASE_URL=http://127.0.0.1:8899/v1``.
It needs no key and nothing but Python. Every other task gets an error that says so.
"""

from __future__ import annotations

import argparse
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "recorded-tour"
TASKS = json.loads((Path(__file__).parent / "answers.json").read_text(encoding="utf-8"))


def answer_to(messages: list[dict[str, Any]]) -> str | None:
    """The recorded answer that comes next; None for a task that is not the tour's."""
    text = "\n".join(str(message.get("content", "")) for message in messages)
    tasks = [task for task in TASKS if task["asks"] in text]
    if text.startswith("You answer questions"):
        explained = [task["explanation"] for task in tasks if "explanation" in task]
        return explained[0] if explained else None
    if text.startswith("You write the checks"):
        return None
    if not tasks:
        return None
    # The task is the last in its prompt, behind those of cells above; an error counts wherever it is.
    answers = max(tasks, key=lambda task: (bool(task.get("error")), text.rindex(task["asks"])))["answers"]
    # Attempts that the prompt reports are over: it quotes them, or says what they gave.
    done = [n for n, answer in enumerate(answers, 1) if "\n".join(answer["code"]) in text]
    reported = text.count("\n- attempt ") + ("An earlier program was wrong." in text)
    answer = answers[min(max(reported, *done, 0), len(answers) - 1)]
    code = "\n".join(answer["code"])
    return f"{answer['thought']}\n\n```python\n{code}\n```\n"


class Handler(BaseHTTPRequestHandler):
    """OpenAI's routes for models and streamed chat completions."""

    #: Seconds between two pieces of an answer.
    delay = 0.04

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = answer_to(body.get("messages", []))
        if answer is None:
            message = "This server has recorded answers for docs/tour/tour.ipynb only, none for this task."
            self._json(400, {"error": {"message": message}})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        pieces = [answer[at : at + 12] for at in range(0, len(answer), 12)]
        for piece in pieces:
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            time.sleep(self.delay)
        usage = {"prompt_tokens": 0, "completion_tokens": len(pieces), "total_tokens": len(pieces)}
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """No line for each request."""

    def _event(self, chunk: dict[str, Any]) -> None:
        data = {"id": "tour", "object": "chat.completion.chunk", "model": MODEL, **chunk}
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def _json(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays the recorded answers of the tour.")
    parser.add_argument("--port", type=int, default=8899)
    port = parser.parse_args().port
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"OPENAI_BASE_URL=http://127.0.0.1:{server.server_port}/v1", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
