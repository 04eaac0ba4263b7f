/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_shot.h"

#include <string.h>

static const char *const names[PROBE_COUNT] = {
#define X(name) #name,
	PROBES_QUICK(X) PROBES_DEEP(X)
#undef X
};

static const char *const path_names[PROBE_PATH_COUNT] = {
#define X(name) #name,
	PROBE_PATHS(X)
#undef X
};

const char *probe_name(enum probe p)
{
	return names[p];
}

const char *probe_path_name(enum probe_path p)
{
	return path_names[p];
}

bool probe_is_of_ports(enum probe p)
{
	return p == PROBE_loopback || p == PROBE_latency;
}

bool probe_rc_is_rdma(const struct probe_shot *s)
{
	return !strncmp(s->call, "ibv_", 4) || !strncmp(s->call, "RDMA ", 5);
}
