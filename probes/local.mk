# SPDX-License-Identifier: Apache-2.0
# Active probes: part of libchecks.a, below the checks that judge them.
probes_list =
probes_list += probes/conditions.c probes/conditions.h
probes_list += probes/crew.c probes/crew.h
probes_list += probes/crew_inside.h
probes_list += probes/crew_listen.c
probes_list += probes/crew_staff.c
probes_list += probes/device.c probes/device.h
probes_list += probes/gemm.c
probes_list += probes/gemm_peak.c
probes_list += probes/gid.c probes/gid.h
probes_list += probes/kernels.h
probes_list += probes/kernels_host.c
probes_list += probes/kernels_native.c
probes_list += probes/measure.c probes/measure.h
probes_list += probes/membw.c
probes_list += probes/nccl.c
probes_list += probes/pattern.c
probes_list += probes/pcie_bw.c
probes_list += probes/peer.c
probes_list += probes/pinned.c probes/pinned.h
probes_list += probes/rdma_counters.c probes/rdma_counters.h
probes_list += probes/rdma_traffic.c probes/rdma_traffic.h
probes_list += probes/sdc.c
probes_list += probes/sm_digests.c probes/sm_digests.h
probes_list += probes/storage.c
probes_list += probes/sustain.c
probes_list += probes/worker.c probes/worker.h
# Those of RDMA ports are compiled with libibverbs's header.
probes_list += probes/rdma.h
if HAVE_VERBS
probes_list += probes/gdr.c
probes_list += probes/latency.c
probes_list += probes/loopback.c
probes_list += probes/rdma.c
probes_list += probes/rdma_fail.c
probes_list += probes/rdma_flow.c probes/rdma_flow.h
probes_list += probes/rdma_link.c probes/rdma_link.h
probes_list += probes/rdma_memory.c
else
probes_list += probes/rdma_none.c
endif
libchecks_a_SOURCES += $(probes_list)

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

# The id is of the probes' sources as well: how often and how long they measure,
# and with what sizes, makes the figure, too.
probes/kernels_fatbin.c: $(FATBIN) $(KERNELS_CU) $(probes_list) probes/mkfatbin
	$(AM_V_GEN)$(MKDIR_P) probes && \
	(cd $(srcdir) && cat $(KERNELS_CU) $(probes_list)) | \
	  $(SHELL) $(srcdir)/probes/mkfatbin '$(FATBIN)' '$(NVCC_ARCHS)' \
	  '$(NVCC_PTX)' '$(NVCC_VERSION) $(NVCCFLAGS)' >$@.tmp && \
	mv $@.tmp $@
CLEANFILES += probes/kernels_fatbin.c
