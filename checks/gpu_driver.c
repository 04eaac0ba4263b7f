/* SPDX-License-Identifier: Apache-2.0
 * gpu_driver: does the driver answer, for the node and for each GPU? */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>

#include "checks/gpu_each.h"

extern const struct check check_gpu_count;

static int64_t expected(const struct check_env *env)
{
	return check_cfg_int(env, &check_gpu_count, "expected");
}

static bool node_has_gpus(const struct check_env *env)
{
	const struct facts_gpus *g = &env->facts->gpus;

	return g->pci_count > 0 || g->proc_count > 0 || g->nvml_count > 0 ||
	       g->count > 0 || env->job_gpus > 0 || expected(env) > 0;
}

static void node_finding(const struct check_env *env, struct finding *f,
			 enum remedy remedy)
{
	if (!f)
		return;
	f->everybodys = true;
	f->remedy = remedy;
	gpu_evidence_boot(f, env, "%s", f->code);
}

/* ---- the node as a whole ---------------------------------------------- */

static void judge_timeout(const struct check_env *env, struct check_result *r)
{
	const struct gather *g = &env->facts->gpus.gather;
	struct finding *f;

	f = result_add(r, STATUS_TIMEOUT, "timeout", "node",
		       "%s does not return", g->call[0] ? g->call : "driver");
	node_finding(env, f, REMEDY_REBOOT);
	if (f) {
		f->witness = g->witness;
		f->value = (double)g->elapsed_us / 1000;
		snprintf(f->unit, sizeof(f->unit), "ms");
	}
}

/* The driver upgraded under a running module, or not there at all. */
static void judge_init_rc(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	struct finding *f;
	int rc = g->init_rc;

	if (rc == GPU_RC_MISMATCH)
		f = result_add(r, STATUS_FAIL, gpu_rc_suffix(rc), "node",
			       "driver %s is loaded, its library is of another "
			       "version",
			       g->kernel_driver[0] ? g->kernel_driver
						   : "unknown");
	else
		f = result_add(r, STATUS_FAIL, gpu_rc_suffix(rc), "node",
			       "NVML does not start: %s (%d)", gpu_rc_text(rc),
			       rc);
	node_finding(env, f, gpu_rc_remedy(rc));
}

/* Our own tools are not whole: loud, but no fault of the node. */
static int judge_tools(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;

	if (g->no_library)
		return result_error(r, "NVML cannot be loaded: %s",
				    g->library_error);
	if (g->missing_required > 0)
		return result_error(r, "NVML lacks %d calls that are needed",
				    g->missing_required);
	if (g->init_rc > 0)
		return result_error(r, "NVML does not start: %s (%d)",
				    gpu_rc_text(g->init_rc), g->init_rc);
	return 0;
}

/* ---- one GPU ----------------------------------------------------------- */

/* The first fatal code that any call about this GPU returned, or 0. */
static int fatal_rc(const struct gpu *g)
{
	int i;

	if (gpu_rc_fatal(g->handle_rc))
		return g->handle_rc;
#define X(m) \
	if (gpu_rc_fatal(g->m.rc)) \
		return g->m.rc;
	FACTS_GPU_VALS(X)
#undef X
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		if (gpu_rc_fatal(g->link_state[i].rc))
			return g->link_state[i].rc;
	return 0;
}

static void judge_hung(const struct check_env *env, struct check_result *r, int i)
{
	const struct gpu *g = &env->facts->gpus.gpu[i];
	struct finding *f;

	f = result_add_gpu(r, STATUS_TIMEOUT, "hung", env, i,
			   "%s does not return", g->call[0] ? g->call : "driver");
	if (!f)
		return;
	f->witness = g->hung_twice;
	f->remedy = REMEDY_REBOOT;
	gpu_evidence_boot(f, env, "hung");
}

static void judge_gpu(const struct check_env *env, struct check_result *r, int i)
{
	const struct gpu *g = &env->facts->gpus.gpu[i];
	struct finding *f;
	int rc;

	/* The kernel log's finding; not for this job to know. */
	if (g->dead_by_log || g->fenced)
		return;
	if (g->hung) {
		judge_hung(env, r, i);
		return;
	}
	if (!g->asked)
		return;
	rc = fatal_rc(g);
	if (rc) {
		f = result_add_gpu(r, STATUS_FAIL, gpu_rc_suffix(rc), env, i,
				   "%s (NVML %d)", gpu_rc_text(rc), rc);
		if (f) {
			f->remedy = gpu_rc_remedy(rc);
			gpu_evidence_boot(f, env, "rc=%d", rc);
		}
	} else if (g->handle_rc > 0 && g->handle_rc != GPU_RC_NOT_FOUND) {
		result_add_gpu(r, STATUS_ERROR, "handle", env, i,
			       "no handle: %s (NVML %d)",
			       gpu_rc_text(g->handle_rc), g->handle_rc);
	}
}

