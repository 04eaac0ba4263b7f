/* SPDX-License-Identifier: Apache-2.0
 * The reading half of lib/slurm.h: what scontrol prints about nodes. Pure.
 */
#include "config.h"
#include "lib/slurm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/scrub.h"

#define STAMP_LEN 19		/* 2026-01-01T00:00:00 */
#define NODE_NAME_MAX 256

struct word {
	const char *text;	/* '*' at its end: a prefix */
	unsigned int flags;
};

/* Words of State=, as scontrol and sinfo print them from 22.05 to 26.05.
 * Hands off is what an admin or slurmctld has begun with the node and a drain
 * would disturb (maintenance, reboot, power saving, a registration that does
 * not fit). RESERVED, CLOUD, DYNAMIC_NORM and BLOCKED say where a node comes
 * from or who waits for it: it may be drained as any other. */
static const struct word words[] = {
	{ "IDLE", NODE_IDLE },
	{ "ALLOCATED", NODE_BUSY },
	{ "ALLOC", NODE_BUSY },
	{ "MIXED", NODE_BUSY },
	{ "COMPLETING", NODE_BUSY },
	{ "DRAIN", NODE_DRAIN },
	{ "DRAINED", NODE_DRAIN | NODE_IDLE },
	{ "DRAINING", NODE_DRAIN | NODE_BUSY },
	{ "DOWN", NODE_DOWN },
	{ "FAIL", NODE_FAIL },
	{ "FAILING", NODE_FAIL | NODE_BUSY },
	{ "NOT_RESPONDING", NODE_NOT_RESPONDING },
	{ "NO_RESPOND", NODE_NOT_RESPONDING },
	{ "MAINT*", NODE_HANDS_OFF },
	{ "REBOOT*", NODE_HANDS_OFF },
	{ "POWER*", NODE_HANDS_OFF },
	{ "PLANNED", NODE_HANDS_OFF },
	{ "INVAL*", NODE_HANDS_OFF },
	{ "FUTURE", NODE_HANDS_OFF },
	{ "DYNAMIC_FUTURE", NODE_HANDS_OFF },
	{ "PERFCTRS", NODE_HANDS_OFF },
	{ "ERROR", NODE_HANDS_OFF },
};

static bool word_is(const char *pattern, const char *s, size_t len)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return len >= n - 1 && !strncmp(pattern, s, n - 1);
	return len == n && !strncmp(pattern, s, n);
}

/* One token and the signs behind it: IDLE*, DOWN~, MIXED-. */
static unsigned int token_flags(const char *s, size_t len)
{
	unsigned int flags = 0;
	size_t i;

	while (len && strchr("*~#!%$@^-", s[len - 1]))
		flags |= s[--len] == '*' ? NODE_NOT_RESPONDING : NODE_HANDS_OFF;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (word_is(words[i].text, s, len))
			flags |= words[i].flags;
	return flags;
}

static unsigned int state_flags(const char *tokens)
{
	unsigned int flags = 0;
	size_t len;

	for (;;) {
		len = strcspn(tokens, "+");
		flags |= token_flags(tokens, len);
		if (!tokens[len])
			return flags;
		tokens += len + 1;
	}
}

/* The value of KEY= where the key starts a word, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	const char *p = text;
	size_t len = strlen(key);

	for (; (p = strstr(p, key)); p += len)
		if (p == text || p[-1] == ' ' || p[-1] == '\n')
			return p + len;
	return NULL;
}

/* Length of the stamp " [user@2026-01-01T00:00:00]" that s starts with, 0 if
 * it does not. */
static size_t stamp_len(const char *s)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:dd]";
	size_t n = 2, i;

	if (strncmp(s, " [", 2))
		return 0;
	n += strcspn(s + n, "@[] \n");
	if (n == 2 || s[n] != '@')
		return 0;
	for (n++, i = 0; shape[i]; i++, n++)
		if (shape[i] == 'd' ? s[n] < '0' || s[n] > '9' :
				      s[n] != shape[i])
			return 0;
	return n;
}

/* Is this what scontrol prints behind a reason's stamp? */
static bool behind_reason(const char *s)
{
	return !*s || *s == '\n' || !strncmp(s, " \n", 2) ||
	       !strncmp(s, " Comment=", 9) || !strncmp(s, " Extra=", 7) ||
	       !strcmp(s, " ");
}

/* The stamp of the reason: the first that ends it, so that one inside the
 * text does not count, nor one in a comment behind it. */
static const char *find_stamp(const char *reason)
{
	const char *p, *first = NULL;
	size_t len;

	for (p = strchr(reason, ' '); p; p = strchr(p + 1, ' ')) {
		len = stamp_len(p);
		if (!len)
			continue;
		if (behind_reason(p + len))
			return p;
		if (!first)
			first = p;
	}
	return first;
}

static void copy_part(char *dst, size_t size, const char *src, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(dst, src, len);
	dst[len] = 0;
	scrub(dst);
}

