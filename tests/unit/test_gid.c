/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/gid.h"
#include "tests/unit/fixture.h"

#include <arpa/inet.h>

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static struct gid gids[GIDS_MAX];
static int count;

static void add(int index, const char *address, const char *type,
		const char *netdev)
{
	struct gid *g = &gids[count++];

	memset(g, 0, sizeof(*g));
	g->index = index;
	assert_int_equal(inet_pton(AF_INET6, address, g->raw), 1);
	snprintf(g->type, sizeof(g->type), "%s", type);
	snprintf(g->netdev, sizeof(g->netdev), "%s", netdev);
}

static int chosen(void)
{
	const struct gid *g = gid_choose(gids, count);

	return g ? g->index : -1;
}

static int empty(void **state)
{
	(void)state;
	count = 0;
	return 0;
}

/* As mlx5 has it: link-local and IPv4, each as v1 and as v2. */
static void ipv4_of_v2_is_wanted(void **state)
{
	(void)state;
	add(0, "fe80::1", "IB/RoCE v1", "eth0");
	add(1, "fe80::1", "RoCE v2", "eth0");
	add(2, "::ffff:10.0.0.1", "IB/RoCE v1", "eth0");
	add(3, "::ffff:10.0.0.1", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 3);
}

/* Its place is not always the same. */
static void whatever_its_place(void **state)
{
	(void)state;
	add(0, "::ffff:10.0.0.1", "RoCE v2", "eth0");
	add(1, "2001:db8::1", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 0);
	add(5, "::ffff:10.0.0.2", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 0);
}

static void then_global_then_link_local(void **state)
{
	(void)state;
	add(0, "2001:db8::1", "IB/RoCE v1", "eth0");
	assert_int_equal(chosen(), 0);
	add(1, "fe80::1", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 1);
	add(2, "2001:db8::1", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 2);
}

static void a_vlan_comes_last_among_equals(void **state)
{
	(void)state;
	add(0, "fe80::1", "RoCE v2", "eth0");
	add(1, "::ffff:10.7.0.1", "RoCE v2", "eth0.7");
	assert_int_equal(chosen(), 1);	/* better a VLAN than link-local */
	add(2, "::ffff:10.0.0.1", "RoCE v2", "eth0");
	assert_int_equal(chosen(), 2);
}

static void no_address_no_choice(void **state)
{
	(void)state;
	assert_int_equal(chosen(), -1);
}

/* Old kernels tell no types. */
static void an_unknown_type_is_better_than_none(void **state)
{
	(void)state;
	add(4, "fe80::1", "", "");
	assert_int_equal(chosen(), 4);
}

static void the_table_is_read(void **state)
{
	char text[GID_TEXT_SIZE];
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, PORT "gids/0",
		     "fe80:0000:0000:0000:5054:00ff:fe00:0001\n");
	fixture_file(&x, PORT "gids/1",
		     "0000:0000:0000:0000:0000:0000:0000:0000\n");
	fixture_file(&x, PORT "gids/2",
		     "0000:0000:0000:0000:0000:ffff:0a62:0001\n");
	fixture_file(&x, PORT "gids/4",
		     "fe80:0000:0000:0000:5054:00ff:fe00:0001\n");
	fixture_file(&x, PORT "gid_attrs/types/2", "RoCE v2\n");
	fixture_file(&x, PORT "gid_attrs/ndevs/2", "eth0\n");
	assert_int_equal(gid_read(&x.roots, "mlx5_0", 1, gids), 2);
	assert_int_equal(gids[0].index, 0);
	assert_string_equal(gids[0].type, "");
	assert_string_equal(gid_text(&gids[0], text), "fe80::5054:ff:fe00:1");
	assert_int_equal(gids[1].index, 2);
	assert_string_equal(gids[1].type, "RoCE v2");
	assert_string_equal(gids[1].netdev, "eth0");
	assert_string_equal(gid_text(&gids[1], text), "::ffff:10.98.0.1");
	assert_int_equal(gid_read(&x.roots, "mlx5_1", 1, gids), 0);
	fixture_close(&x);
}

static void what_is_no_address_is_passed_over(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, PORT "gids/0", "no address\n");
	fixture_file(&x, PORT "gids/1", "fe80::1\n");
	fixture_file(&x, PORT "gid_attrs/types/1",
		     "a name that is much too long for a type\n");
	assert_int_equal(gid_read(&x.roots, "mlx5_0", 1, gids), 1);
	assert_int_equal(gids[0].index, 1);
	assert_int_equal(strlen(gids[0].type), sizeof(gids[0].type) - 1);
	fixture_close(&x);
}

#define T(f) cmocka_unit_test_setup(f, empty)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(ipv4_of_v2_is_wanted),
		T(whatever_its_place),
		T(then_global_then_link_local),
		T(a_vlan_comes_last_among_equals),
		T(no_address_no_choice),
		T(an_unknown_type_is_better_than_none),
		T(the_table_is_read),
		T(what_is_no_address_is_passed_over),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
