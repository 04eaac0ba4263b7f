/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/delta.h"

#include <string.h>

#include "epilog/members.h"

/* How far the narrow counters of InfiniBand count; the others are wide. */
static const struct {
	const char *name;
	json_int_t highest; /* 0: none */
	bool error;
} counters[] = {
	{ "symbol_error", 65535, true },
	{ "link_error_recovery", 255, true },
	{ "link_downed", 255, false },
	{ "port_rcv_errors", 65535, true },
	{ "port_rcv_remote_physical_errors", 65535, true },
	{ "port_xmit_discards", 65535, true },
	{ "local_link_integrity_errors", 15, true },
	{ "excessive_buffer_overrun_errors", 15, true },
	{ "hw_rx_icrc_encapsulated", 0, true },
};

#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

struct story_number delta_of(const struct delta *d, const char *name)
{
	const json_t *a = json_object_get(d->before, name);
	const json_t *b = json_object_get(d->after, name);

	if (!d->before || !d->after)
		return number_unknown(d->why);
	if (!json_is_integer(a) || !json_is_integer(b))
		return number_unknown(STORY_UNSUPPORTED);
	if (json_integer_value(b) < json_integer_value(a))
		return number_unknown(STORY_RESET);
	return number_known((double)(json_integer_value(b) - json_integer_value(a)));
}

struct story_number delta_sum(const struct delta *d, const char *const *names,
			      double scale)
{
	struct story_number sum = number_unknown(STORY_UNSUPPORTED), one;

	for (; *names; names++) {
		one = delta_of(d, *names);
		if (one.why == STORY_UNSUPPORTED)
			continue;
		if (!number_is_known(&one))
			return one;
		sum = number_known((number_is_known(&sum) ? sum.v : 0) + one.v * scale);
	}
	return sum;
}

struct story_number delta_port(const struct delta *d, const char *name)
{
	json_int_t after = json_integer_value(json_object_get(d->after, name));
	struct story_number n = delta_of(d, name);
	size_t i;

	for (i = 0; number_is_known(&n) && i < COUNTERS; i++)
		if (!strcmp(counters[i].name, name) && counters[i].highest &&
		    after >= counters[i].highest)
			return number_unknown(STORY_SATURATED);
	return n;
}

json_t *delta_errors(const struct delta *d, struct story_number *sum)
{
	json_t *all = json_object();
	struct story_number one;
	size_t i;

	*sum = number_unknown(STORY_UNSUPPORTED);
	for (i = 0; i < COUNTERS; i++) {
		if (!counters[i].error)
			continue;
		one = delta_port(d, counters[i].name);
		if (number_is_known(&one) && one.v > 0)
			json_object_set_new(all, counters[i].name,
					    json_integer((json_int_t)one.v));
		/* One that is not known leaves the sum of the others. */
		if (number_is_known(&one))
			*sum = number_known((number_is_known(sum) ? sum->v : 0) + one.v);
		else if (!number_is_known(sum) && one.why != STORY_UNSUPPORTED)
			*sum = one;
	}
	return all;
}
