# SPDX-License-Identifier: Apache-2.0
# Measurements of a real card, and what makes a report of them.
EXTRA_DIST += tests/device/rdma.py
EXTRA_DIST += tests/device/rig.py
EXTRA_DIST += tests/device/run
EXTRA_DIST += tests/device/tuned-copy
check_PROGRAMS += tests/device/device
tests_device_device_SOURCES = tests/device/device.c
tests_device_device_SOURCES += tests/device/fields.c
tests_device_device_SOURCES += tests/device/gpm.c
tests_device_device_SOURCES += tests/device/info.c
tests_device_device_SOURCES += tests/device/kernels.c
tests_device_device_SOURCES += tests/device/onerank.c
tests_device_device_SOURCES += tests/device/phases.c
tests_device_device_SOURCES += tests/device/rates.c
tests_device_device_SOURCES += tests/device/record.c
tests_device_device_SOURCES += tests/device/record.h
tests_device_device_SOURCES += tests/device/record_fields.c
tests_device_device_SOURCES += tests/device/record_nvml.c
tests_device_device_SOURCES += tests/device/rig.c
tests_device_device_SOURCES += tests/device/rig.h
tests_device_device_LDADD = libchecks.a $(ASSAY_LIBS)
