/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/places.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"
#include "checks/ib.h"
#include "lib/facts_fabric.h"

bool place_is_port(int place)
{
	return place >= PROBE_GPUS_MAX;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int ports(const struct facts *f)
{
	int i, n = 0;

	for (i = 0; i < f->fabric.hca_count; i++)
		n += f->fabric.hca[i].port_count;
	return least(n, PROBE_PORTS_MAX);
}

int place_next(const struct facts *f, enum probe probe, int i)
{
	int first = 0, end = least(f->gpus.count, PROBE_GPUS_MAX);

	if (probe_is_of_ports(probe)) {
		first = PROBE_PLACE_PORT(0);
		end = PROBE_PLACE_PORT(ports(f));
	}
	i = i < first ? first : i + 1;
	return i < end ? i : -1;
}

/* Device after device. */
static const struct hca *find(const struct facts *f, int place, int *port)
{
	const struct hca *h = f->fabric.hca;

	for (*port = place - PROBE_GPUS_MAX; *port >= h->port_count; h++)
		*port -= h->port_count;
	return h;
}

const struct hca *place_hca(const struct facts *f, int place)
{
	int port;

	return find(f, place, &port);
}

const struct ib_port *place_port(const struct facts *f, int place)
{
	int port;
	const struct hca *h = find(f, place, &port);

	return &h->port[port];
}

const char *place_id(const struct facts *f, int place, char buf[PLACE_SIZE])
{
	if (place_is_port(place))
		snprintf(buf, PLACE_SIZE, "%s:%d", place_hca(f, place)->name,
			 place_port(f, place)->number);
	else
		snprintf(buf, PLACE_SIZE, "%s", f->gpus.gpu[place].uuid);
	return buf;
}

const char *place_name(const struct facts *f, int place, char buf[PLACE_SIZE])
{
	if (place_is_port(place))
		return fabric_port_name(place_hca(f, place),
					place_port(f, place), buf);
	snprintf(buf, PLACE_SIZE, "GPU%d", f->gpus.gpu[place].index);
	return buf;
}

bool place_is_named(const struct facts *f, int place, const struct finding *x)
{
	char name[PLACE_SIZE];

	if (!place_is_port(place))
		return x->gpu == place;
	return x->gpu < 0 && !strcmp(x->subject, place_name(f, place, name));
}

static bool ports_equal(const struct facts *f, int a, int b)
{
	const struct ib_port *p = place_port(f, a), *q = place_port(f, b);

	return ib_equal(place_hca(f, a), place_hca(f, b)) &&
	       !strcmp(p->layer, q->layer) && p->rate_gbit == q->rate_gbit;
}

bool place_equal(const struct facts *f, int a, int b)
{
	if (a == b)
		return true;
	if (place_is_port(a) != place_is_port(b))
		return false;
	return place_is_port(a) ? ports_equal(f, a, b) :
				  gpu_equal(&f->gpus.gpu[a], &f->gpus.gpu[b]);
}

static bool is_infiniband(const struct ib_port *p)
{
	return !strcmp(p->layer, "InfiniBand");
}

bool place_is_sites(const struct check_env *env, int place)
{
	const struct facts *f = env->facts;
	int i;

	if (!place_is_port(place))
		return place_equal(f, 0, place);
	if (is_infiniband(place_port(f, place)))
		return true;
	PLACE_EACH(i, f, PROBE_loopback)
		if (is_infiniband(place_port(f, i)) &&
		    !ib_excluded(env->cfg, place_hca(f, i), place_port(f, i)))
			return false;
	return true;
}

struct finding *place_finding(struct check_result *r, enum status status,
			      const char *suffix, const struct check_env *env,
			      int place, const char *text, ...)
{
	char buf[128], name[PLACE_SIZE];
	va_list ap;

	va_start(ap, text);
	vsnprintf(buf, sizeof(buf), text, ap);
	va_end(ap);
	if (!place_is_port(place))
		return result_add_gpu(r, status, suffix, env, place, "%s", buf);
	return result_add(r, status, suffix,
			  place_name(env->facts, place, name), "%s", buf);
}
