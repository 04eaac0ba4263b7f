/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/track.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/unit/fixture.h"

#define BOOT "11111111-2222-3333-4444-555555555555"
#define EPOCH 1700000000
#define UP 86400
#define WEEK_S (7 * 86400)

static struct fixture fx;
static int dir;

static const struct track_id gpu = { TRACK_GPU, "GPU-1", BOOT,
				     { .wall_s = EPOCH, .up_s = UP } };

static int set_up(void **state)
{
	(void)state;
	fixture_open(&fx);
	dir = open(fx.dir, O_RDONLY | O_DIRECTORY);
	return dir < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(dir);
	fixture_close(&fx);
	return 0;
}

/* A GPU's half minute: i picks its figures. */
static struct track_sample sample_at(int i)
{
	struct track_sample s = {
		.from_s = i * 30,
		.length_s = 30,
		.busy = i % 2 ? 1 : 0.5F,
		.sm = NAN,
		.power_w = 300,
		.power_max_w = (float)(300 + i % 7),
		.energy_j = 9000,
		.held_power_s = (float)(i % 3),
		.nvlink_mb = 10,
		.pcie_mb = NAN,
		.mem_used_mib = 1000,
		.sm_mhz = (uint16_t)(1000 + i % 2),
		.temp_c = (int16_t)(40 + i % 20),
		.reasons = (uint16_t)(1 << i % 4),
		.idle_s = i % 2 ? 0 : 15,
	};

	s.tensor = s.dram = NAN;
	return s;
}

static void add(struct track *t, int from, int n)
{
	struct track_sample s;
	int i;

	for (i = from; i < from + n; i++) {
		s = sample_at(i);
		assert_int_equal(track_add(t, &s), 0);
	}
}

static struct track_copy read_gpu(void)
{
	struct track_copy c;

	assert_int_equal(track_read(dir, "a.track", TRACK_GPU, &c), 0);
	return c;
}

static void few_are_as_they_were_added(void **state)
{
	struct track_copy c;
	struct track t;
	struct stat st;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, 3);
	c = read_gpu();
	assert_int_equal(c.count, 3);
	assert_false(c.torn);
	assert_int_equal(c.head.epoch_s, EPOCH);
	assert_int_equal(c.head.epoch_up_s, UP);
	assert_int_equal(c.head.stride, 1);
	assert_string_equal(c.head.device, "GPU-1");
	assert_int_equal(c.samples.gpu[2].from_s, 60);
	assert_true(c.samples.gpu[1].busy > 0.99F);
	assert_true(isnan(c.samples.gpu[1].sm));
	track_copy_fini(&c);
	track_close(&t);
	assert_int_equal(fstatat(dir, "a.track", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

struct sums {
	double length, energy, held, nvlink, idle, busy;
};

static struct sums sums_of(const struct track_copy *c)
{
	const struct track_sample *s = c->samples.gpu;
	struct sums x = { 0 };
	int i;

	for (i = 0; i < c->count; i++) {
		x.length += s[i].length_s;
		x.energy += s[i].energy_j;
		x.held += s[i].held_power_s;
		x.nvlink += s[i].nvlink_mb;
		x.idle += s[i].idle_s;
		x.busy += s[i].busy * s[i].length_s;
	}
	return x;
}

static void near(double got, double want)
{
	assert_true(fabs(got - want) <= fabs(want) * 1e-6);
}

/* A week fits in its bound, in steps of four minutes, and its sums are those
 * of what was added. */
static void a_week_fits_and_adds_up(void **state)
{
	const int n = WEEK_S / 30;
	struct track_copy c;
	struct track t;
	struct sums x;
	struct stat st;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, n);
	track_close(&t);
	assert_int_equal(fstatat(dir, "a.track", &st, 0), 0);
	assert_true(st.st_size <= 256 * 1024);
	c = read_gpu();
	assert_in_range(c.count, TRACK_SAMPLES / 2, TRACK_SAMPLES);
	assert_true(c.samples.gpu[0].length_s > 239);
	assert_true(c.samples.gpu[0].length_s < 241);
	x = sums_of(&c);
	near(x.length, WEEK_S);
	near(x.energy, n * 9000.0);
	near(x.held, n);
	near(x.nvlink, n * 10.0);
	near(x.idle, n * 7.5);
	near(x.busy, n * 30 * 0.75);
	assert_int_equal(c.samples.gpu[0].temp_c, 47);
	assert_int_equal(c.samples.gpu[0].reasons, 15);
	assert_in_range(c.samples.gpu[0].sm_mhz, 1000, 1001);
	track_copy_fini(&c);
}

/* What one half does not know is not made up, and costs the other nothing. */
static void unknown_stays_unknown(void **state)
{
	struct track_sample a = sample_at(0), b = sample_at(1);

	(void)state;
	a.energy_j = NAN;
	a.sm_mhz = 0;
	a.temp_c = INT16_MIN;
	track_merge(TRACK_GPU, &a, &b);
	assert_true(a.energy_j == 9000);
	assert_int_equal(a.sm_mhz, 1001);
	assert_int_equal(a.temp_c, 41);
	assert_true(isnan(a.sm) && isnan(a.pcie_mb));
	assert_true(a.length_s == 60);
}

static void rates_of_a_port_are_extremes(void **state)
{
	struct track_traffic a = { .length_s = 30, .peak_gbps = 20,
				   .rate_gbit = 400, .rx_mb = 5, .downs = 0 };
	struct track_traffic b = { .length_s = 30, .peak_gbps = 30,
				   .rate_gbit = 200, .rx_mb = 7, .downs = 1 };

	(void)state;
	track_merge(TRACK_PORT, &a, &b);
	assert_true(a.peak_gbps == 30 && a.rate_gbit == 200);
	assert_true(a.rx_mb == 12 && a.downs == 1);
}

static void a_second_writer_goes_on(void **state)
{
	struct track_id other = gpu;
	struct track_copy c;
	struct track t;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, 5);
	track_close(&t);
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 5, 1);
	c = read_gpu();
	assert_int_equal(c.count, 6);
	track_copy_fini(&c);
	track_close(&t);
	/* Another boot, another device: what lies there is nobody's. */
	other.boot_id = "another";
	assert_int_equal(track_open(&t, dir, "a.track", &other), 0);
	assert_int_equal(t.head.count, 0);
	track_close(&t);
	other.device = "GPU-2";
	assert_int_equal(track_open(&t, dir, "a.track", &other), 0);
	assert_int_equal(t.head.count, 0);
	track_close(&t);
}

