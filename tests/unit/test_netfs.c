/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/netfs.h"

#include "tests/unit/fixture.h"

static struct netfs parse(const char *text)
{
	struct netfs n = { .count = 0 };
	char *copy = strdup(text);

	assert_non_null(copy);
	netfs_parse_mounts(copy, &n);
	free(copy);
	return n;
}

static void nfs_counts_what_the_server_moved(void **state)
{
	struct netfs n = parse(
		"device proc mounted on /proc with fstype proc\n"
		"device srv:/a mounted on /home with fstype nfs4 "
		"statvers=1.1\n\topts:\trw\n\tage:\t7\n"
		"\tbytes:\t1 2 3 4 500 600 7 8\n\tRPC iostats version: 1.1\n"
		"device srv:/b mounted on /b with fstype nfs statvers=1.1\n"
		"\tbytes:\t0 0 0 0 18446744073709551615 1 0 0\n");

	(void)state;
	assert_int_equal(n.count, 2);
	assert_string_equal(n.mount[0].kind, "nfs");
	assert_string_equal(n.mount[0].mount, "/home");
	assert_int_equal(n.mount[0].read_bytes, 500);
	assert_int_equal(n.mount[0].write_bytes, 600);
	assert_true(n.mount[1].read_bytes == UINT64_MAX);
}

static void other_lines_are_nobodys(void **state)
{
	(void)state;
	assert_int_equal(parse("").count, 0);
	assert_int_equal(parse("bytes: 1 2 3 4 5 6 7 8\n").count, 0);
	/* Its bytes are cut off. */
	assert_int_equal(parse("device s:/ mounted on /x with fstype nfs4\n"
			       "\tbytes:\t1 2 3\n").count, 0);
	/* Another's bytes are not the NFS's before it. */
	assert_int_equal(parse("device s:/ mounted on /x with fstype nfs4\n"
			       "device t mounted on /y with fstype tmpfs\n"
			       "\tbytes:\t1 2 3 4 5 6 7 8\n").count, 0);
	assert_int_equal(parse("device with fstype nfs\n").count, 0);
}

static void what_is_bound_elsewhere_counts_once(void **state)
{
	struct netfs n = parse(
		"device s:/a mounted on /home with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 500 600 0 0\n"
		"device s:/a mounted on /users with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 500 600 0 0\n"
		"device s:/b mounted on /b with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 1 2 0 0\n");

	(void)state;
	assert_int_equal(n.count, 2);
	assert_string_equal(n.mount[0].mount, "/home");
	assert_int_equal(n.mount[0].read_bytes, 500);
	assert_string_equal(n.mount[1].mount, "/b");
	assert_int_equal(n.mount[1].write_bytes, 2);
}

/* Found by its name, the second would be held against the first. */
static void a_mount_on_another_is_one(void **state)
{
	struct netfs n = parse(
		"device s:/a mounted on /home with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 500 600 0 0\n"
		"device s:/b mounted on /home with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 7 8 0 0\n");

	(void)state;
	assert_int_equal(n.count, 1);
	assert_int_equal(n.mount[0].read_bytes, 507);
	assert_int_equal(n.mount[0].write_bytes, 608);
}

static struct netfs one(uint64_t read)
{
	struct netfs n = { .count = 1 };

	snprintf(n.mount[0].kind, sizeof(n.mount[0].kind), "nfs");
	snprintf(n.mount[0].mount, sizeof(n.mount[0].mount), "/home");
	n.mount[0].read_bytes = read;
	return n;
}

static void what_went_down_or_away_is_no_measure(void **state)
{
	struct netfs base = one(0), none = { .count = 0 }, other = one(9);
	struct netfs a = one(5), b = one(7), c = one(6);

	(void)state;
	snprintf(other.mount[0].mount, sizeof(other.mount[0].mount), "/b");
	netfs_resets(&base, &a, &b);
	netfs_resets(&base, &b, &none);
	assert_int_equal(base.mount[0].read_bytes, 0);
	netfs_resets(&base, &b, &c);
	assert_true(base.mount[0].read_bytes == NETFS_RESET);
	base = one(0);
	netfs_resets(&base, &a, &other);
	assert_true(base.mount[0].read_bytes == NETFS_RESET);
	/* It came after the job's beginning. */
	base = none;
	netfs_resets(&base, &b, &c);
	assert_int_equal(base.count, 1);
	assert_true(base.mount[0].write_bytes == NETFS_RESET);
}

