# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libchecks.la
libchecks_la_LIBADD = libassay.la
libchecks_la_SOURCES =
libchecks_la_SOURCES += checks/check.h
libchecks_la_SOURCES += checks/checks.c
libchecks_la_SOURCES += checks/checks.def
libchecks_la_SOURCES += checks/gpu_count.c
libchecks_la_SOURCES += checks/gpu_driver.c
libchecks_la_SOURCES += checks/gpu_each.c
libchecks_la_SOURCES += checks/gpu_each.h
libchecks_la_SOURCES += checks/gpu_ecc.c
libchecks_la_SOURCES += checks/gpu_pcie.c
libchecks_la_SOURCES += checks/gpu_recovery.c
libchecks_la_SOURCES += checks/gpu_remap.c
libchecks_la_SOURCES += checks/result.c
