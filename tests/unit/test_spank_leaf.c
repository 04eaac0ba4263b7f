/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/leaf.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

static void is(const char *addr, const char *pattern, const char *want)
{
	char leaf[LEAF_BYTES] = "left from before";

	assert_null(leaf_of(addr, pattern, leaf));
	assert_string_equal(leaf, want);
}

static void is_none(const char *addr, const char *pattern, const char *why)
{
	char leaf[LEAF_BYTES] = "left from before";
	const char *got = leaf_of(addr, pattern, leaf);

	assert_non_null(got);
	assert_string_equal(got, why);
	assert_string_equal(leaf, "");
}

static void the_last_switch(void **state)
{
	(void)state;
	is("leaf7.n1", "switch.node", "leaf7");
	is("core.spine-2.leaf_7.n1", "switch.switch.switch.node", "leaf_7");
	/* a list of those above does not matter */
	is("core[1-2].spine[1,3].leaf7.n1", "switch.switch.switch.node",
	   "leaf7");
}

static void no_switch(void **state)
{
	(void)state;
	is_none("n1", "node", LEAF_NONE);
	is_none("b1.n1", "block.node", LEAF_NONE);
	is_none("s1.n1", "switches.node", LEAF_NONE);
	is_none("", "", LEAF_NONE);
}

static void what_cannot_be_told_apart(void **state)
{
	char name[LEAF_BYTES + 8];

	(void)state;
	is_none("leaf.site.n1", "switch.node", LEAF_ODD);
	is_none("n1", "switch.node", LEAF_ODD);
	is_none("leaf[1-2].n1", "switch.node", LEAF_ODD);
	is_none(".n1", "switch.node", LEAF_ODD);
	is_none("a\"b.n1", "switch.node", LEAF_ODD);
	is_none("a\033b.n1", "switch.node", LEAF_ODD);
	is_none("\303\266.n1", "switch.node", LEAF_ODD);
	memset(name, 'a', sizeof(name));
	strcpy(name + LEAF_BYTES, ".n1");
	is_none(name, "switch.node", LEAF_ODD);
}

static void the_longest_name(void **state)
{
	char name[LEAF_BYTES + 8], want[LEAF_BYTES] = "";

	(void)state;
	memset(want, 'a', LEAF_BYTES - 1);
	snprintf(name, sizeof(name), "%s.n1", want);
	is(name, "switch.node", want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_switch),
		cmocka_unit_test(no_switch),
		cmocka_unit_test(the_longest_name),
		cmocka_unit_test(what_cannot_be_told_apart),
	};

	return cmocka_run_group_tests_name("spank_leaf", tests, NULL, NULL);
}
