/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_storage.h"

#include "checks/check.h"
#include "lib/clock.h"
#include "tests/unit/fixture.h"

extern const struct check check_storage_mounts;

#define MOUNTS \
	"22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n" \
	"30 22 0:45 / /scratch rw,relatime - lustre 10.0.0.1@o2ib:/fs rw\n" \
	"31 22 0:46 / /data\\040set ro,nosuid shared:9 - nfs4 nas:/d rw\n" \
	"32 22 0:47 / /auto rw - autofs auto.home rw\n" \
	"33 22 0:48 / /home rw - autofs auto.home rw\n" \
	"34 33 0:49 / /home rw - nfs4 nas:/home rw\n" \
	"rubbish\n 1 2 - x\n"

struct storage {
	struct fixture x;
	struct sysfacts s;
	struct cfg *c;
	struct facts_storage f;
};

static struct cfg *config(struct fixture *x, const char *keys)
{
	static struct cfg_section sections[2];
	char path[128], text[256];
	struct err e = { "" };
	struct cfg *c;

	sections[0] = (struct cfg_section){ "check storage_mounts",
					    check_storage_mounts.keys, NULL };
	snprintf(text, sizeof(text), "[check storage_mounts]\n%s\n", keys);
	fixture_file(x, "assay.conf", text);
	snprintf(path, sizeof(path), "%s/assay.conf", x->dir);
	c = cfg_load(path, sections, NULL, &e);
	if (!c)
		fail_msg("%s", e.text);
	return c;
}

static void begin(struct storage *t, const char *keys, const char *answers)
{
	char path[128];

	fixture_open(&t->x);
	fixture_file(&t->x, "proc/self/mountinfo", MOUNTS);
	t->c = config(&t->x, keys);
	if (answers)
		fixture_file(&t->x, "sysfacts.json", answers);
	snprintf(path, sizeof(path), "%s/sysfacts.json", t->x.dir);
	assert_int_equal(sysfacts_init(&t->s, &t->x.roots,
				       answers ? path : NULL, NULL), 0);
}

static void gather(struct storage *t, const json_t *memory, int deadline_ms)
{
	assert_int_equal(facts_storage_gather(&t->x.roots, &t->s, t->c, memory,
					      deadline_ms, &t->f), 0);
	assert_int_equal(t->f.gather.end, GATHER_DONE);
}

static void end(struct storage *t)
{
	sysfacts_fini(&t->s);
	cfg_destroy(t->c);
	fixture_close(&t->x);
}

static void no_paths(void **state)
{
	struct storage t;

	(void)state;
	begin(&t, "", NULL);
	fixture_unlink(&t.x, "proc/self/mountinfo");
	gather(&t, NULL, 1000);
	assert_int_equal(t.f.count, 0);
	assert_false(facts_storage_wanted(t.c));
	end(&t);
}

static void mounted_or_not(void **state)
{
	struct storage t;

	(void)state;
	begin(&t, "paths = /scratch/, /data, /auto /home /scratch/x\n", NULL);
	assert_true(facts_storage_wanted(t.c));
	gather(&t, NULL, 5000);
	assert_int_equal(t.f.count, 5);
	assert_string_equal(t.f.mount[0].path, "/scratch");
	assert_true(t.f.mount[0].mounted);
	assert_false(t.f.mount[0].readonly);
	assert_string_equal(t.f.mount[0].fstype, "lustre");
	assert_string_equal(t.f.mount[0].source, "10.0.0.1@o2ib:/fs");
	assert_int_equal(t.f.mount[0].rc, ENOSYS);
	assert_true(t.f.mount[0].answered);
	assert_int_equal(t.f.mount[0].bytes_total, -1);
	assert_false(t.f.mount[1].mounted);
	assert_false(t.f.mount[2].mounted);	/* nobody went there yet */
	assert_true(t.f.mount[3].mounted);
	assert_string_equal(t.f.mount[3].fstype, "nfs4");
	assert_false(t.f.mount[4].mounted);
	end(&t);
}

