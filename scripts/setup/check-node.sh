#!/usr/bin/env bash
# Node 20 or newer builds the extension and runs the command line.
set -euo pipefail
way_out="Install Node 20 or newer (nodejs.org, your package manager, or without root: conda install nodejs, nvm install 22), then make again."
command -v node > /dev/null || {
  echo "make: Node was not found. $way_out" >&2
  exit 1
}
major=$(node --print 'process.versions.node.split(".")[0]') || {
  echo "make: $(command -v node) does not run. $way_out" >&2
  exit 1
}
[ "$major" -ge 20 ] || {
  echo "make: Node $(node --version) ($(command -v node)) is too old. $way_out" >&2
  exit 1
}
