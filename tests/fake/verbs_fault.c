/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/verbs_fault.h"
#include "tests/fake/verbs_traffic.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NEVER INT64_MAX

static bool is_due(const struct fake_context *c, enum verbs_fault fault,
		   int64_t number)
{
	return number >= c->fault[fault].after;
}

static bool is_now(const struct fake_context *c, enum verbs_fault fault,
		   int64_t number)
{
	return number == c->fault[fault].after;
}

/* ---- asked ------------------------------------------------------------- */

static struct fake_fault ask(const struct fake_context *c, const char *fault,
			     const char *number)
{
	struct scn_node n = verbs_ask(c->hca, fault, NULL), v;
	struct fake_fault f = { .after = NEVER, .text = "" };

	if (!scn_json(&n))
		return f;
	v = scn_step(&n, "after");
	f.after = scn_int(&v);
	v = scn_step(&n, number);
	f.number = scn_int(&v);
	v = scn_step(&n, strcmp(fault, "raise") == 0 ? "path" : "type");
	f.text = scn_text(&v) ? scn_text(&v) : "";
	return f;
}

void verbs_fault_begin(struct fake_context *c)
{
	c->writes = 0;
#define X(name, number) c->fault[VERBS_FAULT_##name] = ask(c, #name, #number);
	VERBS_FAULTS(X)
#undef X
}

/* ---- posted ------------------------------------------------------------ */

static const struct {
	const char *name;
	enum ibv_event_type type;
	bool takes_down;
} events[] = {
	{ "port_err", IBV_EVENT_PORT_ERR, true },
	{ "device_fatal", IBV_EVENT_DEVICE_FATAL, true },
	{ "qp_fatal", IBV_EVENT_QP_FATAL, true },
	{ "gid_change", IBV_EVENT_GID_CHANGE, false },
	{ "other_port_err", IBV_EVENT_PORT_ERR, false },
};

static void raise_event(struct fake_context *c)
{
	const char *name = c->fault[VERBS_FAULT_event].text;
	struct ibv_async_event e = { .element = { .port_num = 1 } };
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(name, events[i].name) != 0)
			continue;
		e.event_type = events[i].type;
		if (strcmp(name, "other_port_err") == 0)
			e.element.port_num = 2;
		c->is_down = events[i].takes_down;
		if (write(c->events[1], &e, sizeof(e)) < 0)
			perror("fake libibverbs: event");
	}
}

void verbs_fault_write(struct fake_context *c, struct fake_write *w)
{
	if (is_now(c, VERBS_FAULT_raise, w->number))
		verbs_count(c->fault[VERBS_FAULT_raise].text,
			    c->fault[VERBS_FAULT_raise].number);
	if (is_now(c, VERBS_FAULT_event, w->number))
		raise_event(c);
	if (is_due(c, VERBS_FAULT_hang, w->number))
		w->ready = NEVER;
	if (is_now(c, VERBS_FAULT_wc, w->number))
		w->status = (enum ibv_wc_status)c->fault[VERBS_FAULT_wc].number;
}

/* ---- done -------------------------------------------------------------- */

bool verbs_fault_loses(const struct fake_context *c, const struct fake_write *w)
{
	return is_due(c, VERBS_FAULT_lost, w->number);
}

void verbs_fault_move(struct fake_context *c, const struct fake_write *w)
{
	size_t bit = (size_t)c->fault[VERBS_FAULT_corrupt].number;

	memcpy(w->to, w->from, w->size);
	if (is_due(c, VERBS_FAULT_corrupt, w->number))
		w->to[bit / 8 % w->size] ^= (char)(1 << bit % 8);
}
