# SPDX-License-Identifier: Apache-2.0
# Active probes: part of libchecks.a, below the checks that judge them.
libchecks_a_SOURCES += probes/conditions.c probes/conditions.h
libchecks_a_SOURCES += probes/crew.c probes/crew.h
libchecks_a_SOURCES += probes/device.c probes/device.h
libchecks_a_SOURCES += probes/gemm.c
libchecks_a_SOURCES += probes/gemm_peak.c
libchecks_a_SOURCES += probes/kernels.h
libchecks_a_SOURCES += probes/kernels_host.c
libchecks_a_SOURCES += probes/kernels_native.c
libchecks_a_SOURCES += probes/measure.c probes/measure.h
libchecks_a_SOURCES += probes/membw.c
libchecks_a_SOURCES += probes/nccl.c
libchecks_a_SOURCES += probes/pattern.c
libchecks_a_SOURCES += probes/pcie_bw.c
libchecks_a_SOURCES += probes/peer.c
libchecks_a_SOURCES += probes/pinned.c probes/pinned.h
libchecks_a_SOURCES += probes/sdc.c
libchecks_a_SOURCES += probes/sm_digests.c probes/sm_digests.h
libchecks_a_SOURCES += probes/storage.c
libchecks_a_SOURCES += probes/sustain.c
libchecks_a_SOURCES += probes/worker.c probes/worker.h

# One source for nvcc and, by kernels_host.c, for the C compiler.
KERNELS_CU =
KERNELS_CU += probes/kernels.cu
KERNELS_CU += probes/kernels_gemm.h
KERNELS_CU += probes/kernels_lang.h
KERNELS_CU += probes/kernels_mem.h
KERNELS_CU += probes/kernels_mma.h
KERNELS_CU += probes/kernels_sdc.h
EXTRA_DIST += $(KERNELS_CU)
EXTRA_DIST += probes/mkfatbin
nodist_libchecks_a_SOURCES = probes/kernels_fatbin.c

# What ptxas says of each kernel is kept for tests/meta/kernels.py.
if HAVE_NVCC
FATBIN = probes/kernels.fatbin
probes/kernels.fatbin: $(KERNELS_CU) probes/kernels.h config.status
	$(AM_V_GEN)$(MKDIR_P) probes && \
	$(NVCC) $(NVCCFLAGS) $(NVCC_OPTIONS) -Xptxas=-v -I$(srcdir) \
	  -o $@.tmp $(srcdir)/probes/kernels.cu >probes/kernels.ptxas 2>&1 || \
	  { cat probes/kernels.ptxas >&2; exit 1; }
	$(AM_V_at)mv $@.tmp $@
CLEANFILES += probes/kernels.fatbin probes/kernels.ptxas
else
FATBIN =
endif

probes/kernels_fatbin.c: $(FATBIN) $(KERNELS_CU) probes/kernels.h probes/mkfatbin
	$(AM_V_GEN)$(MKDIR_P) probes && \
	(cd $(srcdir) && cat $(KERNELS_CU) probes/kernels.h) | \
	  $(SHELL) $(srcdir)/probes/mkfatbin '$(FATBIN)' '$(NVCC_ARCHS)' \
	  '$(NVCC_PTX)' '$(NVCC_VERSION) $(NVCCFLAGS)' >$@.tmp && \
	mv $@.tmp $@
CLEANFILES += probes/kernels_fatbin.c
