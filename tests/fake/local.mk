# SPDX-License-Identifier: Apache-2.0
# The stand-in for scontrol and sacctmgr; tests/run-case copies it.
noinst_PROGRAMS += tests/fake/scontrol
tests_fake_scontrol_SOURCES = tests/fake/scontrol.c
tests_fake_scontrol_LDADD = $(JANSSON_LIBS)
# A file system that never answers, for a command.
noinst_PROGRAMS += tests/fake/hung
tests_fake_hung_SOURCES = tests/fake/hung.c
# Stand-ins for vendor libraries; see README.md here. They are shared objects
# in tests/fake/.libs, loaded by path, never linked.
fake_templates = \
	tests/fake/templates/A100-PCIe.json \
	tests/fake/templates/A100-SXM4-40GB.json \
	tests/fake/templates/A100-SXM4-80GB.json \
	tests/fake/templates/B200-SXM.json \
	tests/fake/templates/GB200.json \
	tests/fake/templates/H100-NVL.json \
	tests/fake/templates/H100-PCIe.json \
	tests/fake/templates/H100-SXM5.json \
	tests/fake/templates/H200-SXM.json \
	tests/fake/templates/L40S.json \
	tests/fake/templates/V100-SXM2.json

EXTRA_DIST += \
	$(fake_templates) \
	tests/fake/README.md

# What all of them read: the scenario.
noinst_LTLIBRARIES += tests/fake/libscenario.la
tests_fake_libscenario_la_SOURCES = \
	tests/fake/counters.c \
	tests/fake/counters.h \
	tests/fake/export.h \
	tests/fake/scenario.c \
	tests/fake/scenario.h \
	tests/fake/templates.c \
	tests/fake/templates.h
tests_fake_libscenario_la_CPPFLAGS = \
	$(AM_CPPFLAGS) \
	-DFAKE_TEMPLATES='"$(abs_top_srcdir)/tests/fake/templates"'
tests_fake_libscenario_la_LIBADD = $(JANSSON_LIBS) -lm

# (By a variable: a rule for the name itself would replace automake's.)
fake_templates_object = tests/fake/libscenario_la-templates.lo
$(fake_templates_object): $(fake_templates)

# An rpath makes libtool build a library of the tree as a shared one; nothing is
# ever installed there. The version gives the name that the real one has.
FAKE_LDFLAGS = $(AM_LDFLAGS) -rpath /nonexistent

noinst_LTLIBRARIES += tests/fake/libnvidia-ml.la
tests_fake_libnvidia_ml_la_SOURCES = \
	tests/fake/nvml.c \
	tests/fake/nvml_answer.c \
	tests/fake/nvml_answer.h \
	tests/fake/nvml_fields.c \
	tests/fake/nvml_fields.h \
	tests/fake/nvml_gpm.c \
	tests/fake/nvml_members.h
tests_fake_libnvidia_ml_la_LDFLAGS = $(FAKE_LDFLAGS) -version-info 1:0:0
tests_fake_libnvidia_ml_la_LIBADD = tests/fake/libscenario.la

noinst_LTLIBRARIES += tests/fake/libcuda.la
tests_fake_libcuda_la_SOURCES = \
	probes/kernels_host.c \
	tests/fake/cuda.c \
	tests/fake/cuda_copy.c \
	tests/fake/cuda_corrupt.c \
	tests/fake/cuda_corrupt.h \
	tests/fake/cuda_device.c \
	tests/fake/cuda_device.h \
	tests/fake/cuda_kernels.c \
	tests/fake/cuda_kernels.h \
	tests/fake/cuda_launch.c \
	tests/fake/cuda_memory.c \
	tests/fake/cuda_memory.h \
	tests/fake/cuda_stream.c \
	tests/fake/cuda_stream.h \
	tests/fake/cuda_things.c \
	tests/fake/cuda_things.h \
	tests/fake/cuda_time.c \
	tests/fake/cuda_time.h
# (Of its own, so that its kernels_host is not the program's.)
tests_fake_libcuda_la_CPPFLAGS = $(AM_CPPFLAGS)
tests_fake_libcuda_la_LDFLAGS = $(FAKE_LDFLAGS) -version-info 1:0:0
tests_fake_libcuda_la_LIBADD = tests/fake/libscenario.la

noinst_LTLIBRARIES += tests/fake/libnccl.la
tests_fake_libnccl_la_SOURCES = \
	tests/fake/cuda_stream.h \
	tests/fake/nccl.c \
	tests/fake/nccl_ring.c \
	tests/fake/nccl_ring.h
tests_fake_libnccl_la_LDFLAGS = $(FAKE_LDFLAGS) -version-info 2:0:0
tests_fake_libnccl_la_LIBADD = tests/fake/libscenario.la

# Against the real one's header, which tells what its callers were built with.
if HAVE_VERBS
noinst_LTLIBRARIES += tests/fake/libibverbs.la
tests_fake_libibverbs_la_SOURCES = \
	tests/fake/verbs.c \
	tests/fake/verbs_device.c \
	tests/fake/verbs_device.h \
	tests/fake/verbs_fault.c \
	tests/fake/verbs_fault.h \
	tests/fake/verbs_pairs.c \
	tests/fake/verbs_queue.c \
	tests/fake/verbs_queue.h \
	tests/fake/verbs_traffic.c \
	tests/fake/verbs_traffic.h
tests_fake_libibverbs_la_LDFLAGS = $(FAKE_LDFLAGS) -version-info 1:0:0
tests_fake_libibverbs_la_LIBADD = tests/fake/libscenario.la
endif

noinst_LTLIBRARIES += tests/fake/libcublasLt.la
tests_fake_libcublasLt_la_SOURCES = \
	tests/fake/cublaslt.c \
	tests/fake/cuda_stream.h
tests_fake_libcublasLt_la_LDFLAGS = $(FAKE_LDFLAGS) -version-info 13:0:0
tests_fake_libcublasLt_la_LIBADD = tests/fake/libscenario.la
