/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_returns_minus_one_and_keeps_errno(void **state)
{
	struct err e;

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_set(&e, "read %s", "x"), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(e.text, "read x");
	assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

static void errno_adds_its_text(void **state)
{
	struct err e;

	(void)state;
	errno = ENOENT;
	err_errno(&e, "open %s", "/x");
	assert_string_equal(e.text, "open /x: No such file or directory");
}

static void prefix_goes_in_front(void **state)
{
	struct err e;

	(void)state;
	err_set(&e, "line 3");
	err_prefix(&e, "config %s", "a.conf");
	assert_string_equal(e.text, "config a.conf: line 3");
}

static void long_text_is_cut(void **state)
{
	struct err e;
	char big[2000];

	(void)state;
	memset(big, 'a', sizeof(big));
	big[sizeof(big) - 1] = 0;
	err_set(&e, "%s", big);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	errno = EIO;
	err_errno(&e, "%s", big);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_minus_one_and_keeps_errno),
		cmocka_unit_test(errno_adds_its_text),
		cmocka_unit_test(prefix_goes_in_front),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
