/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/scrub.h"
#include "lib/spawn.h"

#define ARGS_MAX 6
#define NODE_TEXT_MAX (64 * 1024)
#define NODES_TEXT_MAX (32 * 1024 * 1024)
#define REPLY_MAX 4096
#define NOTICE_MAX 400
#define RETRY_FOR_MS (15 * 60 * 1000)
#define RETRY_FIRST_MS 2000
#define RETRY_EVERY_MS 10000
#define RETRY_CALL_MS 5000
/* Reasons are stamped in whole seconds: until the second of the own stamp is
 * over, a node may still come that sorts before this one. */
#define RANK_SETTLE_MS 1050
#define RANK_CALL_MS 300		/* kept for asking afterwards */

/* Names come from the environment: nothing that scontrol would read as an
 * option, a list of nodes or a path gets into an argument. */
static int check_node(const char *node, struct err *e)
{
	const char *p;

	for (p = node; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9') ||
		      (p > node && strchr("._-", *p))))
			break;
	if (*p || p == node || p - node > 255) {
		errno = EINVAL;
		return err_set(e, "not a node name");
	}
	return 0;
}

static int left_ms(const struct slurm *s)
{
	int64_t left = s->until_ms - clock_mono_ms();

	return left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
}

/* What scontrol said went wrong: its first line. */
static int complain(const char *what, const struct spawn_out *out,
		    struct err *e)
{
	char line[200];

	if (out->timed_out) {
		errno = ETIMEDOUT;
		return err_set(e, "scontrol %s: no answer in %" PRId64 " ms",
			       what, out->elapsed_ms);
	}
	errno = EIO;
	snprintf(line, sizeof(line), "%.*s",
		 out->text ? (int)strcspn(out->text, "\n") : 0,
		 out->text ? out->text : "");
	scrub(line);
	if (WIFEXITED(out->status))
		return err_set(e, "scontrol %s: exit %d: %s", what,
			       WEXITSTATUS(out->status), line);
	return err_set(e, "scontrol %s: ended by signal %d", what,
		       WTERMSIG(out->status));
}

/* Run scontrol with args (NULL-terminated). On success *out is the caller's
 * to free. */
static int call(const struct slurm *s, const char *const args[], size_t max,
		struct spawn_out *out, struct err *e)
{
	const char *argv[ARGS_MAX + 2] = { s->scontrol };
	char conf[4096 + sizeof("SLURM_CONF=")];
	const char *envp[2] = { NULL, NULL };
	int n, left = left_ms(s), saved;

	if (!s->scontrol || s->scontrol[0] != '/') {
		errno = EINVAL;
		return err_set(e, "the path of scontrol is not absolute");
	}
	for (n = 0; n < ARGS_MAX && args[n]; n++)
		argv[n + 1] = args[n];
	if (s->conf && s->conf[0]) {
		snprintf(conf, sizeof(conf), "SLURM_CONF=%s", s->conf);
		envp[0] = conf;
	}
	if (!left) {
		errno = ETIMEDOUT;
		return err_set(e, "scontrol %s: no time left", args[0]);
	}
	if (spawn_run(argv, envp, left, max, out, e))
		return -1;
	if (!out->timed_out && WIFEXITED(out->status) &&
	    !WEXITSTATUS(out->status))
		return 0;
	complain(args[0][0] == '-' ? args[1] : args[0], out, e);
	saved = errno;
	spawn_out_fini(out);
	errno = saved;
	return -1;
}

/* As call(), for those that only succeed or fail. */
static int order(const struct slurm *s, const char *const args[],
		 struct err *e)
{
	struct spawn_out out;

	if (call(s, args, REPLY_MAX, &out, e))
		return -1;
	spawn_out_fini(&out);
	return 0;
}

int slurm_show_node(const struct slurm *s, const char *node,
		    struct node_state *out, struct err *e)
{
	const char *const args[] = { "-o", "show", "node", node, NULL };
	struct spawn_out o;
	int rc;

	if (check_node(node, e) || call(s, args, NODE_TEXT_MAX, &o, e))
		return -1;
	rc = slurm_parse_node(o.text ? o.text : "", out);
	spawn_out_fini(&o);
	if (rc) {
		errno = EINVAL;
		return err_set(e, "scontrol show node %s: no State in its answer",
			       node);
	}
	return 0;
}

/* reason: NULL for none; state: NULL for none. */
static int update_node(const struct slurm *s, const char *node,
		       const char *state, const char *reason, struct err *e)
{
	char name[sizeof("nodename=") + 256];
	char text[sizeof("reason=") + SLURM_REASON_MAX];
	const char *args[5] = { "update", name };
	int n = 2;

	if (check_node(node, e))
		return -1;
	snprintf(name, sizeof(name), "nodename=%s", node);
	if (state)
		args[n++] = state;
	if (reason) {
		strcpy(text, "reason=");
		scrub_copy(text + 7, SLURM_REASON_MAX + 1, reason);
		args[n++] = text;
	}
	return order(s, args, e);
}

