# SPDX-License-Identifier: Apache-2.0
# Harnesses that feed hostile bytes to a parser; see fuzz.h.
fuzz_programs =
fuzz_programs += tests/fuzz/fuzz_cfg
fuzz_programs += tests/fuzz/fuzz_js1
fuzz_programs += tests/fuzz/fuzz_kmsg

check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
EXTRA_DIST += tests/fuzz/corpus/cfg/broken.conf
EXTRA_DIST += tests/fuzz/corpus/cfg/host.conf
EXTRA_DIST += tests/fuzz/corpus/cfg/plain.conf
EXTRA_DIST += tests/fuzz/corpus/js1/mig.json
EXTRA_DIST += tests/fuzz/corpus/js1/one-gpu.js1
EXTRA_DIST += tests/fuzz/corpus/js1/one-gpu.json
EXTRA_DIST += tests/fuzz/corpus/js1/one-gpu.unpacked
EXTRA_DIST += tests/fuzz/corpus/js1/partial.json
EXTRA_DIST += tests/fuzz/corpus/js1/two-nodes.js1
EXTRA_DIST += tests/fuzz/corpus/js1/two-nodes.json
EXTRA_DIST += tests/fuzz/corpus/js1/two-nodes.unpacked
EXTRA_DIST += tests/fuzz/corpus/kmsg/closed.log
EXTRA_DIST += tests/fuzz/corpus/kmsg/forged.log
EXTRA_DIST += tests/fuzz/corpus/kmsg/hw.log
EXTRA_DIST += tests/fuzz/corpus/kmsg/offbus.log
EXTRA_DIST += tests/fuzz/corpus/kmsg/state.json
EXTRA_DIST += tests/fuzz/corpus/kmsg/sxid.log
EXTRA_DIST += tests/fuzz/corpus/kmsg/xid.log

FUZZ_DRIVER = tests/fuzz/fuzz.h tests/fuzz/fuzz_driver.c
tests_fuzz_fuzz_cfg_SOURCES = tests/fuzz/fuzz_cfg.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_cfg_LDADD = $(ASSAY_LIBS)
tests_fuzz_fuzz_js1_SOURCES = tests/fuzz/fuzz_js1.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_js1_LDADD = $(REPORT_LIBS) $(JS1_LIBS) $(ASSAY_LIBS)

# Seeded random facts through all judges and the policy. make check does a
# short run, "make bench-healthy" the long one.
check_PROGRAMS += tests/fuzz/healthy
TESTS += tests/fuzz/healthy
tests_fuzz_healthy_SOURCES = tests/fuzz/healthy.c
tests_fuzz_healthy_SOURCES += tests/fuzz/faults.c tests/fuzz/faults.h
tests_fuzz_healthy_SOURCES += tests/fuzz/node.c tests/fuzz/node.h
tests_fuzz_healthy_SOURCES += tests/fuzz/node_gpus.c
tests_fuzz_healthy_SOURCES += tests/fuzz/node_ports.c
tests_fuzz_healthy_SOURCES += tests/fuzz/node_probes.c
tests_fuzz_healthy_SOURCES += tests/fuzz/node_probes.h
tests_fuzz_healthy_SOURCES += tests/fuzz/node_rest.c
tests_fuzz_healthy_LDADD = libchecks.a $(ASSAY_LIBS)

HEALTHY_NODES = 3000000
bench-healthy: tests/fuzz/healthy
	SRCDIR='$(abs_top_srcdir)' ./tests/fuzz/healthy $(HEALTHY_NODES)
.PHONY: bench-healthy
tests_fuzz_fuzz_kmsg_SOURCES = tests/fuzz/fuzz_kmsg.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_kmsg_LDADD = $(ASSAY_LIBS)

# Random stories of jobs through the summary, the merge and the block.
check_PROGRAMS += tests/fuzz/stories
TESTS += tests/fuzz/stories
tests_fuzz_stories_SOURCES = tests/fuzz/stories.c tests/fuzz/fuzz.h
tests_fuzz_stories_LDADD = $(REPORT_LIBS) $(ASSAY_LIBS)
