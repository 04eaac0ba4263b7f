/* SPDX-License-Identifier: Apache-2.0
 * fuzz - a harness is one file tests/fuzz/fuzz_NAME.c.
 *
 * It defines fuzz_name and LLVMFuzzerTestOneInput(), which aborts when
 * something is not as promised. fuzz_driver.c is the main program of make
 * check: all files of tests/fuzz/corpus/NAME, then FUZZ_RUNS (1000) mutations
 * of them from FUZZ_SEED (1), so that each run of a seed can be had again
 * (FUZZ_FROM=RUN starts at one). With clang -fsanitize=fuzzer the harness is
 * linked without the driver.
 */
#ifndef ASSAY_TESTS_FUZZ_H
#define ASSAY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern const char fuzz_name[];
/* Words of the format, NULL at the end. */
extern const char *const fuzz_words[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Die, saying which promise was broken. */
#define FUZZ_HOLDS(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, \
				__LINE__, #x); \
			abort(); \
		} \
	} while (0)

#endif
