# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program per module, named test_MODULE, TAP by cmocka.
# Add a test: one line here; its source is tests/unit/test_MODULE.c.
EXTRA_DIST += tests/unit/unit.h
if HAVE_CMOCKA
UNIT_LIBS = libassay.la $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
CHECK_LIBS = libchecks.la $(UNIT_LIBS)
LDADD = $(CHECK_LIBS)

unit_tests =
unit_tests += tests/unit/test_err
unit_tests += tests/unit/test_hostlist
unit_tests += tests/unit/test_result
unit_tests += tests/unit/test_scrub
unit_tests += tests/unit/test_spawn

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
unit_tests = \
	tests/unit/test_err \
	tests/unit/test_roots
	tests/unit/test_hostlist \
	tests/unit/test_job

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
UNIT_LIBS = libassay.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_LDADD = $(UNIT_LIBS)

tests_unit_test_roots_SOURCES = tests/unit/test_roots.c
tests_unit_test_roots_LDADD = $(UNIT_LIBS)
tests_unit_test_hostlist_SOURCES = tests/unit/test_hostlist.c
tests_unit_test_hostlist_LDADD = $(UNIT_LIBS)

tests_unit_test_job_SOURCES = tests/unit/test_job.c
tests_unit_test_job_LDADD = $(UNIT_LIBS)
endif
