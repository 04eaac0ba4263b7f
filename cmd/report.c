/* SPDX-License-Identifier: Apache-2.0
 * assay report - what the hardware delivered to a job, while it runs or
 * afterwards: for its owner, and for root. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/report.h"
#include "epilog/block.h"
#include "epilog/html.h"
#include "lib/log.h"

extern char **environ;

struct wish {
	const char *job;  /* as the user names it; NULL: the own */
	const char *html; /* NULL none, "-" stdout */
	bool json;
};

static int parse(int argc, char **argv, struct wish *w)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			w->json = true;
		else if (!strcmp(argv[i], "--html") && i + 1 < argc)
			w->html = argv[++i];
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else if (argv[i][0] != '-' && !w->job)
			w->job = argv[i];
		else
			return cmd_unknown("report", argv[i]);
	}
	return 0;
}

/* ---- the page -------------------------------------------------------------------- */

static char *lines_of(const json_t *record)
{
	struct block block;
	size_t size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	int i;

	if (!f)
		return NULL;
	block_render(record, &block);
	for (i = 0; i < block.count; i++)
		fprintf(f, "%s\n", block.line[i]);
	fclose(f);
	return text;
}

/* A new file or one that was there, but nothing that a link leads to: root may
 * be in somebody else's directory. */
static FILE *open_page(const char *path)
{
	int fd;

	if (!strcmp(path, "-"))
		return stdout;
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		  0600);
	if (fd < 0 || ftruncate(fd, 0) < 0)
		return NULL;
	return fdopen(fd, "w");
}

static int write_page(const struct report *r, const char *path)
{
	char *lines = lines_of(r->record);
	FILE *f = open_page(path);
	int rc = -1;

	if (f) {
		rc = html_write(f, r->record, r->nodes, lines);
		rc |= f == stdout ? fflush(f) : fclose(f);
	}
	if (rc)
		log_error("%s: %s", path, strerror(errno));
	free(lines);
	return rc ? 2 : 0;
}

/* ---- the command ------------------------------------------------------------ */

static int print_json(const struct report *r)
{
	if (json_dumpf(r->record, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)))
		return 2;
	return putchar('\n') == EOF ? 2 : 0;
}

static int show(const struct session *s, const struct wish *w)
{
	struct report r;
	struct err e = { "" };
	int code = 0;

	if (report_find(s, w->job, &r, &e) < 0) {
		log_error("job %.40s: %s", w->job, e.text);
		report_fini(&r);
		return 2;
	}
	if (w->html) {
		report_add_series(s, &r);
		code = write_page(&r, w->html);
	}
	if (w->json)
		code |= print_json(&r);
	else if (!w->html)
		report_show(&r);
	report_fini(&r);
	return code;
}

int cmd_report(const char *config, int argc, char **argv)
{
	static struct job job;
	struct wish w = { 0 };
	struct session s;
	char own[16];
	struct err e;
	int code = parse(argc, argv, &w);

	if (code)
		return code;
	job_from_env(&job, environ);
	snprintf(own, sizeof(own), "%" PRIu32, job.id);
	if (!w.job && !job.id)
		return cmd_usage("report", "which job? (Inside a job: its own)");
	if (!w.job)
		w.job = own;
	if (session_open(&s, config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	code = show(&s, &w);
	session_close(&s);
	return code;
}
