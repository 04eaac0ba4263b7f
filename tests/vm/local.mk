# SPDX-License-Identifier: Apache-2.0
# Suites in a machine of their own: run by ./setup test and ./setup test-vm, not
# by make check.
EXTRA_DIST += tests/vm/guest
EXTRA_DIST += tests/vm/image
EXTRA_DIST += tests/vm/initrd-init
EXTRA_DIST += tests/vm/lib.sh
EXTRA_DIST += tests/vm/node.t
EXTRA_DIST += tests/vm/rdma.t
EXTRA_DIST += tests/vm/spank.t
EXTRA_DIST += tests/vm/steps
EXTRA_DIST += tests/vm/vm

check_PROGRAMS += tests/vm/look
tests_vm_look_SOURCES = tests/vm/look.c
tests_vm_look_LDADD = libchecks.a $(ASSAY_LIBS)

# What the suites take into the machine.
.PHONY: vm-parts
vm-parts: fakes tests/vm/look
