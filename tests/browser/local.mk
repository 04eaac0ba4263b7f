# SPDX-License-Identifier: Apache-2.0
# The page of a report in a real browser; run by ./setup test.
EXTRA_DIST += tests/browser/page.t
check_PROGRAMS += tests/browser/stories
tests_browser_stories_SOURCES = tests/browser/stories.c
tests_browser_stories_LDADD = $(REPORT_LIBS) $(ASSAY_LIBS) -lm
