/* SPDX-License-Identifier: Apache-2.0
 * merge write DIR NODES: records of so many nodes with 8 GPUs and 8 ports each,
 * as their publishers leave them in a shared_dir.
 * merge DIR NODES: read and merge them, render the block, and say how long
 * that took by the clock and on the CPU, what memory it needed at most, and
 * of what it was: "612.3 ms 412.3 ms 40.1 MiB 8192 GPUs 10 KiB each".
 */
#include "config.h"
#include "tests/unit/stories.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/block.h"
#include "epilog/merge.h"
#include "epilog/records.h"
#include "epilog/series.h"
#include "epilog/shared.h"
#include "epilog/spool.h"
#include "epilog/summary.h"
#include "lib/clock.h"

#define JOB 1234 /* the stories' */

static int put(const char *dir, const json_t *record)
{
	char *text = json_dumps(record, SUMMARY_DUMP);
	char name[SPOOL_NAME_MAX];
	struct shared_text t = { .name = spool_name(record, name), .text = text };
	int rc = -1;

	if (text && t.name) {
		t.size = strlen(text);
		rc = shared_put(dir, &t);
	}
	free(text);
	return rc;
}

static int write_node(const char *dir, int i, int nodes)
{
	struct stories *b;
	char name[16];
	json_t *r;
	int k, rc;

	snprintf(name, sizeof(name), "n%04d", i);
	b = stories_new(name, STORIES_GPUS, 480);
	b->s.job.nodes = nodes;
	for (k = 0; k < 480; k++) { /* numbers with all their digits */
		b->sample[i % 8][k].busy = 0.3F + (float)((i + k) % 97) / 150;
		b->sample[i % 8][k].sm = 0.2F + (float)(k % 89) / 170;
	}
	stories_sum(b);
	r = summary_node(&b->s);
	json_object_set_new(r, "series", series_of(&b->s));
	rc = put(dir, r);
	json_decref(r);
	free(b);
	return rc;
}

static int add_node(const json_t *record, void *arg)
{
	return merge_add(arg, record);
}

static double file_kib(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/jobs/%d.0/n0000.json", dir, JOB);
	return stat(path, &st) < 0 ? 0 : (double)st.st_size / 1024;
}

static double cpu_ms(const struct rusage *use)
{
	return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1e3 +
	       (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1e3;
}

static int merge_dir(const char *dir, int nodes)
{
	struct merge_job job = { .id = JOB, .nodes = nodes };
	int64_t start = clock_mono_us();
	struct merge *m = merge_create(&job);
	struct rusage use;
	struct block b;
	struct records_query q = { .dir = dir, .owner = geteuid(), .job = JOB };
	json_t *r;

	if (records_each_shared(&q, add_node, m, NULL) != 0)
		return 1;
	r = merge_finish(m);
	if (!r)
		return 1;
	block_render(r, &b);
	getrusage(RUSAGE_SELF, &use);
	printf("%.1f ms %.1f ms %.1f MiB %zu GPUs %.0f KiB each\n",
	       (double)(clock_mono_us() - start) / 1000, cpu_ms(&use),
	       (double)use.ru_maxrss / 1024,
	       json_array_size(json_object_get(r, "gpu")), file_kib(dir));
	json_decref(r);
	merge_destroy(m);
	return b.count < 1;
}

int main(int argc, char **argv)
{
	int i, nodes = argc > 2 ? atoi(argv[argc - 1]) : 0;

	if (argc == 3)
		return merge_dir(argv[1], nodes);
	if (argc != 4 || strcmp(argv[1], "write") != 0)
		return 2;
	for (i = 0; i < nodes; i++)
		if (write_node(argv[2], i, nodes) < 0)
			return 1;
	return 0;
}