/* Killed between the two writes of a change: odd for ever, until the next
 * writer; its readers do not hang, and say so. */
static void a_killed_writer_is_survived(void **state)
{
	struct track_copy c;
	struct track t;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, 4);
	t.head.seq = 7;
	assert_int_equal(pwrite(t.fd, &t.head, sizeof(t.head), 0),
			 sizeof(t.head));
	track_close(&t);
	c = read_gpu();
	assert_int_equal(c.count, 4);
	assert_true(c.torn);
	track_copy_fini(&c);
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 4, 1);
	track_close(&t);
	c = read_gpu();
	assert_int_equal(c.count, 5);
	assert_false(c.torn);
	track_copy_fini(&c);
}

static void what_ended_before_a_job_is_forgotten(void **state)
{
	struct track_copy c;
	struct track t;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, TRACK_SAMPLES + 10);
	assert_int_equal(t.head.stride, 2);
	/* The one in which the job begins stays. */
	assert_int_equal(track_forget(&t, UP + 130), 0);
	c = read_gpu();
	assert_int_equal(c.samples.gpu[0].from_s, 120);
	track_copy_fini(&c);
	assert_int_equal(track_forget(&t, UP + WEEK_S), 0);
	assert_int_equal(t.head.count, 0);
	assert_int_equal(t.head.stride, 1);
	add(&t, 0, 2);
	c = read_gpu();
	assert_int_equal(c.count, 2);
	track_copy_fini(&c);
	track_close(&t);
}

static void a_job_begins_with_its_own_sample(void **state)
{
	struct track_copy c;
	struct track t;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, TRACK_SAMPLES + 1);
	assert_int_equal(t.head.filled, 1);
	track_part(&t);
	add(&t, TRACK_SAMPLES + 1, 1);
	c = read_gpu();
	assert_int_equal(c.count, TRACK_SAMPLES / 2 + 2);
	assert_true(c.samples.gpu[c.count - 1].length_s == 30);
	track_copy_fini(&c);
	track_close(&t);
}

static void no_track(const char *name, int why)
{
	struct track_copy c;

	assert_int_equal(track_read(dir, name, TRACK_GPU, &c), -1);
	assert_int_equal(errno, why);
	assert_null(c.samples.any);
}

static void foreign_files_are_no_tracks(void **state)
{
	struct track_copy c;
	struct track t;
	char head[192] = "assaytrk";
	uint32_t v = 99;

	(void)state;
	no_track("a.track", ENOENT);
	fixture_file(&fx, "a.track", "");
	no_track("a.track", EINVAL);
	fixture_file(&fx, "a.track", "something else that somebody left");
	no_track("a.track", EINVAL);
	memcpy(head + 8, &v, sizeof(v));	/* of the future */
	fixture_bytes(&fx, "a.track", head, sizeof(head));
	no_track("a.track", EINVAL);
	fixture_link(&fx, "l.track", "a.track");
	no_track("l.track", ELOOP);
	assert_int_equal(mkfifoat(dir, "f.track", 0600), 0);
	no_track("f.track", EINVAL);
	fixture_dir(&fx, "d.track");
	no_track("d.track", EINVAL);
	/* Its writer begins anew, whatever it was. */
	assert_int_equal(track_open(&t, dir, "f.track", &gpu), 0);
	assert_int_equal(track_open(&t, dir, "l.track", &gpu), 0);
	track_close(&t);
	/* A port's is no GPU's. */
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	track_close(&t);
	assert_int_equal(track_read(dir, "a.track", TRACK_PORT, &c), -1);
}

