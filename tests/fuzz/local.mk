# SPDX-License-Identifier: Apache-2.0
# Harnesses that feed hostile bytes to a parser; see fuzz.h.
fuzz_programs =
fuzz_programs += tests/fuzz/fuzz_cfg

check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
EXTRA_DIST += tests/fuzz/corpus/cfg/broken.conf
EXTRA_DIST += tests/fuzz/corpus/cfg/host.conf
EXTRA_DIST += tests/fuzz/corpus/cfg/plain.conf

FUZZ_DRIVER = tests/fuzz/fuzz.h tests/fuzz/fuzz_driver.c
tests_fuzz_fuzz_cfg_SOURCES = tests/fuzz/fuzz_cfg.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_cfg_LDADD = libassay.la $(JANSSON_LIBS)
