/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks/schema.h"
#include "lib/clock.h"
#include "lib/scrub.h"

#define CONFIG_DEFAULT ASSAY_SYSCONFDIR "/assay.conf"
#define CONFIG_COPY ASSAY_STATEDIR "/config.last-good"

static void complain(struct session *s, const char *text)
{
	if (!s->complaint[0])
		scrub_copy(s->complaint, sizeof(s->complaint), text);
}

/* The copy lies beside the state; which directory that is, only the config
 * itself tells, so a --config of another place has its copy beside it. */
static void copy_path(const struct session *s, char *buf, size_t size)
{
	if (s->config_given)
		snprintf(buf, size, "%s.last-good", s->config_path);
	else
		snprintf(buf, size, "%s", CONFIG_COPY);
}

static int open_config(struct session *s, struct err *e)
{
	char copy[4096];
	struct err why = { "" };

	copy_path(s, copy, sizeof(copy));
	s->cfg = cfg_load_or_last_good(s->config_path, copy, schema_sections(),
				       s->job->node, &s->cfg_is_copy, &why);
	if (s->cfg && s->cfg_is_copy)
		complain(s, why.text);
	if (!s->cfg) {
		if (errno != ENOENT || s->config_given) {
			s->cfg_lost = true;
			complain(s, why.text);
		}
		s->cfg = cfg_defaults(schema_sections());
	}
	if (!s->cfg)
		return err_errno(e, "config");
	if (cfg_complaint(s->cfg))
		complain(s, cfg_complaint(s->cfg));
	return 0;
}

static int open_run_dir(const char *path)
{
	struct stat st;
	int fd;

	if (mkdir(path, 0711) < 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || (st.st_uid && st.st_uid != geteuid()) ||
	    st.st_mode & 022) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

static void open_places(struct session *s)
{
	const char *run = cfg_text(s->cfg, "paths", "run");
	struct err why;
	char text[512];

	if (state_open(&s->state, cfg_text(s->cfg, "paths", "state"), &why) < 0)
		complain(s, why.text);
	s->run_dir = open_run_dir(run);
	if (s->run_dir < 0) {
		snprintf(text, sizeof(text), "run directory %s: %s", run,
			 strerror(errno));
		complain(s, text);
	}
}

static int open_knowledge(struct session *s, struct err *e)
{
	const char *xids = cfg_text(s->cfg, "paths", "xids");
	struct err why;

	if (*xids) {
		if (cfg_file_trusted(xids, &why) == 0)
			s->xids = xid_load(xids, &why);
		if (!s->xids)
			complain(s, why.text);
	}
	if (!s->xids)
		s->xids = xid_load(NULL, e);
	return s->xids ? 0 : -1;
}

static int open_root(struct session *s, struct err *e)
{
	const char *answers = cfg_text(s->cfg, "paths", "sysfacts");
	struct err why;

	if (roots_open(&s->roots, cfg_text(s->cfg, "paths", "root"), e) < 0)
		return -1;
	if (sysfacts_init(&s->sysfacts, &s->roots, *answers ? answers : NULL,
			  &why) < 0)
		complain(s, why.text);
	return 0;
}

int session_open(struct session *s, const char *config_path,
		 const struct job *job, struct err *e)
{
	memset(s, 0, sizeof(*s));
	s->run_dir = -1;
	s->roots.fd = -1;
	s->state.dir = s->state.lock = -1;
	s->job = job;
	s->config_given = config_path != NULL;
	s->config_path = config_path ? config_path : CONFIG_DEFAULT;
	if (job->complaint[0])
		complain(s, job->complaint);
	if (open_config(s, e) < 0 || open_root(s, e) < 0 ||
	    open_knowledge(s, e) < 0) {
		session_close(s);
		return -1;
	}
	open_places(s);
	return 0;
}

void session_close(struct session *s)
{
	int saved = errno;

	if (s->run_dir >= 0)
		close(s->run_dir);
	profiles_destroy(s->profiles);
	xid_destroy(s->xids);
	state_close(&s->state);
	sysfacts_fini(&s->sysfacts);
	roots_close(&s->roots);
	cfg_destroy(s->cfg);
	memset(s, 0, sizeof(*s));
	s->run_dir = -1;
	s->roots.fd = -1;
	s->state.dir = s->state.lock = -1;
	errno = saved;
}

const struct profiles *session_profiles(struct session *s)
{
	const char *dir = cfg_text(s->cfg, "paths", "profiles");
	struct err why;

	if (s->profiles_read)
		return s->profiles;
	s->profiles_read = true;
	/* Who may write there decides what is a fault. */
	if (cfg_file_trusted(dir, &why) < 0 && errno == EPERM) {
		complain(s, why.text);
		return NULL;
	}
	s->profiles = profiles_load(dir, &why);
	if (!s->profiles && errno != ENOENT)
		complain(s, why.text);
	if (s->profiles && profiles_complaint(s->profiles))
		complain(s, profiles_complaint(s->profiles));
	return s->profiles;
}

bool session_switched_off(const char *config_path, struct err *why)
{
	const char *path = config_path ? config_path : CONFIG_DEFAULT;
	const char *slash = strrchr(path, '/');
	char off[4096];
	struct stat st;

	snprintf(off, sizeof(off), "%.*s/OFF", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	why->text[0] = '\0';
	if (stat(off, &st) < 0)
		return false;
	if (st.st_uid == 0 || st.st_uid == geteuid())
		return true;
	err_set(why, "%s is not root's (uid %u) and switches nothing off", off,
		(unsigned int)st.st_uid);
	return false;
}

int session_job_dir(const struct session *s, uint32_t job)
{
	char name[16];

	if (s->run_dir < 0) {
		errno = ENOENT;
		return -1;
	}
	snprintf(name, sizeof(name), "%u", job);
	if (mkdirat(s->run_dir, name, 0711) < 0 && errno != EEXIST)
		return -1;
	return openat(s->run_dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool session_enforces(const struct session *s)
{
	return !strcmp(cfg_text(s->cfg, "policy", "mode"), "enforce");
}

void session_slurm(const struct session *s, struct slurm *out)
{
	const char *conf = cfg_text(s->cfg, "slurm", "conf");

	*out = (struct slurm){
		.scontrol = cfg_text(s->cfg, "slurm", "scontrol"),
		.conf = *conf ? conf : s->job->slurm_conf,
		.until_ms = clock_mono_ms() + cfg_int(s->cfg, "budget",
						      "slurm_ms"),
	};
}
