#!/bin/sh
# Makes sure that the browser tests have a Chromium, and prints where it is.
set -eu

find_chromium() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name"; then
            return 0
        fi
    done
    return 1
}

find_chromium && exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    as_root="none"
fi

if command -v apt-get >/dev/null && [ "$as_root" != none ]; then
    echo "Installing Chromium through apt-get (once) …" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # empty means: no prefix
    $as_root apt-get -qq update >&2 </dev/null || true
    # shellcheck disable=SC2086
    $as_root apt-get -qq install -y --no-install-recommends chromium >&2 </dev/null || true
    find_chromium && exit 0
fi

echo "The browser tests need Chromium or Chrome on the PATH, or its path in CHROMIUM." >&2
echo "It could not be installed here: apt-get is missing, failed, or is not allowed." >&2
exit 1
