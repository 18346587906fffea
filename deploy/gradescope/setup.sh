#!/usr/bin/env bash
# Gradescope calls this once, as root, when it makes the image.
set -euo pipefail
source="${AUTOGRADER:-/autograder}/source"
apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
(cd "$source/headstart" && python3 bootstrap.py)
. "$source/settings"
# A submission with nothing in it: it shows here whether a sandbox can start, and keeps what later ones need.
cd "$source/course"
"$source/headstart/.venv/bin/headstart" grade "$LESSON" $OPTIONS \
    --once "$source/headstart/release/$LESSON" --json > /dev/null
