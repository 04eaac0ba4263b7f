# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program per module, named test_MODULE, TAP by cmocka.
# Add a test: one line in unit_tests, one _SOURCES line.
if HAVE_CMOCKA
unit_tests = \
	tests/unit/test_err \
	tests/unit/test_hostlist

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
UNIT_LIBS = libassay.la $(CMOCKA_LIBS) $(JANSSON_LIBS)

tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_LDADD = $(UNIT_LIBS)

tests_unit_test_hostlist_SOURCES = tests/unit/test_hostlist.c
tests_unit_test_hostlist_LDADD = $(UNIT_LIBS)
endif
