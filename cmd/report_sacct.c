/* SPDX-License-Identifier: Apache-2.0
 * What Slurm's accounting tells of a job: assay's own part of the comment. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "epilog/js1.h"
#include "lib/accounting.h"
#include "lib/job.h"

#define SACCT_MS 10000

static char *ask(const struct session *s, const char *word, const char *field,
		 struct err *e)
{
	struct accounting a = { .sacct = cfg_text(s->cfg, "slurm", "sacct"),
				.conf = s->job->slurm_conf,
				.deadline_ms = SACCT_MS };

	if (!*a.conf)
		a.conf = cfg_text(s->cfg, "slurm", "conf");
	return accounting_ask(&a, word, field, e);
}

int report_raw_id(const struct session *s, const char *word, uint32_t *out,
		  struct err *e)
{
	char *text = ask(s, word, "JobIDRaw", e);

	if (!text)
		return -1;
	*out = job_id_of(text);
	free(text);
	if (*out)
		return 0;
	errno = EIO;
	return err_set(e, "sacct does not tell the id of job %s", word);
}

int report_from_sacct(const struct session *s, const char *word,
		      struct report *out, struct err *e)
{
	char *comment = ask(s, word, "AdminComment", e);
	json_t *js1;

	if (!comment)
		return -1;
	js1 = js1_decode(comment, e);
	free(comment);
	if (!js1)
		return err_prefix(e, "its comment in the accounting");
	out->record = js1_record(js1);
	json_decref(js1);
	if (!out->record)
		return err_errno(e, "read the comment of job %s", word);
	out->nodes = json_array();
	snprintf(out->from, sizeof(out->from), "as the accounting keeps it");
	return 0;
}
