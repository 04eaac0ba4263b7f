# SPDX-License-Identifier: Apache-2.0
# The command as a person uses it: shell, TAP by lib.sh.
cli_tests =
cli_tests += tests/cli/ack.t
cli_tests += tests/cli/check.t
cli_tests += tests/cli/device.t
cli_tests += tests/cli/doctor.t
cli_tests += tests/cli/explain.t
cli_tests += tests/cli/install.t
cli_tests += tests/cli/pages.t
cli_tests += tests/cli/policy.t
cli_tests += tests/cli/report.t
cli_tests += tests/cli/publish.t
cli_tests += tests/cli/quiet.t
cli_tests += tests/cli/setup.t
cli_tests += tests/cli/switch.t
cli_tests += tests/cli/usage.t

TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests)
EXTRA_DIST += tests/cli/lib.sh
EXTRA_DIST += tests/quiet.sh
tests/cli/ack.log: assay
tests/cli/check.log: assay
tests/cli/device.log: assay tests/device/device
tests/cli/doctor.log: assay assay-prolog
tests/cli/explain.log: assay
tests/cli/install.log: all-am
tests/cli/pages.log: assay
tests/cli/policy.log: assay
tests/cli/publish.log: assay
tests/cli/switch.log: assay assay-prolog
tests/cli/usage.log: assay
