#!/usr/bin/env bash
# Gradescope calls this once, as root, when it makes the image.
set -euo pipefail
source="${AUTOGRADER:-/autograder}/source"
apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
python3 "$source/headstart/bootstrap.py" env
. "$source/settings"
# The solutions: it shows here whether a sandbox can start.
cd "$source/course"
"$source/headstart/.venv/bin/headstart" $COURSE grade "$LESSON" $OPTIONS --once "source/$LESSON" --json > /dev/null
