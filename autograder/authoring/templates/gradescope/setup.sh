#!/usr/bin/env bash
# Gradescope runs this once, as root, to build the container.
set -euo pipefail
cd /autograder/source

apt-get update
apt-get install -y --no-install-recommends python3 python3-venv
python3 -m venv /opt/course
# without a GPU, the CPU build of torch saves gigabytes: install it here first, as pytorch.org says
/opt/course/bin/pip install --quiet -c constraints.txt -r requirements.txt WHEELS

# the user that runs submissions, and what it must not read
useradd --create-home USER
mkdir -p /autograder/results
chmod -R go= /autograder/source /autograder/results
