/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/verbs_traffic.h"

#include <stdio.h>

#define EVERY_NS 5000000	/* files are slow */

static double number(const struct scn_node *traffic, const char *key,
		     double otherwise)
{
	struct scn_node n = scn_step(traffic, key);

	return scn_json(&n) ? scn_real(&n) : otherwise;
}

void verbs_traffic_begin(struct fake_cq *cq, int64_t now_ns)
{
	struct scn_node n = verbs_ask(cq->context->hca, "traffic", NULL);
	struct scn_node files = scn_step(&n, "files"), item;
	struct scn_node gbps = scn_step(&n, "gbps");
	struct fake_traffic *t = &cq->traffic;
	int i;

	*t = (struct fake_traffic){ .unit = number(&n, "unit", 4),
				    .own = number(&n, "own", 0),
				    .counted_ns = now_ns };
	for (i = 0; scn_json(&files) && i < 2; i++) {
		item = scn_item(&files, (size_t)i);
		t->file[i] = scn_text(&item);
		item = scn_item(&gbps, (size_t)i);
		t->gbps[i] = scn_json(&gbps) ? scn_real(&item) : 0;
	}
}

void verbs_count(const char *file, int64_t by)
{
	FILE *f = fopen(file, "r+");
	long long v;

	if (!f || fscanf(f, "%lld", &v) != 1) {
		fprintf(stderr, "fake libibverbs: no counter %s\n", file);
	} else {
		rewind(f);
		fprintf(f, "%lld\n", v + (long long)by);
	}
	if (f)
		fclose(f);
}

void verbs_traffic_count(struct fake_cq *cq, int64_t now_ns, bool idle)
{
	struct fake_traffic *t = &cq->traffic;
	double ns = (double)(now_ns - t->counted_ns);
	int i;

	if (!idle && ns < EVERY_NS)
		return;
	for (i = 0; i < 2; i++)
		if (t->file[i])
			verbs_count(t->file[i],
				    (int64_t)((t->own * t->moved +
					       t->gbps[i] * ns) / t->unit));
	t->counted_ns = now_ns;
	t->moved = 0;
}
