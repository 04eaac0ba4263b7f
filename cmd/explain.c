/* SPDX-License-Identifier: Apache-2.0
 * assay explain - what a check, a kernel-log number or a drain reason means.
 * Reads nothing but the table of XIDs: it works anywhere. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "checks/exec.h"
#include "checks/schema.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "lib/log.h"

/* The site's configuration where it can be read, else NULL. */
static struct cfg *site(const char *config)
{
	return cfg_load(config ? config : ASSAY_SYSCONFDIR "/assay.conf",
			schema_sections(), NULL, NULL);
}

/* The site's table where one is configured and can be read. */
static struct xid_table *table(const char *config, struct err *e)
{
	struct cfg *cfg = site(config);
	const char *path = cfg ? cfg_text(cfg, "paths", "xids") : "";
	struct xid_table *t = NULL;

	if (*path) {
		t = xid_load(path, e);
		if (!t)
			log_warn("%s; the built-in table is used", e->text);
	}
	cfg_destroy(cfg);
	return t ? t : xid_load(NULL, e);
}

/* A reason comes quoted, or as the words that the shell made of it. */
static bool join(int argc, char **argv, char *buf, size_t size)
{
	size_t used = 0;
	int i, n;

	buf[0] = '\0';
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--config") && i + 1 < argc) {
			i++;
			continue;
		}
		n = snprintf(buf + used, size - used, "%s%s", used ? " " : "",
			     argv[i]);
		if (n < 0 || (size_t)n >= size - used)
			return false;
		used += (size_t)n;
	}
	return true;
}

static int unknown(const char *what)
{
	return cmd_usage("explain",
			 "'%.80s' is no check, XID, SXid or reason of assay's; "
			 "without an argument all checks are listed", what);
}

/* A check of assay's or of the site's? */
static bool is_check(const char *config, const char *what)
{
	const struct check *c = checks_find(what);
	struct cfg *cfg = c ? NULL : site(config);
	const char *sec = cfg ? exec_section(cfg, what) : NULL;

	if (c)
		explain_check(stdout, c);
	else if (sec)
		explain_exec(stdout, cfg, sec);
	cfg_destroy(cfg);
	return c || sec;
}

int cmd_explain(const char *config, int argc, char **argv)
{
	struct xid_table *t;
	struct xid_wish wish;
	struct reason reason;
	struct err e = { "" };
	char what[512];
	int code = 0;

	if (!join(argc, argv, what, sizeof(what)))
		return cmd_usage("explain", "too long");
	if (!what[0]) {
		explain_list(stdout);
		return 0;
	}
	if (is_check(config, what))
		return 0;
	t = table(config, &e);
	if (!t) {
		log_error("%s", e.text);
		return 2;
	}
	if (explain_parse_xid(what, &wish))
		explain_xid(stdout, t, &wish);
	else if (reason_parse(what, &reason))
		explain_reason(stdout, t, &reason);
	else
		code = unknown(what);
	xid_destroy(t);
	return code;
}
