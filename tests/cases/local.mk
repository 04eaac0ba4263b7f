# SPDX-License-Identifier: Apache-2.0
# Every directory here with a case.json is a case; tests/run-case runs them.
TESTS += tests/cases/cases.sh
EXTRA_DIST += \
	tests/cases/cases.sh \
	tests/run-case

# Where the programs built here are at home: no case may write there.
noinst_DATA += tests/places
CLEANFILES += tests/places
tests/places: Makefile
	$(AM_V_GEN)$(MKDIR_P) tests && \
		printf '%s\n' '$(assay_rundir)' '$(assay_statedir)' > $@

# Names with colons do not go through make: whole directories are copied.
dist-hook: dist-cases
.PHONY: dist-cases
dist-cases:
	for d in cases fixtures; do \
		mkdir -p $(distdir)/tests/$$d || exit 1; \
		(cd $(srcdir)/tests/$$d && tar cf - .) | \
			(cd $(distdir)/tests/$$d && tar xf -) || exit 1; \
	done
