/* SPDX-License-Identifier: Apache-2.0
 * ib_pcie: do the RDMA devices have all of their PCIe link? */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/ib.h"
#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "expected_width", CFG_INT, "lanes", "0", 0, 32, NULL,
	  "width of each device's link; 0: what device and slot can do" },
	{ "expected_speed_gt", CFG_INT, "GT/s", "0", 0, 256, NULL,
	  "speed of each device's link; 0: what device and slot can do" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_ib_pcie;

/* Width or speed of one device: what it is and what it could be. */
struct level {
	int64_t now, most;	/* 0 unknown */
};

static int64_t lower(int64_t a, int64_t b)
{
	return b && (!a || b < a) ? b : a;
}

/* A link on the way up counts like the device's own. In a virtual machine the
 * bridges are invented: what they claim to be able to is then less than what
 * the device has. */
static struct level level_of(int64_t own, int64_t own_max, int64_t path,
			     int64_t path_max)
{
	struct level l = { own, own_max };

	if (!own || !own_max || !path || !path_max || path_max < own)
		return l;
	l.now = lower(own, path);
	l.most = lower(own_max, path_max);
	return l;
}

static struct level width_of(const struct hca *h)
{
	return level_of(h->width, h->width_max, h->path_width,
			h->parent_width_max);
}

static struct level speed_of(const struct hca *h)
{
	return level_of(h->speed_mt, h->speed_max_mt, h->path_speed_mt,
			h->parent_speed_max_mt);
}

typedef struct level (*level_f)(const struct hca *h);

/* Do more of the equal devices have a better link than not? */
static bool is_minority(const struct facts_fabric *f, const struct hca *h,
			level_f of)
{
	int better = 0, others = 0;

	for (int i = 0; i < f->hca_count; i++) {
		struct level l = of(&f->hca[i]);

		if (!l.now || !ib_equal(&f->hca[i], h))
			continue;
		if (l.now > of(h).now)
			better++;
		else
			others++;
	}
	return better > others;
}

static void judge(const struct check_env *env, struct check_result *r,
		  const struct hca *h, level_f of, int64_t expected)
{
	struct level l = of(h);
	int64_t want = expected ? expected : l.most;
	bool fail;
	struct finding *f;

	if (!l.now || l.now >= want)
		return;
	fail = expected || is_minority(&env->facts->fabric, h, of);
	if (of == width_of) {
		f = result_add(r, fail ? STATUS_FAIL : STATUS_WARN, "width",
			       h->name, "PCIe x%d<x%d", (int)l.now, (int)want);
		node_numbers(f, (double)l.now, (double)want, "lanes");
	} else {
		f = result_add(r, fail ? STATUS_FAIL : STATUS_WARN, "speed",
			       h->name, "PCIe %.1f<%.1f GT/s",
			       (double)l.now / 1000, (double)want / 1000);
		node_numbers(f, (double)l.now / 1000, (double)want / 1000,
			     "GT/s");
	}
	node_remedy(f, REMEDY_SERVICE);
	node_evidence(f, env, "now=%" PRId64, l.now);
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_fabric *f = &env->facts->fabric;
	int64_t width = check_cfg_int(env, &check_ib_pcie, "expected_width");
	int64_t speed = check_cfg_int(env, &check_ib_pcie,
				      "expected_speed_gt");
	int known = 0;

	for (int i = 0; i < f->hca_count; i++) {
		const struct hca *h = &f->hca[i];

		if (ib_excluded(env->cfg, h, NULL))
			continue;
		known += width_of(h).now > 0;
		judge(env, r, h, width_of, width);
		judge(env, r, h, speed_of, speed * 1000);
	}
	if (!known)
		return result_skip(r, "no device shows a PCIe link");
	return 0;
}

const struct check check_ib_pcie = {
	.name = "ib_pcie",
	.summary = "RDMA devices have their full PCIe width and speed",
	.reads = "link files of each device and of the bridges above it;"
		 " 0.1 ms each",
	.fails = "a device has fewer lanes or a lower speed than it could have"
		 " and most of its equals do have, or than configured",
	.advice = "reseat the card or riser; look for correctable PCIe errors",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.keys = keys,
	.run = run,
};
