/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/counters.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 4096

struct slot {
	uint64_t key; /* 0: free */
	uint32_t count;
	uint32_t unused;
};

static char place[4200];
static struct slot private_table[SLOTS];
static struct slot *table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int open_place(void)
{
	int fd;

	if (!*place)
		return -1;
	fd = open(place, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && ftruncate(fd, sizeof(private_table)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void map_table(void)
{
	void *p = MAP_FAILED;
	int fd = open_place();

	if (fd >= 0) {
		p = mmap(NULL, sizeof(private_table), PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
		close(fd);
	}
	table = p == MAP_FAILED ? private_table : p;
}

void counters_use(const char *scenario)
{
	const char *slash = strrchr(scenario, '/');
	int dir_len = slash ? (int)(slash - scenario) : 0;
	char dir[4096];
	struct stat st, dst;

	if (stat(scenario, &st) < 0)
		return;
	snprintf(dir, sizeof(dir), "%.*s/seq.d", dir_len, scenario);
	if (!slash || stat(dir, &dst) < 0 || !S_ISDIR(dst.st_mode)) {
		snprintf(dir, sizeof(dir), "/tmp/assay-fake-%u",
			 (unsigned int)geteuid());
		if (mkdir(dir, 0700) < 0 &&
		    (lstat(dir, &dst) < 0 || !S_ISDIR(dst.st_mode) ||
		     dst.st_uid != geteuid()))
			return;
	}
	snprintf(place, sizeof(place), "%s/%llx-%llx-%llx.%lx", dir,
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		 (unsigned long long)st.st_mtim.tv_sec,
		 (unsigned long)st.st_mtim.tv_nsec);
}

uint32_t counters_next(uint64_t key)
{
	uint64_t free_key;
	unsigned int i;
	struct slot *s;

	pthread_once(&once, map_table);
	key |= 1;
	for (i = 0; i < SLOTS; i++) {
		s = &table[(key + i) % SLOTS];
		free_key = 0;
		if (__atomic_load_n(&s->key, __ATOMIC_ACQUIRE) == key ||
		    __atomic_compare_exchange_n(&s->key, &free_key, key, 0,
						__ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    free_key == key)
			return __atomic_fetch_add(&s->count, 1, __ATOMIC_ACQ_REL);
	}
	return 0;
}
