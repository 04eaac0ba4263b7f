# SPDX-License-Identifier: Apache-2.0
# Every directory here with a case.json is a case; tests/run-case runs them.
TESTS += tests/cases/cases.sh
EXTRA_DIST += \
	tests/cases/cases.sh \
	tests/run-case

# Names with colons do not go through make: whole directories are copied.
dist-hook: dist-cases
.PHONY: dist-cases
dist-cases:
	for d in cases fixtures; do \
		mkdir -p $(distdir)/tests/$$d || exit 1; \
		(cd $(srcdir)/tests/$$d && tar cf - .) | \
			(cd $(distdir)/tests/$$d && tar xf -) || exit 1; \
	done
