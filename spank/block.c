/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/block.h"

#include <stdlib.h>
#include <string.h>

#include "spank/rundir.h"

#define MARK_BYTES 65536

/* "start": seconds, of a mark that root wrote. There is no JSON library in
 * slurmstepd, and none is needed for a number: inside of a string the quotes
 * would have a backslash before them. -1: it is not told. */
static int64_t number(const char *mark, const char *key)
{
	const char *p = strstr(mark, key);

	if (!p)
		return -1;
	p += strlen(key);
	p += strspn(p, " \t\n");
	if (*p != ':')
		return -1;
	p += 1 + strspn(p + 1, " \t\n");
	return *p >= '0' && *p <= '9' ? strtoll(p, NULL, 10) : -1;
}

/* Has the job run for long enough, by its own mark? */
static bool has_run(int dir, int64_t now_s)
{
	static char mark[MARK_BYTES];
	int64_t start, least;

	if (rundir_read(dir, BLOCK_JOB_FILE, mark, sizeof(mark)) < 0)
		return true;
	start = number(mark, "\"start\"");
	least = number(mark, "\"block_after_s\"");
	return start < 0 ||
	       now_s - start >= (least < 0 ? BLOCK_MIN_RUN_S : least);
}

static bool is_wanted(int dir, const struct choice *choice, int64_t now_s)
{
	if (choice->report == REPORT_NO ||
	    (choice->report == REPORT_UNSAID &&
	     rundir_has(dir, BLOCK_NONE_FILE)))
		return false;
	return has_run(dir, now_s);
}

static bool is_good(const char *line, size_t len)
{
	size_t i;

	if (len > BLOCK_COLUMNS || len <= strlen(BLOCK_START) ||
	    memcmp(line, BLOCK_START, strlen(BLOCK_START)) != 0)
		return false;
	for (i = 0; i < len; i++)
		if (line[i] < 0x20 || line[i] > 0x7e)
			return false;
	return true;
}

static void take_line(const char *line, size_t len, struct block *out)
{
	if (out->count >= BLOCK_LINES || !is_good(line, len))
		return;
	memcpy(out->line[out->count], line, len);
	out->line[out->count++][len] = '\0';
}

void block_read(int dir, const struct choice *choice, int64_t now_s,
		struct block *out)
{
	char text[4 * BLOCK_LINES * (BLOCK_COLUMNS + 1)];
	const char *p = text;
	size_t len;

	memset(out, 0, sizeof(*out));
	if (!is_wanted(dir, choice, now_s) ||
	    rundir_read(dir, BLOCK_FILE, text, sizeof(text)) < 0)
		return;
	/* what has no newline behind it is a line that was not finished */
	while (p[len = strcspn(p, "\n")]) {
		take_line(p, len, out);
		p += len + 1;
	}
}
