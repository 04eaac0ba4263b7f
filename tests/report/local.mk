# SPDX-License-Identifier: Apache-2.0
# Stories that tests/meta/records.py turns into records and blocks.
check_PROGRAMS += tests/report/stories
tests_report_stories_SOURCES = tests/report/stories.c
tests_report_stories_LDADD = $(REPORT_LIBS) $(ASSAY_LIBS)
EXTRA_DIST += tests/golden/blocks
