/* SPDX-License-Identifier: Apache-2.0
 * Whose the failure was: the hardware's or the program's, from the faults, the
 * state and the exit status, and how sure that is.
 */
#include "config.h"
#include "epilog/sections.h"

#include <stdio.h>
#include <string.h>

#define LINK_AGO_S 1800 /* collectives give up half an hour after a link */
#define TOGETHER_S 60	/* which came first is not told by the clock */

struct blame {
	const char *whose, *confidence;
	const json_t *fault; /* NULL: none */
	char text[160];
};

static const char *sure(const json_t *fault)
{
	return member_is(fault, "confidence", "high") ? "high" : "medium";
}

static bool may_stop(const struct sheet *s, const json_t *f)
{
	return !member_is(f, "kind", "link_down") ||
	       sheet_end_s(s) - member_whole(f, "time", 0) <= LINK_AGO_S;
}

/* The first fault that stops a job and is said to be whose. */
static const json_t *first_fault(const struct sheet *s, const char *whose)
{
	json_t *f;
	size_t i;

	json_array_foreach(s->faults, i, f) {
		if (member_is(f, "blame", whose) &&
		    !member_is(f, "confidence", "low") && may_stop(s, f))
			return f;
	}
	return NULL;
}

static void tell_fault(struct blame *b, const json_t *f)
{
	char node[64], device[48], text[80];
	char xid[MEMBER_XID];

	member_text(f, "node", node, sizeof(node));
	member_text(f, "device", device, sizeof(device));
	member_text(f, "text", text, sizeof(text));
	member_xid(f, xid);
	b->fault = f;
	snprintf(b->text, sizeof(b->text), "%s %s%s%s: %s", node, device,
		 *xid ? " " : "", xid, text);
}

static void set(struct blame *b, const char *whose, const char *confidence,
		const json_t *fault)
{
	b->whose = whose;
	b->confidence = confidence;
	if (fault)
		tell_fault(b, fault);
}

static bool saw_all(const struct sheet *s)
{
	int i;

	for (i = 0; i < s->nodes; i++)
		if (s->node[i].watch != WATCH_WHOLE)
			return false;
	return s->nodes >= s->expected;
}

/* No fault has been seen. */
static void without_fault(struct blame *b, const struct sheet *s, int signal)
{
	bool all = saw_all(s);

	set(b, all && signal != 9 ? "program" : "unknown",
	    all && signal != 9 ? "medium" : "low", NULL);
	if (signal > 0)
		snprintf(b->text, sizeof(b->text),
			 "killed by signal %d, and no fault of the hardware "
			 "was seen",
			 signal);
	else if (all)
		snprintf(b->text, sizeof(b->text),
			 "no fault of the hardware was seen");
	else
		snprintf(b->text, sizeof(b->text),
			 "no fault was seen, but not all was watched");
}

static void failed(struct blame *b, const struct sheet *s, int signal)
{
	const json_t *hw = first_fault(s, "hardware");
	const json_t *own = first_fault(s, "program");

	if (!hw && !own) {
		without_fault(b, s, signal);
		return;
	}
	if (hw && own &&
	    member_whole(hw, "time", 0) >
		    member_whole(own, "time", 0) + TOGETHER_S)
		set(b, "program", "medium", own);
	else if (hw)
		set(b, "hardware", own ? "medium" : sure(hw), hw);
	else
		set(b, "program", sure(own), own);
}

static void timed_out(struct blame *b, const struct sheet *s)
{
	const json_t *hw = first_fault(s, "hardware");

	set(b, hw ? "hardware" : "none", hw ? "medium" : "high", hw);
	if (!hw)
		snprintf(b->text, sizeof(b->text), "the time limit was reached");
}

static void lost_node(struct blame *b, const struct sheet *s)
{
	const json_t *hw = first_fault(s, "hardware");

	set(b, "hardware", hw ? sure(hw) : "medium", hw);
	if (!hw)
		snprintf(b->text, sizeof(b->text), "a node has failed");
}

static void out_of_memory(struct blame *b)
{
	set(b, "program", "high", NULL);
	snprintf(b->text, sizeof(b->text),
		 "it used more memory than it had asked for");
}

static void find_blame(struct blame *b, const struct sheet *s,
		       enum story_state state, int signal)
{
	switch (state) {
	case STORY_FAILED:
		failed(b, s, signal);
		break;
	case STORY_TIMEOUT:
		timed_out(b, s);
		break;
	case STORY_NODE_FAIL:
		lost_node(b, s);
		break;
	case STORY_OOM:
		out_of_memory(b);
		break;
	case STORY_UNKNOWN:
		set(b, "unknown", "low", NULL);
		break;
	default:
		set(b, "none", "high", NULL);
		break;
	}
}

json_t *section_blame(const struct sheet *s)
{
	enum story_state state = sheet_state(s);
	struct blame b = { "unknown", "low", NULL, "" };
	char node[64] = "", device[48] = "";
	int i, signal = -1;

	for (i = 0; i < s->nodes; i++)
		if (s->node[i].state == state && signal <= 0)
			signal = s->node[i].signal;
	find_blame(&b, s, state, signal);
	if (b.fault) {
		member_text(b.fault, "node", node, sizeof(node));
		member_text(b.fault, "device", device, sizeof(device));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "whose", b.whose,
			 "confidence", b.confidence, "text",
			 member_text_json(b.text), "node", member_text_json(node),
			 "device", member_text_json(device));
}
