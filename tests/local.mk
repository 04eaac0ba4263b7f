# SPDX-License-Identifier: Apache-2.0
include tests/unit/local.mk
include tests/fake/local.mk
include tests/cases/local.mk
include tests/slurm/local.mk
include tests/fuzz/local.mk
include tests/meta/local.mk
include tests/cli/local.mk
include tests/browser/local.mk
include tests/device/local.mk
include tests/fabric/local.mk
include tests/report/local.mk
include tests/bench/local.mk
include tests/watch/local.mk
include tests/vm/local.mk