static void short_files_give_what_they_have(void **state)
{
	struct track_copy c;
	struct track t;
	char path[1024];

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, 4);
	track_close(&t);
	fixture_path(&fx, "a.track", path);
	assert_int_equal(truncate(path, 192 + 2 * 80 + 17), 0);
	c = read_gpu();
	assert_int_equal(c.count, 2);
	assert_true(c.torn);
	track_copy_fini(&c);
	assert_int_equal(truncate(path, 191), 0);
	no_track("a.track", EINVAL);
}

static void nonsense_is_cut_off(void **state)
{
	struct track_sample bad[] = { sample_at(0), sample_at(1),
				      sample_at(2) };
	struct track_copy c;
	struct track t;

	(void)state;
	bad[1].length_s = NAN;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	assert_int_equal(track_add(&t, &bad[0]), 0);
	assert_int_equal(track_add(&t, &bad[1]), 0);
	assert_int_equal(track_add(&t, &bad[2]), 0);
	track_close(&t);
	c = read_gpu();
	assert_int_equal(c.count, 1);
	assert_true(c.torn);
	track_copy_fini(&c);
}

/* Who may read may hold any lock, and keep the file open for ever. */
static void a_reader_cannot_disturb(void **state)
{
	struct flock all = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	struct track_copy c;
	struct track t;
	int fd;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	add(&t, 0, 1);
	fd = openat(dir, "a.track", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
	add(&t, 1, TRACK_SAMPLES);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	add(&t, TRACK_SAMPLES + 1, 1);
	c = read_gpu();
	assert_int_equal(c.count, TRACK_SAMPLES / 2 + 1);
	assert_false(c.torn);
	track_copy_fini(&c);
	close(fd);
	track_close(&t);
}

static void *writer(void *arg)
{
	struct track *t = arg;
	struct track_sample s;
	int i;

	for (i = 0; i < 3 * TRACK_SAMPLES; i++) {
		s = sample_at(i);
		/* Two figures that must always go together. */
		s.held_hw_s = s.energy_j;
		if (track_add(t, &s) < 0)
			return t;
	}
	return NULL;
}

/* Beside a writer that changes the last sample all the time, what a reader
 * calls whole is whole. */
static void whole_while_it_is_written(void **state)
{
	struct track_copy c;
	pthread_t thread;
	struct track t;
	void *failed;
	int i, k;

	(void)state;
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	assert_int_equal(pthread_create(&thread, NULL, writer, &t), 0);
	for (i = 0; i < 300; i++) {
		c = read_gpu();
		for (k = 0; !c.torn && k < c.count; k++)
			assert_true(c.samples.gpu[k].held_hw_s ==
				    c.samples.gpu[k].energy_j);
		track_copy_fini(&c);
	}
	pthread_join(thread, &failed);
	assert_null(failed);
	c = read_gpu();
	near(sums_of(&c).energy, 3 * TRACK_SAMPLES * 9000.0);
	track_copy_fini(&c);
	track_close(&t);
}

static void names_stay_in_their_directory(void **state)
{
	char name[TRACK_NAME_SIZE];

	(void)state;
	assert_string_equal(track_name("GPU-12-ab", name), "GPU-12-ab.track");
	assert_string_equal(track_name("mlx5_0:1", name), "mlx5_0:1.track");
	assert_string_equal(track_name("../../etc/x", name),
			    "_._.._etc_x.track");
	assert_string_equal(track_name("a\nb/c", name), "a_b_c.track");
}

/* Closes of what was not open: in a program with more descriptors they would
 * be somebody else's. */
static int closed_twice;

int close(int fd)
{
	int rc = (int)syscall(SYS_close, fd);

	closed_twice += rc < 0 && errno == EBADF;
	return rc;
}

static void what_cannot_begin_is_closed_once(void **state)
{
	struct track t;

	(void)state;
	closed_twice = 0;
	fixture_file(&fx, "a.track", "something else that somebody left");
	fixture_dir(&fx, ".a.track.new");	/* in the way of a new one */
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(t.fd, -1);
	assert_int_equal(closed_twice, 0);
	assert_int_equal(rmdir(fixture_path(&fx, ".a.track.new",
					    (char[1024]){ 0 })), 0);
	assert_int_equal(track_open(&t, dir, "a.track", &gpu), 0);
	track_close(&t);
	assert_int_equal(closed_twice, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(few_are_as_they_were_added),
		TEST(a_week_fits_and_adds_up),
		TEST(unknown_stays_unknown),
		TEST(rates_of_a_port_are_extremes),
		TEST(a_second_writer_goes_on),
		TEST(a_killed_writer_is_survived),
		TEST(what_ended_before_a_job_is_forgotten),
		TEST(a_job_begins_with_its_own_sample),
		TEST(foreign_files_are_no_tracks),
		TEST(short_files_give_what_they_have),
		TEST(nonsense_is_cut_off),
		TEST(a_reader_cannot_disturb),
		TEST(whole_while_it_is_written),
		TEST(names_stay_in_their_directory),
		TEST(what_cannot_begin_is_closed_once),
	};

	return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
