#!/bin/sh
# Sees to a Chromium and its driver for the tests in this folder: uses those that are installed, and installs Debian's
# where it may. Where neither is possible the tests say so and are skipped.
set -u

found() {
    { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null 2>&1 &&
        command -v chromedriver >/dev/null 2>&1
}

found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing chromium and chromium-driver for the tests of pages ..."
    export DEBIAN_FRONTEND=noninteractive
    { apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core; }; } >/dev/null 2>&1
fi
found || echo "No Chromium with its driver here: the tests of pages will be skipped. Install chromium and chromium-driver."
exit 0
