/* SPDX-License-Identifier: Apache-2.0
 * Prints the metrics that the programs write, for tests/meta/metrics.py: those
 * of a gate, of the sampler, and of the jobs whose records (an array) come by
 * stdin. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/metrics.h"
#include "epilog/job_metrics.h"
#include "watch/prom.h"
#include "watch/sampler.h"

/* A gate that drained, and a probe that measured. */
static int gate(const char *dir)
{
	struct check_result result = { .name = "gpu_membw" };
	struct verdict v = { .result = 0 };
	struct record r = {
		.verdict = &v, .action = "drain", .results = &result, .count = 1
	};
	json_t *doc = json_object();
	struct err e = { "" };
	int rc;

	result.measured = json_pack("[{s:s, s:f}]", "subject", "GPU3",
				    "read_gbps", 2900.0);
	rc = metrics_write(doc, dir, &r, &e);
	if (rc < 0)
		fprintf(stderr, "%s\n", e.text);
	json_decref(result.measured);
	json_decref(doc);
	return rc;
}

static int print_file(const char *dir, const char *name)
{
	char path[256], buf[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		fwrite(buf, 1, n, stdout);
	fclose(f);
	return unlink(path);
}

/* All figures of a zeroed reading are known, and 0. */
static int sampler(void)
{
	struct sampler *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	strcpy(w->gpu[0].name, "GPU-1");
	w->gpu[0].track.head.count = 1;
	w->gpu[0].newest.sm_mhz = 1980;
	w->gpu[0].last.round = 1;
	strcpy(w->port[0].name, "mlx5_0:1");
	strcpy(w->port[0].subject, "mlx5_0");
	w->port[0].last.at_us = 1;
	w->job_count = 1;
	w->job[0].mark.gpu_count = 1;
	prom_print(stdout, w);
	free(w);
	return 0;
}

int main(void)
{
	char dir[] = "/tmp/assay-metrics.XXXXXX";
	json_t *records = json_loadf(stdin, 0, NULL);
	int rc;

	if (!records || !mkdtemp(dir))
		return 1;
	rc = gate(dir) < 0 || print_file(dir, "assay.prom") < 0 || sampler() < 0;
	job_metrics_print(stdout, records);
	rmdir(dir);
	json_decref(records);
	return rc;
}
