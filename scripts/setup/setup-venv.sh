#!/usr/bin/env bash
# Makes a virtual environment with locked packages, by what is at hand: venv with
# ensurepip, uv, virtualenv, or venv without pip and the pip of the system.
#   scripts/setup/setup-venv.sh FOLDER [ARGUMENT OF pip install]…
# PYTHON names the interpreter.
set -euo pipefail
venv=$1
shift
python="${PYTHON:-python3}"

command -v "$python" > /dev/null || {
  echo "make: '$python' was not found. Install Python 3.10 or newer, or name one: make PYTHON=/path/to/python3" >&2
  exit 1
}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || {
  echo "make: '$python' does not run. Name another: make PYTHON=/path/to/python3" >&2
  exit 1
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "make: Python $version ($(command -v "$python")) is too old, 3.10 or newer is needed. Name another: make PYTHON=/path/to/python3" >&2
  exit 1
}

# Asks for an environment of its own too, so that nothing is ever installed into the system's Python.
has_pip() { "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.prefix == sys.base_prefix)' > /dev/null 2>&1; }

# Each way may fail half-way; the next one starts from nothing.
create() {
  rm -rf "$venv"
  "$@" && has_pip
}
with_ensurepip() { "$python" -c 'import ensurepip, venv' 2> /dev/null && "$python" -m venv "$venv"; }
with_uv() { command -v uv > /dev/null && uv venv --quiet --seed --python "$python" "$venv"; }
with_virtualenv() { "$python" -m virtualenv --version > /dev/null 2>&1 && "$python" -m virtualenv --quiet "$venv"; }
with_system_pip() {
  "$python" -c 'import venv, pip' 2> /dev/null &&
    "$python" -m venv --without-pip "$venv" &&
    "$python" -m pip --python "$venv/bin/python" install --quiet pip
}

# What an interrupted set-up left behind is made again.
has_pip || create with_ensurepip || create with_uv || create with_virtualenv || create with_system_pip || {
  rm -rf "$venv"
  echo "make: $python (Python $version) has neither ensurepip nor virtualenv. Run: sudo apt-get install python$version-venv   (or: $python -m pip install --user virtualenv), then make again." >&2
  exit 1
}
# The first pip that reads the groups of pyproject.toml.
"$venv/bin/python" -m pip install --quiet 'pip>=25.1'
exec "$venv/bin/python" -m pip install --quiet "$@"
