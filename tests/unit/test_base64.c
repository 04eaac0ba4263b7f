/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/base64.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* The vectors of RFC 4648, section 10. */
static const char *const vectors[][2] = {
	{ "", "" },		{ "f", "Zg==" },
	{ "fo", "Zm8=" },	{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" },
};

static void known_vectors(void **state)
{
	unsigned char *bytes;
	size_t i, size;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		text = base64_encode(vectors[i][0], strlen(vectors[i][0]));
		assert_string_equal(text, vectors[i][1]);
		assert_int_equal(strlen(text),
				 BASE64_LEN(strlen(vectors[i][0])));
		bytes = base64_decode(text, strlen(text), &size);
		assert_non_null(bytes);
		assert_int_equal(size, strlen(vectors[i][0]));
		assert_memory_equal(bytes, vectors[i][0], size);
		free(bytes);
		free(text);
	}
}

static void every_byte_comes_back(void **state)
{
	unsigned char in[256 * 3], *out;
	size_t i, n, size;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(i * 167 + (i >> 8));
	for (n = sizeof(in) - 3; n <= sizeof(in); n++) {
		text = base64_encode(in, n);
		out = base64_decode(text, strlen(text), &size);
		assert_non_null(out);
		assert_int_equal(size, n);
		assert_memory_equal(out, in, n);
		free(out);
		free(text);
	}
}

static void what_is_not_strict_is_refused(void **state)
{
	static const char *const bad[] = {
		"Z",	    "Zg",	"Zg=",	    "Zm9vY",	/* length */
		"Zg==Zg==", "Zm8=Zm8=", "=g==",	    "====",	/* padding */
		"Z===",	    "Zg=a",	"Zh==",	    "Zm9=",	/* bits left */
		"Zm9 ",	    "Zm9\n",	"Zm9v\n\n\n\n", "Zm-_", /* alphabet */
		"Zm9\x80",
	};
	size_t i, size = 77;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_null(base64_decode(bad[i], strlen(bad[i]), &size));
		assert_int_equal(errno, EINVAL);
	}
	assert_null(base64_decode("Zm9\0", 4, &size));
	assert_int_equal(size, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(every_byte_comes_back),
		cmocka_unit_test(what_is_not_strict_is_refused),
	};

	return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
