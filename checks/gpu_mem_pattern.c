/* SPDX-License-Identifier: Apache-2.0
 * gpu_mem_pattern: does the GPU's memory keep what is written into it? Most of
 * it is gone through, in several runs where one has not the time. */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>

#include "checks/node.h"
#include "checks/probe_each.h"
#include "checks/probe_past.h"

#define OPEN "words"

static const struct probe_bad *bad_of(const struct check_env *env, int gpu)
{
	return &env->probes->gpu[gpu].bad[0];
}

static const struct probe_shot *shot_of(const struct check_env *env, int gpu)
{
	return probe_shot(env, PROBE_pattern, gpu, 0);
}

/* What was wrong twice, as the probe itself has read it once more. */
static void judge_cells(struct probe_look *l, int gpu)
{
	const struct probe_bad *bad = bad_of(l->env, gpu);
	struct finding *f;

	f = result_add_gpu(l->r, STATUS_FAIL, OPEN, l->env, gpu,
			   "%llu bad words, the first %08x for %08x",
			   (unsigned long long)bad->again, bad->got, bad->want);
	past_set_open(l->r, l->env, gpu, OPEN, OPEN);
	if (!f)
		return;
	node_numbers(f, (double)bad->again, 0, "words");
	snprintf(f->evidence, sizeof(f->evidence), OPEN);
	f->remedy = REMEDY_SERVICE;
	f->hard = true;
}

static void judge_reads(struct probe_look *l, int gpu)
{
	const struct probe_bad *bad = bad_of(l->env, gpu);
	struct finding *f;

	f = result_add_gpu(l->r, STATUS_WARN, "once", l->env, gpu,
			   "%llu words were read wrong once",
			   (unsigned long long)bad->words);
	node_numbers(f, (double)bad->words, 0, "words");
}

/* Only who has gone through all of it in one run can say that what was bad is
 * good again. */
static bool was_whole(const struct check_env *env, int gpu)
{
	return !shot_of(env, gpu)->partial &&
	       past_number(env, gpu, "next") == 0;
}

static void judge(struct probe_look *l, int gpu)
{
	const struct probe_bad *bad = bad_of(l->env, gpu);

	if (bad->again)
		judge_cells(l, gpu);
	else if (bad->words)
		judge_reads(l, gpu);
	else if (was_whole(l->env, gpu))
		past_set_open(l->r, l->env, gpu, OPEN, NULL);
	else
		past_remind(l->r, l->env, gpu);
	/* With something open the next run begins at the start. */
	past_set_number(l->r, l->env, gpu, "next",
			bad->again || past_open(l->env, gpu, OPEN) ?
				0 :
				bad->next);
}

static void report(struct probe_look *l, int gpu)
{
	const struct probe_shot *s = shot_of(l->env, gpu);
	json_t *obj;

	if (s->end == PROBE_NONE)
		return;
	obj = probe_report(l->env, PROBE_pattern, gpu, 0);
	if (s->end == PROBE_DONE) {
		probe_figure(obj, "gib", s->figure[0]);
		probe_figure(obj, "bad_words", s->figure[1]);
		probe_figure(obj, "gbps", s->figure[2]);
	}
	probe_record(l->r, obj);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct probe_look l = { .env = env, .r = r, .probe = PROBE_pattern };
	int i;

	PROBE_EACH(i, env, PROBE_pattern) {
		if (probe_measured(&l, i))
			judge(&l, i);
		else
			past_remind(r, env, i);
		report(&l, i);
	}
	return probe_end(&l);
}

const struct check check_gpu_mem_pattern = {
	.name = "gpu_mem_pattern",
	.summary = "each GPU's memory keeps what is written into it",
	.reads = "a probe of the deep tier: 90% of the free memory is written, "
		 "compared, inverted and compared again, chunk by chunk, on "
		 "all GPUs at once; a second or two. What one run has no time "
		 "for is left for the next",
	.fails = "a word is not what was written, and is not when it is read "
		 "once more; warns where it then is",
	.advice = "Look at gpu_ecc and gpu_remap: with ECC on, no bad word "
		  "should come through. Reset the GPU so that rows are "
		  "remapped, run assay health --deep again, and have the board "
		  "exchanged if it comes back.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_pattern,
	.run = run,
};
