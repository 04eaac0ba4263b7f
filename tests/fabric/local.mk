# SPDX-License-Identifier: Apache-2.0
# A subnet by ibsim: run by ./setup test, not by make check.
EXTRA_DIST += tests/fabric/lib.sh
EXTRA_DIST += tests/fabric/root-of
EXTRA_DIST += tests/fabric/subnet.t
