# SPDX-License-Identifier: Apache-2.0
# Suites over a real Slurm: run by ./setup test, not by make check.
EXTRA_DIST += \
	tests/all \
	tests/foreign \
	tests/tap.sh \
	tests/slurm/ask.sh \
	tests/slurm/accounting.sh \
	tests/slurm/brakes.t \
	tests/slurm/cluster \
	tests/slurm/config.t \
	tests/slurm/controller.t \
	tests/slurm/crowd.t \
	tests/slurm/demo \
	tests/slurm/demo.t \
	tests/slurm/driver.t \
	tests/slurm/epilog.t \
	tests/slurm/etiquette.t \
	tests/slurm/flags.t \
	tests/slurm/gate.t \
	tests/slurm/gres.t \
	tests/slurm/health.t \
	tests/slurm/hold.t \
	tests/slurm/lib.sh \
	tests/slurm/probes.t \
	tests/slurm/publish.t \
	tests/slurm/publisher.sh \
	tests/slurm/quiet.t \
	tests/slurm/restart.t \
	tests/slurm/smoke.t \
	tests/slurm/report.t \
	tests/slurm/spank.t \
	tests/slurm/spank_faults.t \
	tests/slurm/spank_user.t \
	tests/slurm/watch.t

# The simulated hardware alone, for the suites and the demo.
.PHONY: fakes
fakes: $(check_LTLIBRARIES)
