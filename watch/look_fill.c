/* SPDX-License-Identifier: Apache-2.0
 * Inside of the worker that reads files. */
#include "config.h"
#include "watch/look.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/cpulist.h"
#include "lib/facts_fabric.h"
#include "watch/snapshot.h"

#define X(member, file) { file, offsetof(struct port_reading, member) },
static const struct {
	const char *file;
	size_t offset;
} counters[] = { LOOK_COUNTERS(X) };
#undef X

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct val counter(const struct roots *r, const char *hca, int port,
			  const char *file)
{
	uint64_t v;

	if (roots_read_u64(r, &v, "sys/class/infiniband/%s/ports/%d/%s", hca,
			   port, file) < 0)
		return (struct val){ .rc = errno == ENOENT ? VAL_NO_FILE :
							     errno };
	return (struct val){ .v = (int64_t)(v & INT64_MAX) };
}

/* A group whose counters were refused is not asked again in this round. */
static void fill_port(const struct look *l, const struct hca *h, int k,
		      struct port_reading *out)
{
	bool refused[2] = { false, false };
	struct val *v;
	size_t i;

	out->port = h->port[k];
	out->at_us = clock_mono_us();
	for (i = 0; i < COUNT(counters); i++) {
		bool hw = counters[i].file[0] == 'h';

		v = (struct val *)((char *)out + counters[i].offset);
		v->rc = VAL_UNASKED;
		if (refused[hw])
			continue;
		*v = counter(&l->s->roots, h->name, h->port[k].number,
			     counters[i].file);
		refused[hw] = v->rc > 0 && v->rc != EINVAL;
	}
}

static void fill_ports(const struct look *l, struct look_page *page)
{
	static struct facts_fabric f;
	int i, k, n = 0;

	if (facts_fabric_gather(&l->s->roots, l->memory, &f) < 0)
		return;
	for (i = 0; i < f.hca_count; i++)
		for (k = 0; k < f.hca[i].port_count && n < LOOK_PORTS_MAX;
		     k++, n++) {
			snapshot_port_name(&f.hca[i], &f.hca[i].port[k],
					   page->port_name[n]);
			fabric_port_name(&f.hca[i], &f.hca[i].port[k],
				page->port_subject[n]);
			fill_port(l, &f.hca[i], k, &page->port[n]);
		}
	page->port_count = n;
}

static int cpus_of(const struct roots *r, const struct cgroup *c)
{
	struct cpulist list;
	char text[4096];

	if (!c->dir[CGROUP_V2][0] ||
	    roots_readf(r, text, sizeof(text), "%.480s/cpuset.cpus.effective",
			c->dir[CGROUP_V2]) <= 0 ||
	    cpulist_parse(text, &list) < 0)
		return 0;
	return cpulist_count(&list);
}

static void fill_host(const struct look *l, const struct cgroup_job *job,
		      struct host_reading *out)
{
	struct cgroup c;

	memset(out, 0, sizeof(*out));
	out->found = cgroup_of_job(&l->s->roots, job, &c);
	out->at_us = clock_mono_us();
	cgroup_read(&l->s->roots, &c, &out->usage);
	if (out->found)
		out->cpus = cpus_of(&l->s->roots, &c);
}

void look_fill(const struct look *l, struct look_page *page)
{
	int i;

	memset(page, 0, sizeof(*page));
	page->at_us = clock_mono_us();
	for (i = 0; i < l->job_count; i++)
		fill_host(l, &l->job[i], &page->host[i]);
	fill_ports(l, page);
	netfs_read(&l->s->roots, &page->net);
}
