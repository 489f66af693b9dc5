#!/usr/bin/env bash
# Makes .venv with the locked Python packages. Uses what is at hand: venv with
# ensurepip, uv, virtualenv, or venv without pip and the system's pip.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

command -v "$python" > /dev/null || {
  echo "make: '$python' was not found. Install Python 3.10 or newer, or name one: make PYTHON=/path/to/python3" >&2
  exit 1
}
"$python" - << 'CHECK' || exit 1
import sys
if sys.version_info < (3, 10):
    sys.exit("make: Python %d.%d is too old, 3.10 or newer is needed. Name another: make PYTHON=/path/to/python3" % sys.version_info[:2])
CHECK

install() { "$@" --quiet -r requirements-dev.txt; }

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c 'import sys' 2> /dev/null; then
  rm -rf .venv
  if "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    "$python" -m venv .venv
  elif command -v uv > /dev/null; then
    uv venv --quiet --seed --python "$python" .venv
  elif "$python" -m virtualenv --version > /dev/null 2>&1; then
    "$python" -m virtualenv --quiet .venv
  elif "$python" -c 'import venv, pip' 2> /dev/null; then
    "$python" -m venv --without-pip .venv
    install "$python" -m pip --python .venv/bin/python install pip
  else
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "make: this Python has neither ensurepip nor virtualenv. Run: sudo apt-get install python$version-venv   (or: $python -m pip install --user virtualenv), then make again." >&2
    exit 1
  fi
fi
echo "Installing the locked Python packages into .venv …"
install .venv/bin/python -m pip install --disable-pip-version-check
