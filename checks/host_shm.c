/* SPDX-License-Identifier: Apache-2.0
 * host_shm: is there room in /dev/shm, which NCCL and data loaders need? */
#include "config.h"
#include "checks/check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "checks/node.h"

#define MIB (1024 * 1024)

static const struct cfg_key keys[] = {
	{ "min_mb", CFG_INT, "MB", "1024", 0, 1LL << 40, NULL,
	  "room that /dev/shm has to have; 0: not judged" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_host_shm;

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int64_t min = check_cfg_int(env, &check_host_shm, "min_mb");
	int64_t avail = h->shm_avail.v / MIB;
	struct finding *f;

	if (h->shm_avail.rc == ENOENT) {
		f = result_add(r, STATUS_FAIL, "absent", "node",
			       "no /dev/shm");
		node_remedy(f, REMEDY_CONFIG);
		return 0;
	}
	if (h->shm_avail.rc < 0 || h->shm_avail.rc == ENOSYS)
		return result_skip(r, "the size of /dev/shm is not known");
	if (h->shm_avail.rc)
		return result_error(r, "statfs /dev/shm: %s",
				    strerror(h->shm_avail.rc));
	if (avail >= min)
		return 0;
	f = result_add(r, STATUS_FAIL, "room", "node",
		       "/dev/shm has %" PRId64 "<%" PRId64 " of %" PRId64
		       " MB free", avail, min, h->shm_total.v / MIB);
	node_numbers(f, (double)avail, (double)min, "MB");
	node_remedy(f, REMEDY_CONFIG);
	node_evidence(f, env, "shm");
	return 0;
}

const struct check check_host_shm = {
	.name = "host_shm",
	.summary = "/dev/shm has room",
	.reads = "statfs of /dev/shm; microseconds",
	.fails = "less free than min_mb, or no /dev/shm at all",
	.advice = "remove what dead jobs left there, or mount it larger",
	.domain = DOMAIN_HOST,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
