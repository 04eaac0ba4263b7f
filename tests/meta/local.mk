# SPDX-License-Identifier: Apache-2.0
# Tests of the tree itself and of its tools; Python, TAP by tap.py.
PY_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_COMPILER = $(srcdir)/tests/python.sh

meta_tests = \
	tests/meta/checks.py \
	tests/meta/conf.py \
	tests/meta/js1.py \
	tests/meta/kernels.py \
	tests/meta/metrics.py \
	tests/meta/records.py \
	tests/meta/run-case.py \
	tests/meta/tree.py

TESTS += $(meta_tests)
EXTRA_DIST += \
	$(meta_tests) \
	tests/meta/tap.py \
	tests/python.sh
tests/meta/run-case.log: tests/fake/scontrol
tests/meta/conf.log: tests/meta/schema_dump
tests/meta/records.log: tests/report/stories
tests/meta/js1.log: tests/meta/js1_dump tests/report/stories
tests/meta/metrics.log: tests/meta/metrics_dump tests/report/stories
tests/meta/kernels.log: probes/kernels_fatbin.c
tests/meta/tree.log: assay assay-prolog assay-epilog assay-watch

# Tells conf.py what the program knows of assay.conf.
check_PROGRAMS += tests/meta/schema_dump
tests_meta_schema_dump_SOURCES = tests/meta/schema_dump.c
tests_meta_schema_dump_LDADD = libchecks.a $(ASSAY_LIBS)

# Tells metrics.py which metrics the programs write.
check_PROGRAMS += tests/meta/metrics_dump
tests_meta_metrics_dump_SOURCES = tests/meta/metrics_dump.c
tests_meta_metrics_dump_LDADD = $(WATCH_LIBS) $(REPORT_LIBS) libchecks.a $(ASSAY_LIBS)

# Tells js1.py what becomes of a record in the accounting.
check_PROGRAMS += tests/meta/js1_dump
tests_meta_js1_dump_SOURCES = tests/meta/js1_dump.c
tests_meta_js1_dump_LDADD = $(REPORT_LIBS) $(JS1_LIBS) $(ASSAY_LIBS)