static int judge_gpus(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int i;

	for (i = 0; i < g->count; i++)
		judge_gpu(env, r, i);
	/* A hang that no GPU is named for is the node's. */
	if (g->gather.end == GATHER_TIMEOUT && !r->count)
		judge_timeout(env, r);
	else if (g->init_rc == VAL_UNASKED && !r->count)
		return result_skip(r, "the driver was not asked");
	return 0;
}

/* ---- a second timeout, later ------------------------------------------ */

#define SECOND_TIMEOUT_S 60	/* a health check this much later is a witness */

/* Whose timeout it is, in a form that survives a change of order. */
static const char *whose(const struct check_env *env, const struct finding *f)
{
	const struct gpu *g;

	if (f->gpu < 0)
		return "node";
	g = &env->facts->gpus.gpu[f->gpu];
	return g->uuid[0] ? g->uuid : g->bus_id;
}

/* Remember since when each of them has been timing out without an answer in
 * between; the health check that meets it again confirms it. */
static void note_timeouts(const struct check_env *env, struct check_result *r)
{
	json_t *since = json_object();
	const json_t *was;
	struct finding *f;
	int64_t first;
	int i;

	for (i = 0; since && i < r->count; i++) {
		f = &r->finding[i];
		if (f->status != STATUS_TIMEOUT)
			continue;
		was = json_object_get(env->memory, whose(env, f));
		first = was ? json_integer_value(was) : env->now_s;
		if (first > env->now_s)
			first = env->now_s;
		json_object_set_new(since, whose(env, f), json_integer(first));
		if (env->context == CONTEXT_HEALTH &&
		    env->now_s - first >= SECOND_TIMEOUT_S)
			f->witness = true;
	}
	if (json_object_size(since) || json_object_size(env->memory))
		r->memory = json_incref(since);
	json_decref(since);
}

static int judge(const struct check_env *env, struct check_result *r);

static int run(const struct check_env *env, struct check_result *r)
{
	int rc = judge(env, r);

	/* Not asked is no answer: what was noted stays. */
	if (!r->skipped && rc == 0)
		note_timeouts(env, r);
	return rc;
}

/* Slurm's "gpu" may be of another maker: that a job has some promises no
 * driver of NVIDIA's. A device, or the config, does. */
static void only_if_promised(const struct check_env *env,
			     struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int i;

	if (g->pci_count > 0 || g->proc_count > 0 || g->module_loaded ||
	    g->count > 0 || expected(env) > 0)
		return;
	for (i = 0; i < r->count; i++)
		r->finding[i].at_most = ACTION_WARN;
}

static int judge(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;

	if (!env->job_has_gpus)
		return result_skip(r, "the job has no GPUs");
	if (g->gather.end == GATHER_TIMEOUT)
		return judge_gpus(env, r);
	/* Whatever stands in the facts then, nobody vouches for it. */
	if (g->gather.end == GATHER_ERROR || g->gather.end == GATHER_CRASHED)
		return result_error(r, "reading the GPUs: %s", g->gather.why);
	if (!node_has_gpus(env))
		return result_skip(r, "no NVIDIA GPU here, none expected");
	if (g->gather.end == GATHER_NONE)
		return result_skip(r, "the GPUs were not asked");
	if (gpu_rc_fatal(g->init_rc)) {
		judge_init_rc(env, r);
		only_if_promised(env, r);
		return 0;
	}
	if (!g->module_loaded && g->init_rc != GPU_RC_OK) {
		node_finding(env,
			     result_add(r, STATUS_FAIL, "no_module", "node",
					"kernel module nvidia is not loaded"),
			     REMEDY_REBOOT);
		only_if_promised(env, r);
		return 0;
	}
	if (judge_tools(env, r))
		return -1;
	return judge_gpus(env, r);
}

const struct check check_gpu_driver = {
	.name = "gpu_driver",
	.summary = "the NVIDIA driver answers, for the node and each GPU",
	.reads = "how loading and starting NVML went, the kernel module, and "
		 "the return codes of all calls about each GPU; no call of its "
		 "own",
	.fails = "the module is not loaded on a node with GPUs, NVML says that "
		 "a GPU is lost or needs a reset or that driver and library "
		 "differ; TIMEOUT when a call does not come back",
	.advice = "Lost, hung or not loaded: reboot, and look at the kernel "
		  "log first. Needs a reset: nvidia-smi -r on the idle GPU. "
		  "Versions differ: the driver was upgraded under a running "
		  "module, reboot.",
	.domain = DOMAIN_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};
