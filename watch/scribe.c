/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/scribe.h"

#include <errno.h>
#include <string.h>

#include "epilog/block.h"
#include "epilog/js1.h"
#include "epilog/series.h"
#include "epilog/spool.h"
#include "epilog/summary.h"
#include "lib/fdio.h"
#include "lib/jsonfile.h"

json_t *scribe_record(const struct gathered_from *from)
{
	struct gathered *g = gathered_create(from);
	json_t *record = g ? summary_node(&g->story) : NULL;

	if (record) {
		json_object_set_new(record, "series", series_of(&g->story));
		json_object_set_new(record, "events", summary_events(&g->story));
	}
	gathered_destroy(g);
	return record;
}

static int write_block(int dir, const json_t *record)
{
	char text[BLOCK_LINES * (BLOCK_WIDTH + 1) + 1];
	struct block b;
	size_t len = 0, n;
	int i;

	block_render(record, &b);
	for (i = 0; i < b.count; i++) {
		n = strlen(b.line[i]);
		memcpy(text + len, b.line[i], n);
		len += n;
		text[len++] = '\n';
	}
	return fdio_replace(dir, SCRIBE_BLOCK, 0600, text, len);
}

int scribe_files(int dir, const json_t *record, const struct mark *m)
{
	int rc = jsonfile_replace(dir, SCRIBE_RECORD, 0600, record,
				  SUMMARY_DUMP);
	int copied = 0;

	/* The block needs no copy. */
	if (rc == 0 && m->uid >= 0)
		copied = spool_user_copy(dir, SCRIBE_USER, record, (uid_t)m->uid);
	rc = rc == 0 ? write_block(dir, record) : rc;
	return rc < 0 ? rc : copied;
}

bool scribe_is_shared(const struct cfg *cfg, int nodes, int64_t ran_s)
{
	if (!cfg_text(cfg, "paths", "shared_dir")[0])
		return false;
	/* The controller sees no node's spool. */
	if (strcmp(cfg_text(cfg, "report", "publish"), "no") != 0)
		return ran_s >= JS1_SHORT_S;
	return nodes > 1 && ran_s >= cfg_int(cfg, "report", "block_after_s");
}

bool scribe_is_due(const struct cfg *cfg, int nodes, const struct scribe_times *t)
{
	return nodes > 1 && cfg_text(cfg, "paths", "shared_dir")[0] &&
	       t->now_s - t->start_s >= SCRIBE_SHARE_S &&
	       t->now_s - t->shared_s >= SCRIBE_SHARE_S;
}
