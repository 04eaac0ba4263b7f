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