/* A comment may quote anything, and stands behind the reason. */
static const char *find_reason(const char *text)
{
	const char *reason = value_of(text, "Reason=");
	const char *comment = value_of(text, "Comment=");
	const char *extra = value_of(text, "Extra=");

	if (!reason || (comment && reason > comment) ||
	    (extra && reason > extra))
		return NULL;
	return reason;
}

static void read_reason(const char *text, struct node_state *out)
{
	const char *reason = find_reason(text), *stamp, *at;
	size_t len;

	if (!reason)
		return;
	stamp = find_stamp(reason);
	if (!stamp) {
		copy_part(out->reason, sizeof(out->reason), reason,
			  strcspn(reason, "\n"));
		return;
	}
	copy_part(out->reason, sizeof(out->reason), reason,
		  (size_t)(stamp - reason));
	len = stamp_len(stamp);
	at = strchr(stamp, '@');
	copy_part(out->reason_by, sizeof(out->reason_by), stamp + 2,
		  (size_t)(at - stamp) - 2);
	copy_part(out->reason_time, sizeof(out->reason_time), at + 1,
		  (size_t)(stamp + len - at) - 2);
}

int slurm_parse_node(const char *text, struct node_state *out)
{
	const char *state = value_of(text, "State=");

	memset(out, 0, sizeof(*out));
	if (!state || !strcspn(state, " \n")) {
		errno = EINVAL;
		return -1;
	}
	copy_part(out->tokens, sizeof(out->tokens), state,
		  strcspn(state, " \n"));
	out->flags = state_flags(out->tokens);
	read_reason(state, out);
	return 0;
}

/* A reason counts only together with a state that needs one: 24.11 and later
 * keep the old text on resumed nodes. */
enum node_owner slurm_owner(const struct node_state *n)
{
	if (n->flags & NODE_HANDS_OFF)
		return NODE_FOREIGN;
	if (!(n->flags & (NODE_DRAIN | NODE_DOWN | NODE_FAIL)))
		return NODE_FREE;
	if (!strncmp(n->reason, "assay:", 6))
		return NODE_OURS;
	if ((n->flags & NODE_DRAIN) && (!strcmp(n->reason, "Prolog error") ||
					!strcmp(n->reason, "Epilog error")))
		return NODE_PROLOG_ERROR;
	return NODE_FOREIGN;
}

/* scontrol prints local time. -1 if it is not a time. */
static int64_t stamp_time(const char *s)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *end = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);

	return strlen(s) == STAMP_LEN && end && !*end ? (int64_t)mktime(&tm) :
							-1;
}

struct drained {
	char name[NODE_NAME_MAX];
	int64_t at_s;
};

/* Does this line tell of a node drained by the rule? */
static bool drained_by(const char *line, const char *rule, struct drained *out)
{
	const char *name = value_of(line, "NodeName=");
	struct node_state n;
	size_t len = strlen(rule);

	if (!name || slurm_parse_node(line, &n) ||
	    !(n.flags & (NODE_DRAIN | NODE_DOWN | NODE_FAIL)))
		return false;
	if (strncmp(n.reason, "assay:", 6) || strncmp(n.reason + 6, rule, len) ||
	    (n.reason[6 + len] && n.reason[6 + len] != ' '))
		return false;
	copy_part(out->name, sizeof(out->name), name, strcspn(name, " \n"));
	out->at_s = stamp_time(n.reason_time);
	return out->at_s >= 0;
}

/* The list of all such nodes, malloc'ed; -1 with ENOMEM. */
static int collect_drained(const char *text, const char *rule,
			   struct drained **list)
{
	struct drained d, *more;
	int n = 0, room = 0;
	size_t len;
	char *line;

	for (*list = NULL; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		line = strndup(text, len);
		if (!line)
			goto fail;
		if (drained_by(line, rule, &d)) {
			if (n == room) {
				room = room ? room * 2 : 16;
				more = realloc(*list,
					       (size_t)room * sizeof(*more));
				if (!more) {
					free(line);
					goto fail;
				}
				*list = more;
			}
			(*list)[n++] = d;
		}
		free(line);
	}
	return n;
fail:
	free(*list);
	*list = NULL;
	errno = ENOMEM;
	return -1;
}

int slurm_rank_in(const char *text, const char *node, const char *rule,
		  int window_s, int *rank)
{
	struct drained *list, *own = NULL, *d;
	int n = collect_drained(text, rule, &list), i, before = 0, rc = -1;

	if (n < 0)
		return -1;
	for (i = 0; i < n && !own; i++)
		if (!strcmp(list[i].name, node))
			own = &list[i];
	if (!own) {
		errno = ENOENT;
		goto out;
	}
	for (i = 0; i < n; i++) {
		d = &list[i];
		if (d == own || own->at_s - d->at_s > window_s)
			continue;
		if (d->at_s < own->at_s ||
		    (d->at_s == own->at_s && strcmp(d->name, node) < 0))
			before++;
	}
	*rank = before + 1;
	rc = 0;
out:
	free(list);
	return rc;
}
