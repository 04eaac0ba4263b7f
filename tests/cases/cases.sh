#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All cases of this directory, against the programs of the build tree.
here=$(dirname "$0")
run_case=$here/../run-case

set --
for f in "$here"/*/case.json; do
	set -- "$@" "${f%/case.json}"
done
exec "$here/../python.sh" "$run_case" -j 3 "$@"
