/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/explain.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/page.h"

/* What the word in brackets asks for. */
static const char *const remedy_text[] = {
	[REMEDY_NONE] = "",
	[REMEDY_RESET_GPU] =
		"reset the GPU while no process holds it (nvidia-smi -r -i N; "
		"with NVSwitch all GPUs together), or reboot the node",
	[REMEDY_REBOOT] = "reboot the node; if the fault comes back, it is one "
			  "for service",
	[REMEDY_SERVICE] = "the hardware needs a hand: have the part looked at "
			   "or exchanged",
	[REMEDY_CHECK_CABLE] = "look at cable, transceiver and the port at the "
			       "other end; reseat or exchange them",
	[REMEDY_CONFIG] = "no broken part: the node, its driver or Slurm is "
			  "set up in another way than expected",
};

static const char *const back_by_itself =
	"once the fault is gone, by itself: assay health tests the same "
	"condition and resumes the node after [policy] resume_passes good "
	"tests over at least resume_min_s (3 over 600 s unless configured)";
static const char *const back_by_hand =
	"assay health resumes the node by itself only after it has seen the "
	"trace of a hand: another boot, or another GPU in the place of this "
	"one. Else: scontrol update nodename=NODE state=resume";
static const char *const back_known =
	"a node resumed by hand with the fault still there is not drained "
	"again for the same evidence; it warns (\"known, resumed\")";

static void print_pieces(FILE *f, const struct reason *r,
			 const struct check *c)
{
	page_itemf(f, EXPLAIN_INDENT, "  check", "%s: %s", r->check,
		   c ? c->summary : strncmp(r->check, "exec_", 5) ?
		   "not a check of this version" :
		   "a command of this site, section [exec NAME] of assay.conf");
	if (!strncmp(r->subject, "GPU", 3))
		page_itemf(f, EXPLAIN_INDENT, "  subject",
			   "%s, by the index that nvidia-smi shows (PCI order)",
			   r->subject);
	else
		page_item(f, EXPLAIN_INDENT, "  subject",
			  strcmp(r->subject, "node") ? r->subject :
						       "the node as a whole");
	page_item(f, EXPLAIN_INDENT, "  fact", r->fact);
	if (r->remedy != REMEDY_NONE)
		page_itemf(f, EXPLAIN_INDENT, "  asks for", "[%s] %s",
			   remedy_name(r->remedy), remedy_text[r->remedy]);
	if (r->job)
		page_itemf(f, EXPLAIN_INDENT, "  job",
			   "%u met the fault on this node; all that was seen is "
			   "in the run directory there, %u/verdict.json, until "
			   "some minutes after the job", r->job, r->job);
	if (r->more)
		page_itemf(f, EXPLAIN_INDENT, "  more",
			   "%d further check%s failed too: assay check on the "
			   "node shows all", r->more, r->more > 1 ? "s" : "");
}

/* The number in a fact like "XID 79 GPU has fallen off the bus". */
static void print_xid(FILE *f, const struct xid_table *t,
		      const struct reason *r)
{
	struct xid_wish w = { .subcode = -1 };
	const char *at = strstr(r->fact, "SXid ");
	char *end;

	w.sxid = at != NULL;
	if (!at)
		at = strstr(r->fact, "XID ");
	if (!at)
		return;
	w.xid = !w.sxid;
	at += w.sxid ? 5 : 4;
	w.number = (int32_t)strtol(at, &end, 10);
	if (end == at || w.number < 0 || w.number > 99999)
		return;
	if (*end == '.')
		w.subcode = (int32_t)strtol(end + 1, NULL, 10);
	fputc('\n', f);
	explain_xid(f, t, &w);
}

void explain_reason(FILE *f, const struct xid_table *t, const struct reason *r)
{
	const struct check *c = checks_find(r->check);
	bool hand = r->remedy == REMEDY_SERVICE ||
		    r->remedy == REMEDY_CHECK_CABLE;

	fprintf(f, "assay drained this node:\n\n");
	print_pieces(f, r, c);
	page_item(f, EXPLAIN_INDENT, "  back",
		  hand ? back_by_hand : back_by_itself);
	page_item(f, EXPLAIN_INDENT, "", back_known);
	print_xid(f, t, r);
	if (c) {
		fputc('\n', f);
		explain_check(f, c);
	}
}