/* Named, without a number: not nothing. */
static void clients_that_tell_no_bytes_are_named(void **state)
{
	struct netfs n = parse(
		"device fs01 mounted on /weka with fstype wekafs\n"
		"device scratch mounted on /gpfs/scratch with fstype gpfs\n"
		"\tbytes:\t1 2 3 4 5 6 7 8\n"
		"device beegfs_nodev mounted on /bee with fstype beegfs\n"
		"device s:/a mounted on /home with fstype nfs4 x\n"
		"\tbytes:\t0 0 0 0 500 600 0 0\n"
		"device fs01 mounted on /bind with fstype wekafs\n"
		"device w mounted on /wekafs with fstype ext4\n");
	int i;

	(void)state;
	assert_int_equal(n.count, 4);
	assert_string_equal(n.mount[0].kind, "weka");
	assert_string_equal(n.mount[0].mount, "/weka");
	assert_string_equal(n.mount[1].kind, "gpfs");
	assert_string_equal(n.mount[2].kind, "beegfs");
	for (i = 0; i < 3; i++) {
		assert_true(n.mount[i].untold);
		assert_int_equal(n.mount[i].read_bytes, 0);
	}
	assert_false(n.mount[3].untold);
	assert_int_equal(n.mount[3].read_bytes, 500);
}

static void more_than_fit_are_left_out(void **state)
{
	char text[8192] = "";
	size_t len = 0;
	int i;

	(void)state;
	for (i = 0; i < NETFS_MAX + 4; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"device s:/%d mounted on /m%d with fstype nfs4 x\n"
			"\tbytes:\t1 2 3 4 5 6 7 8\n", i, i);
	assert_int_equal(parse(text).count, NETFS_MAX);
}

static void lustre_sums(void **state)
{
	struct netfs_mount m = { .read_bytes = 0 };

	(void)state;
	assert_true(netfs_parse_lustre(
		"snapshot_time             1 secs.nsecs\n"
		"osc_read_bytes            10 samples [bytes] 1 1 8\n"
		"read_bytes                10 samples [bytes] 4096 4096 40960 "
		"167772160\n"
		"osc_read_bytes            10 samples [bytes] 1 1 9\n"
		"write_bytes               2 samples [bytes] 1 9 77\n", &m));
	assert_int_equal(m.read_bytes, 40960);
	assert_int_equal(m.write_bytes, 77);
	assert_false(netfs_parse_lustre("", &m));
	assert_false(netfs_parse_lustre("ioctl 10 samples [reqs]\n", &m));
	assert_false(netfs_parse_lustre("xread_bytes 1 samples [bytes] 1 1 9\n",
					&m));
}

static void a_node_has_both_or_none(void **state)
{
	struct netfs_mount lustre = { .kind = "lustre", .mount = "scratch" };
	struct netfs n;
	struct fixture fx;

	(void)state;
	fixture_open(&fx);
	netfs_read(&fx.roots, &n);
	assert_int_equal(n.count, 0);
	fixture_file(&fx, "sys/kernel/debug/lustre/llite/scratch-ff88/stats",
		     "read_bytes 1 samples [bytes] 5 5 5\n");
	fixture_file(&fx, "sys/kernel/debug/lustre/llite/home-ff99/stats", "");
	netfs_read(&fx.roots, &n);
	assert_int_equal(n.count, 1);
	assert_non_null(netfs_find(&n, &lustre));
	/* The older place is the one that is read, where there are both. */
	fixture_file(&fx, "proc/fs/lustre/llite/scratch-ff88/stats",
		     "read_bytes 1 samples [bytes] 6 6 6\n");
	netfs_read(&fx.roots, &n);
	assert_int_equal(n.count, 1);
	assert_int_equal(n.mount[0].read_bytes, 6);
	lustre.mount[0] = 'S';
	assert_null(netfs_find(&n, &lustre));
	fixture_close(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nfs_counts_what_the_server_moved),
		cmocka_unit_test(other_lines_are_nobodys),
		cmocka_unit_test(what_is_bound_elsewhere_counts_once),
		cmocka_unit_test(a_mount_on_another_is_one),
		cmocka_unit_test(what_went_down_or_away_is_no_measure),
		cmocka_unit_test(clients_that_tell_no_bytes_are_named),
		cmocka_unit_test(more_than_fit_are_left_out),
		cmocka_unit_test(lustre_sums),
		cmocka_unit_test(a_node_has_both_or_none),
	};

	return cmocka_run_group_tests_name("netfs", tests, NULL, NULL);
}
