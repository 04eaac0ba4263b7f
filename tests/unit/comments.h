/* SPDX-License-Identifier: Apache-2.0
 * comments - records in a shared directory, and an accounting that is a script:
 * it keeps a comment in a file, and notes how it was called. */
#ifndef ASSAY_TESTS_COMMENTS_H
#define ASSAY_TESTS_COMMENTS_H

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/comment.h"
#include "epilog/js1.h"
#include "lib/clock.h"
#include "lib/fdio.h"
#include "tests/unit/fixture.h"

#define START 1782900000 /* 2026-07-01T10:00:00 of UTC */

static struct fixture x;
static char sacct[128], sacctmgr[128], shared[128];
static struct comments p;
static struct err e;

/* ---- the accounting ----------------------------------------------------------- */

static const char sacct_text[] =
	"#!/bin/sh\n"
	"cd \"${0%/*}\"\n"
	"[ ! -e down ] || { echo 'Connection refused' >&2; exit 1; }\n"
	"echo \"sacct $SLURM_CONF $*\" >> calls\n"
	"[ ! -e sick$5 ] || { echo 'Invalid data' >&2; exit 1; }\n"
	"if [ -e \"array$5\" ]; then\n"
	"  [ \"$7\" != JobIDRaw,JobID ] || exec cat \"array$5\"\n"
	"  exec head -c 9000000 /dev/zero\n"
	"fi\n"
	"[ \"$7\" = AdminComment ] || cat row\n"
	"cat comment\n"
	"echo\n";

/* The comment is what stands behind "AdminComment=" in the 8th argument. */
static const char sacctmgr_text[] =
	"#!/bin/sh\n"
	"cd \"${0%/*}\"\n"
	"echo \"sacctmgr $SLURM_CONF $1 $2 $3 $4 $5 $6 $7 ${8%%=*}\" >> calls\n"
	"date +%s%3N >> times\n"
	"[ ! -e denied ] || { echo 'Nothing modified'; exit 1; }\n"
	"c=${8#AdminComment=}\n"
	"[ ! -e small ] || c=$(echo \"$c\" | tr A-Z a-z)\n"
	"[ ! -e rival ] || c=rival\n"
	"printf %s \"$c\" > comment\n";

static inline void script(char *path, const char *name, const char *text)
{
	char full[1024];

	fixture_file(&x, name, text);
	fixture_path(&x, name, full);
	assert_int_equal(chmod(full, 0700), 0);
	strcpy(path, full);
}

/* The row without its comment: the job's, of this state, begun then. */
static inline void accounting_row(const char *id, const char *name, const char *state,
			   const char *start)
{
	char row[300];

	snprintf(row, sizeof(row),
		 "%s|%s|lab|%s|%s|600|2|8|cpu=8,gres/gpu=2,mem=64G|n[1-2]|", id,
		 name, state, start);
	fixture_file(&x, "row", row);
}

static inline const char *text_of(const char *name)
{
	static char text[70000];
	char full[1024];
	int fd = open(fixture_path(&x, name, full), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : fdio_read(fd, text, sizeof(text) - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	fdio_close(fd);
	return text;
}

static inline int lines_of(const char *name)
{
	const char *s;
	int n = 0;

	for (s = text_of(name); (s = strchr(s, '\n')); s++)
		n++;
	return n;
}

/* ---- records ------------------------------------------------------------------ */

static inline void node_record(int restart, const char *node, const char *state,
			int64_t start_s)
{
	char name[100];
	json_t *r;
	char *text;

	r = json_pack("{s:s, s:s, s:{s:i, s:i, s:s, s:i, s:I, s:I, s:i, s:s}, "
		      "s:{s:i, s:i, s:[]}, "
		      "s:[{s:s, s:i, s:i, s:s, s:s, s:b, s:f, s:I, s:I}], "
		      "s:[{s:s, s:s, s:s, s:I, s:I, s:f, s:i, s:I, s:I}]}",
		      "schema", "assay.job/1", "kind", "node", "job", "id", 7,
		      "restart", restart, "node", node, "nodes", 2, "start",
		      (json_int_t)start_s, "end", (json_int_t)start_s + 600,
		      "elapsed_s", 600, "state", state, "nodes", "expected", 2,
		      "reported", 1, "missing", "gpu", "node", node, "index", 0,
		      "minor", 0, "uuid", "GPU-1", "model", "H100", "used", 1,
		      "busy_pct", 80.0, "mem_peak_bytes", (json_int_t)4 << 30,
		      "mem_total_bytes", (json_int_t)80 << 30, "node", "node",
		      node, "state", state, "watch", "whole", "start",
		      (json_int_t)start_s, "end", (json_int_t)start_s + 600,
		      "cpu_seconds", 1200.0, "cores_alloc", 4, "mem_peak_bytes",
		      (json_int_t)1 << 30, "mem_limit_bytes",
		      (json_int_t)8 << 30);
	text = json_dumps(r, JSON_COMPACT);
	assert_non_null(text);
	snprintf(name, sizeof(name), "shared/jobs/7.%d/%s.json", restart, node);
	fixture_file(&x, name, text);
	free(text);
	json_decref(r);
}

static inline void both_nodes(void)
{
	node_record(0, "n1", "completed", START);
	node_record(0, "n2", "completed", START + 1);
}

static inline int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	script(sacct, "sacct", sacct_text);
	script(sacctmgr, "sacctmgr", sacctmgr_text);
	fixture_file(&x, "comment", "");
	fixture_dir(&x, "shared");
	fixture_dir(&x, "shared/jobs");
	snprintf(shared, sizeof(shared), "%s/shared", x.dir);
	accounting_row("7", "7", "COMPLETED", "2026-07-01T10:00:00");
	p = (struct comments){
		.shared_dir = shared,
		.owner = geteuid(),
		.accounting = { .sacct = sacct,
				.sacctmgr = sacctmgr,
				.conf = "/etc/s.conf",
				.deadline_ms = 5000 },
		.max = JS1_COMMENT_MAX,
		.wait_s = 60,
		.until_ms = clock_mono_ms() + 60000,
	};
	memset(&e, 0, sizeof(e));
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static inline int utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return 0;
}

#define assert_result(age, wanted) \
	assert_int_equal(comment_job(&p, 7, age, &e), wanted)
#define assert_why(words) assert_non_null(strstr(e.text, words))

static inline json_t *comment(void)
{
	json_t *js1 = js1_decode(text_of("comment"), &e);

	if (!js1)
		fail_msg("%s", e.text);
	return js1;
}

static inline int64_t reported(void)
{
	json_t *js1 = comment();
	int64_t n = js1_reported(js1);

	json_decref(js1);
	return n;
}

static inline size_t nodes_in(const json_t *js1)
{
	return json_object_size(json_object_get(js1, "nodes"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