int slurm_drain(const struct slurm *s, const char *node, const char *reason,
		struct err *e)
{
	return update_node(s, node, "state=drain", reason, e);
}

int slurm_set_reason(const struct slurm *s, const char *node,
		     const char *reason, struct err *e)
{
	return update_node(s, node, NULL, reason, e);
}

int slurm_resume(const struct slurm *s, const char *node, struct err *e)
{
	return update_node(s, node, "state=resume", NULL, e);
}

static int job_id(uint32_t job, char id[16], struct err *e)
{
	if (!job) {
		errno = EINVAL;
		return err_set(e, "no job to speak of");
	}
	snprintf(id, 16, "%" PRIu32, job);
	return 0;
}

int slurm_requeue(const struct slurm *s, uint32_t job, struct err *e)
{
	char id[16];
	const char *const args[] = { "requeue", id, NULL };

	if (job_id(job, id, e))
		return -1;
	return order(s, args, e);
}

int slurm_notify(const struct slurm *s, uint32_t job, const char *text,
		 struct err *e)
{
	char id[16], say[NOTICE_MAX];
	const char *const args[] = { "notify", id, say, NULL };

	if (job_id(job, id, e))
		return -1;
	/* scontrol looks for options behind the command as well. */
	say[0] = ' ';
	scrub_copy(say + (text[0] == '-'), sizeof(say) - 1, text);
	return order(s, args, e);
}

int slurm_rank(const struct slurm *s, const char *node, const char *rule,
	       int window_s, int *rank, struct err *e)
{
	const char *const args[] = { "-o", "show", "nodes", NULL };
	struct spawn_out out;
	int rc = -1;

	if (check_node(node, e))
		return -1;
	if (left_ms(s) > RANK_SETTLE_MS + RANK_CALL_MS)
		clock_sleep_ms(RANK_SETTLE_MS);
	if (call(s, args, NODES_TEXT_MAX, &out, e))
		return -1;
	if (out.truncated) {
		errno = EFBIG;
		err_set(e, "scontrol show nodes: its answer is too long");
	} else {
		rc = slurm_rank_in(out.text ? out.text : "", node, rule,
				   window_s, rank);
		if (rc)
			err_errno(e, "rank of %s among the drains of %s", node,
				  rule);
	}
	spawn_out_fini(&out);
	return rc;
}

int slurm_jitter_ms(const char *node, int num_nodes, int spread_ms)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	if (num_nodes <= 1 || spread_ms <= 0)
		return 0;
	for (; *node; node++)
		h = (h ^ (unsigned char)*node) * 16777619u;
	return (int)(h % (uint32_t)spread_ms);
}

bool slurm_retry_once(const struct slurm *s, const char *node,
		      const char *reason, bool *seen)
{
	struct node_state n;

	if (slurm_show_node(s, node, &n, NULL))
		return true;
	switch (slurm_owner(&n)) {
	case NODE_PROLOG_ERROR:
		*seen = true;
		return slurm_set_reason(s, node, reason, NULL) != 0;
	case NODE_FREE:
		/* Not drained yet; or resumed since we saw it drained, and
		 * the next "Prolog error" will be another story. */
		return !*seen;
	default:
		return false;
	}
}

struct retry {
	struct slurm slurm;
	const char *node, *reason, *run_dir;
};

/* One retry per node: the lock goes with the process. -1 if another has it. */
static int retry_lock(const struct retry *r)
{
	char path[4096 + 300];
	int fd, n = snprintf(path, sizeof(path), "%s/retry-%s.lock", r->run_dir,
			     r->node);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Who takes the run directory away ends this process, too. */
static bool is_linked(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static void retry_body(void *arg)
{
	struct retry *r = arg;
	int64_t end = clock_mono_ms() + RETRY_FOR_MS;
	int fd = retry_lock(r);
	bool seen = false;

	if (fd < 0)
		return;
	clock_sleep_ms(RETRY_FIRST_MS);
	while (clock_mono_ms() < end && is_linked(fd)) {
		r->slurm.until_ms = clock_mono_ms() + RETRY_CALL_MS;
		if (!slurm_retry_once(&r->slurm, r->node, r->reason, &seen))
			break;
		clock_sleep_ms(RETRY_EVERY_MS);
	}
	close(fd);
}

int slurm_retry_detached(const struct slurm *s, const char *node,
			 const char *reason, const char *run_dir)
{
	struct retry r = { *s, node, reason, run_dir };

	if (check_node(node, NULL))
		return -1;
	return spawn_detached(retry_body, &r);
}
