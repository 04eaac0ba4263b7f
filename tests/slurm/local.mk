# SPDX-License-Identifier: Apache-2.0
# Suites over a real Slurm: run by ./setup test, not by make check.
EXTRA_DIST += \
	tests/all \
	tests/slurm/cluster \
	tests/slurm/lib.sh \
	tests/slurm/smoke.t

# The simulated hardware alone, for the suites and the demo.
.PHONY: fakes
fakes: $(check_LTLIBRARIES)
