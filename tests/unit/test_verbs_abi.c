/* SPDX-License-Identifier: Apache-2.0
 * What lib/verbs.h says of libibverbs, against its header where that is.
 */
#include "config.h"

#ifdef HAVE_VERBS
#include <infiniband/verbs.h>
#undef ibv_query_port
#undef ibv_reg_mr
#endif

#include "lib/devlibs.h"
#include "tests/unit/unit.h"

#include <string.h>

static void each_symbol_has_its_prefix(void **state)
{
	(void)state;
#define X(need, type, member, symbol, args) \
	assert_string_equal(symbol, "ibv_" #member); \
	assert_string_equal(devlibs_verbs_names.member, symbol);
	DEVLIBS_VERBS(X)
#undef X
}

#ifdef HAVE_VERBS
#define SAME_TYPE(member, call) \
	assert_true(__builtin_types_compatible_p( \
		__typeof__(((struct devlibs_verbs *)0)->member), \
		__typeof__(&call)));

static void arguments_of_the_header(void **state)
{
	(void)state;
#define X(need, type, member, symbol, args) SAME_TYPE(member, ibv_##member)
	DEVLIBS_VERBS(X)
#undef X
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_symbol_has_its_prefix),
#ifdef HAVE_VERBS
		cmocka_unit_test(arguments_of_the_header),
#endif
	};

	return cmocka_run_group_tests_name("verbs_abi", tests, NULL, NULL);
}
