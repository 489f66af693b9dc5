#!/usr/bin/env bash
# Finds or installs a Chromium for the browser tests, by the means at hand.
# Writes its path to .make/chromium; empty means Playwright's own.
set -uo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .make

use() {
  echo "$1" > .make/chromium
  echo "Browser tests use ${1:-the Chromium of Playwright}."
  exit 0
}
# A browser whose system libraries are missing is there, but does not start.
runs() { [ -n "$1" ] && timeout 60 "$1" --version > /dev/null 2>&1; }
of_playwright() { node -e 'console.log(require("playwright-core").chromium.executablePath())' 2> /dev/null; }
of_system() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    runs "$(command -v "$name")" && command -v "$name" && return
  done
  return 1
}

if [ -n "${REFINE_CHROMIUM:-}" ]; then
  runs "$REFINE_CHROMIUM" && use "$REFINE_CHROMIUM"
  echo "make: REFINE_CHROMIUM is $REFINE_CHROMIUM, which does not start." >&2
  exit 1
fi
runs "$(of_playwright)" && use ''
path=$(of_system) && use "$path"

echo "No Chromium found; trying Playwright's download …"
timeout 300 jlpm playwright install chromium
runs "$(of_playwright)" && use ''
if command -v apt-get > /dev/null; then
  sudo=''
  [ "$(id -u)" = 0 ] || sudo='sudo -n'
  echo "That failed; trying Debian's chromium …"
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
  path=$(of_system) && use "$path"
fi
echo "make: no Chromium for the browser tests. Install one (apt-get install chromium), or name one: REFINE_CHROMIUM=/path/to/chromium make test" >&2
exit 1
