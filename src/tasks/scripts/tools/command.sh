#!/bin/sh
# Installed as pip, pip3, uv and uvx. Each runs in the environment of the task, or in the one that is activated.
name=${0##*/}
exec "${VIRTUAL_ENV:-$SLUICE_PYTHON}/bin/python" "${0%/*}/../programs/packages.py" "${name%3}" "$@"
