#!/usr/bin/env bash
# Finds or installs a Chromium for the browser tests, by the means at hand.
# Writes its path to .make/chromium; empty means Playwright's own.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .make

use() { echo "$1" > .make/chromium; echo "Browser tests use ${1:-the Chromium of Playwright}."; exit 0; }

[ -n "${REFINE_CHROMIUM:-}" ] && use "$REFINE_CHROMIUM"
own=$(node -e 'try { console.log(require("playwright-core").chromium.executablePath()) } catch { }' 2> /dev/null)
[ -n "$own" ] && [ -x "$own" ] && use ''
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  path=$(command -v "$name") && use "$path"
done
echo "No Chromium found; trying Playwright's download …"
timeout 300 jlpm playwright install chromium > .make/playwright-install.log 2>&1 && use ''
if command -v apt-get > /dev/null; then
  sudo=''; [ "$(id -u)" = 0 ] || sudo='sudo -n'
  echo "That failed; trying Debian's chromium …"
  $sudo apt-get update -qq > .make/apt.log 2>&1
  $sudo apt-get install -y -qq --no-install-recommends chromium >> .make/apt.log 2>&1
  path=$(command -v chromium) && use "$path"
fi
echo "make: no Chromium for the browser tests. Install one (apt-get install chromium), or name one: REFINE_CHROMIUM=/path/to/chromium make test" >&2
exit 1
