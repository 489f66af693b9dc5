"""A kernel of another language: assignments and ``stopifnot`` of R, no fork, no Python."""

from __future__ import annotations

from typing import Any

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class SmallRKernel(Kernel):
    """Runs ``name <- expression`` and ``stopifnot(expression)``."""

    implementation = "small-r"
    implementation_version = "1"
    language_info = {"name": "R", "mimetype": "text/x-r-source", "file_extension": ".r"}
    banner = "small R"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.values: dict[str, Any] = {"TRUE": True, "FALSE": False}

    def do_execute(self, code: str, silent: bool, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Run each line; the first that fails ends it."""
        try:
            for line in code.splitlines():
                self._run(line.split("#")[0].strip())
        except Exception as error:
            content = {"ename": "Error", "evalue": str(error), "traceback": [f"Error: {error}"]}
            self.send_response(self.iopub_socket, "error", content)
            return {"status": "error", "execution_count": self.execution_count, **content}
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": [],
            "user_expressions": {},
        }

    def _run(self, line: str) -> None:
        if "<-" in line:
            name, _, expression = line.partition("<-")
            self.values[name.strip()] = self._value(expression)
        elif line.startswith("stopifnot(") and line.endswith(")"):
            if self._value(line[len("stopifnot(") : -1]) is not True:
                raise ValueError(f"{line[len('stopifnot(') : -1]} is not TRUE")
        elif line:
            self._value(line)

    def _value(self, expression: str) -> Any:
        return eval(expression, {"__builtins__": {}}, self.values)


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=SmallRKernel)
