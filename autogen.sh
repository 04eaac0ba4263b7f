#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make configure from configure.ac. Needs autoconf, automake, libtool.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install
