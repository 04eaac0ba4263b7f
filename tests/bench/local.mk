# SPDX-License-Identifier: Apache-2.0
# Figures, not tests: make bench [N=60] [FULL=1] [ROWS="prolog memo"]. Nothing
# here is part of make check, and no figure makes it fail.
EXTRA_DIST += tests/bench/README.md
EXTRA_DIST += tests/bench/bench
EXTRA_DIST += tests/bench/eight-checks
EXTRA_DIST += tests/bench/slurm

EXTRA_PROGRAMS += tests/bench/merge
tests_bench_merge_SOURCES = tests/bench/merge.c
tests_bench_merge_LDADD = $(REPORT_LIBS) $(ASSAY_LIBS)
CLEANFILES += tests/bench/merge

.PHONY: bench
bench: all fakes tests/fake/scontrol tests/fuzz/healthy tests/bench/merge
	BUILD='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/python.sh $(srcdir)/tests/bench/bench $(ROWS)
