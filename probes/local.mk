# SPDX-License-Identifier: Apache-2.0
# Active probes: part of libchecks.a, below the checks that judge them.
libchecks_a_SOURCES += probes/fatbin.c
libchecks_a_SOURCES += probes/kernels.h
libchecks_a_SOURCES += probes/kernels_host.c

# One source for nvcc and, by kernels_host.c, for the C compiler.
KERNELS_CU =
KERNELS_CU += probes/kernels.cu
KERNELS_CU += probes/kernels_gemm.h
KERNELS_CU += probes/kernels_lang.h
KERNELS_CU += probes/kernels_mem.h
KERNELS_CU += probes/kernels_mma.h
KERNELS_CU += probes/kernels_sdc.h
EXTRA_DIST += $(KERNELS_CU)
libchecks_a_SOURCES += probes/conditions.c probes/conditions.h
libchecks_a_SOURCES += probes/crew.c probes/crew.h
libchecks_a_SOURCES += probes/device.c probes/device.h
libchecks_a_SOURCES += probes/gemm.c
libchecks_a_SOURCES += probes/measure.c probes/measure.h
libchecks_a_SOURCES += probes/membw.c
libchecks_a_SOURCES += probes/pcie_bw.c
libchecks_a_SOURCES += probes/peer.c
libchecks_a_SOURCES += probes/pinned.c probes/pinned.h
libchecks_a_SOURCES += probes/sm_digests.c probes/sm_digests.h
libchecks_a_SOURCES += probes/worker.c probes/worker.h