static void room_and_read_only(void **state)
{
	struct storage t;

	(void)state;
	begin(&t, "paths = /scratch /home\n",
	      "{\"statfs\": {\"/scratch\": {\"f_bsize\": 4096, \"f_blocks\":"
	      " 1000, \"f_bfree\": 90, \"f_bavail\": 80, \"f_files\": 500,"
	      " \"f_ffree\": 7}, \"/home\": {\"f_bsize\": 1048576,"
	      " \"f_blocks\": 10, \"f_bavail\": 10, \"f_flags\": 1}}}");
	gather(&t, NULL, 5000);
	assert_int_equal(t.f.mount[0].rc, 0);
	assert_int_equal(t.f.mount[0].bytes_total, 4096000);
	assert_int_equal(t.f.mount[0].bytes_avail, 327680);
	assert_int_equal(t.f.mount[0].inodes_total, 500);
	assert_int_equal(t.f.mount[0].inodes_free, 7);
	assert_int_equal(t.f.mount[1].inodes_total, -1);
	assert_true(t.f.mount[1].readonly);
	end(&t);
}

static void a_dead_one_hides_nobody(void **state)
{
	int64_t started = clock_mono_ms();
	struct storage t;

	(void)state;
	begin(&t, "paths = /scratch /home\ntimeout_ms = 300\n",
	      "{\"statfs\": {\"/scratch\": {\"hang_ms\": -1}, \"/home\":"
	      " {\"errno\": 116}}}");
	gather(&t, NULL, 5000);
	assert_true(clock_mono_ms() - started < 2300);
	assert_true(t.f.mount[0].hung);
	assert_false(t.f.mount[0].answered);
	assert_true(t.f.mount[0].mounted);
	assert_int_equal(t.f.mount[0].stuck_pid, 0);	/* it could be ended */
	assert_false(t.f.mount[1].hung);
	assert_int_equal(t.f.mount[1].rc, ESTALE);
	/* The gate's own deadline is shorter. */
	started = clock_mono_ms();
	gather(&t, NULL, 100);
	assert_true(clock_mono_ms() - started < 290);
	end(&t);
}

static void memory_of_the_dead_is_void(void **state)
{
	struct storage t;
	json_t *m;

	(void)state;
	begin(&t, "paths = /scratch\n", NULL);
	/* This process is not in D. */
	m = json_pack("{s:{s:{s:i s:i}}}", "stuck", "/scratch", "pid",
		      (int)getpid(), "start", 1);
	gather(&t, m, 5000);
	assert_false(t.f.mount[0].hung);
	assert_true(t.f.mount[0].answered);
	json_decref(m);
	m = json_pack("{s:[i]}", "stuck", 1);
	gather(&t, m, 5000);
	assert_false(t.f.mount[0].hung);
	json_decref(m);
	end(&t);
}

static void no_mountinfo_is_an_error(void **state)
{
	struct storage t;

	(void)state;
	begin(&t, "paths = /scratch\n", NULL);
	fixture_unlink(&t.x, "proc/self/mountinfo");
	assert_int_equal(facts_storage_gather(&t.x.roots, &t.s, t.c, NULL, 1000,
					      &t.f), -1);
	assert_int_equal(t.f.gather.end, GATHER_ERROR);
	assert_non_null(strstr(t.f.gather.why, "mountinfo"));
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_paths),
		cmocka_unit_test(mounted_or_not),
		cmocka_unit_test(room_and_read_only),
		cmocka_unit_test(a_dead_one_hides_nobody),
		cmocka_unit_test(memory_of_the_dead_is_void),
		cmocka_unit_test(no_mountinfo_is_an_error),
	};

	return cmocka_run_group_tests_name("facts_storage", tests, NULL, NULL);
}
