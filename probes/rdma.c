/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probes/crew.h"
#include "probes/rdma_counters.h"
#include "probes/rdma_traffic.h"

/* ---- libibverbs ------------------------------------------------------------ */

static int load(struct rdma_port *p, struct probe_shot *shot)
{
	const char *path = p->plan->verbs_path;
	struct err e;
	int rc;

	if (p->plan->roots->injected && !(path && *path))
		return device_unable(shot, "[paths] root is not /, and "
					   "[libraries] has no verbs");
	rdma_enter(p, "dlopen");
	rc = devlibs_verbs_load(&p->verbs, path, &e);
	if (rc < 0)
		rc = measure_no_library(path, &e, shot);
	rdma_leave(p);
	return rc;
}

/* ---- the device ------------------------------------------------------------ */

static int no_list(struct rdma_port *p, struct probe_shot *shot, int code)
{
	if (code == ENOSYS) {
		rdma_leave(p);
		return device_unable(shot, "the kernel offers no verbs: is "
					   "ib_uverbs loaded?");
	}
	return rdma_failed(p, shot, devlibs_verbs_names.get_device_list, code);
}

struct uverbs {
	const struct rdma_port *port;
	char name[32];		/* "uverbs0" */
};

static int is_its_uverbs(const char *name, void *arg)
{
	struct uverbs *u = arg;
	char device[64];

	if (roots_readf(u->port->plan->roots, device, sizeof(device),
			"sys/class/infiniband_verbs/%s/ibdev", name) <= 0 ||
	    strcmp(device, u->port->hca->name))
		return 0;
	snprintf(u->name, sizeof(u->name), "%s", name);
	return 1;
}

/* The kernel has it, libibverbs has not. That passes over devices that have no
 * file, and each driver has its half there. */
static int not_listed(struct rdma_port *p, struct probe_shot *shot)
{
	const struct roots *r = p->plan->roots;
	struct uverbs u = { .port = p };

	if (!roots_exists(r, "sys/class/infiniband/%s", p->hca->name))
		return rdma_fault(shot, RDMA_RC_GONE,
				  devlibs_verbs_names.get_device_list,
				  "%s has gone", p->hca->name);
	if (roots_each(r, "sys/class/infiniband_verbs", is_its_uverbs, &u) == 1
	    && !roots_exists(r, "dev/infiniband/%s", u.name))
		return device_unable(shot, "/dev/infiniband/%s: %s", u.name,
				     strerror(ENOENT));
	return device_unable(shot, "libibverbs does not know %s: its provider "
				   "%s%s%sis missing", p->hca->name,
			     p->hca->driver[0] ? "for " : "", p->hca->driver,
			     p->hca->driver[0] ? " " : "");
}

/* Amazon's EFA has no reliable connections, and iWARP's are made by other means
 * than a queue pair's attributes. */
static int check_kind(const struct ibv_device *d, struct probe_shot *shot)
{
	if (d->transport_type == IBV_TRANSPORT_IWARP)
		return device_never(shot, "%s is an iWARP device", d->name);
	if (d->transport_type != IBV_TRANSPORT_IB)
		return device_never(shot, "%s has no reliable connections",
				    d->name);
	return 0;
}

/* libibverbs looks for the device under other names, too, waits for seconds if
 * it may not open it, and then says only that there is none. */
static int why_not(const struct rdma_port *p, const struct ibv_device *d)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "dev/infiniband/%s", d->dev_name);
	fd = roots_openat(p->plan->roots, path, O_RDWR);
	if (fd < 0)
		return errno;
	close(fd);
	return ENOENT;
}

static int not_opened(struct rdma_port *p, const struct ibv_device *d,
		      struct probe_shot *shot, int code)
{
	if (code == EPERM || code == EACCES || code == ENOENT) {
		rdma_leave(p);
		if (code == ENOENT)
			code = why_not(p, d);
		return device_unable(shot, "/dev/infiniband/%s: %s",
				     d->dev_name, strerror(code));
	}
	return rdma_failed(p, shot, devlibs_verbs_names.open_device, code);
}

static int open_device(struct rdma_port *p, struct ibv_device *d,
		       struct probe_shot *shot)
{
	if (check_kind(d, shot) < 0)
		return -1;
	RDMA_ENTER(p, open_device);
	errno = why_not(p, d);
	if (errno == EPERM || errno == EACCES)
		return not_opened(p, d, shot, errno);
	errno = 0;
	p->context = p->verbs.open_device(d);
	if (!p->context)
		return not_opened(p, d, shot, errno);
	rdma_leave(p);
	return 0;
}

static int find_device(struct rdma_port *p, struct probe_shot *shot)
{
	struct ibv_device **list;
	int i, rc, n = 0;

	RDMA_ENTER(p, get_device_list);
	errno = 0;
	list = p->verbs.get_device_list(&n);
	if (!list)
		return no_list(p, shot, errno);
	rdma_leave(p);
	for (i = 0; i < n; i++)
		if (strcmp(p->verbs.get_device_name(list[i]), p->hca->name) ==
		    0)
			break;
	rc = i < n ? open_device(p, list[i], shot) : not_listed(p, shot);
	p->verbs.free_device_list(list);
	return rc;
}

int rdma_open(struct rdma_port *p, const struct crew_plan *plan, int port,
	      struct probe_shot *shot)
{
	p->plan = plan;
	p->hca = &plan->fabric->hca[plan->port[port].hca];
	p->number = plan->port[port].number;
	p->context = NULL;
	if (load(p, shot) < 0)
		return -1;
	return find_device(p, shot);
}

int rdma_counted(const struct rdma_port *p, struct rdma_shot *how,
		 rdma_body_f body, void *arg)
{
	const struct roots *r = p->plan->roots;
	struct rdma_counters before, after;
	struct rdma_traffic moved_before, moved_after;
	int rc;

	rdma_counters_read(r, p->hca, p->number, &before);
	rdma_traffic_read(r, p->hca, p->number, &moved_before);
	rc = body(arg);
	rdma_counters_settle(r, p->hca, p->number);
	rdma_traffic_read(r, p->hca, p->number, &moved_after);
	rdma_counters_read(r, p->hca, p->number, &after);
	rdma_counters_raised(&before, &after, how);
	how->other_gbps = rdma_traffic_others(&moved_before, &moved_after, how);
	return rc;
}

int rdma_numa(const struct rdma_port *p)
{
	return p->plan->roots->injected ? -1 : p->hca->numa_node;
}

void rdma_close(struct rdma_port *p)
{
	if (!p->context)
		return;
	RDMA_ENTER(p, close_device);
	p->verbs.close_device(p->context);
	p->context = NULL;
	rdma_leave(p);
}
