# SPDX-License-Identifier: Apache-2.0
# Active probes: part of libchecks.a, below the checks that judge them.
libchecks_a_SOURCES += probes/kernels.h
