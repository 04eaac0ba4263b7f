/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/clients.h"

#include "epilog/members.h"
#include "epilog/sections.h"

/* What one mount comes to on all nodes. */
struct sum {
	const char *kind, *mount;
	struct total read, written;
};

void clients_add(json_t *list, const json_t *client)
{
	char kind[16], mount[128];
	json_t *o;

	member_text(client, "kind", kind, sizeof(kind));
	member_text(client, "mount", mount, sizeof(mount));
	o = json_pack("{s:s, s:s}", "kind", kind, "mount", mount);
	number_put(o, "read_bytes", number_get(client, "read_bytes"));
	number_put(o, "write_bytes", number_get(client, "write_bytes"));
	json_array_append_new(list, o);
}

/* The place of a mount, a new one if it has none; NULL: there is no room. */
static struct sum *find(struct sum *sum, int *count, const json_t *o)
{
	int i;

	for (i = 0; i < *count; i++)
		if (member_is(o, "kind", sum[i].kind) &&
		    member_is(o, "mount", sum[i].mount))
			return &sum[i];
	if (*count == CLIENTS_MAX)
		return NULL;
	sum[*count] = (struct sum){ member_string(o, "kind"),
				    member_string(o, "mount"), total_none(),
				    total_none() };
	return &sum[(*count)++];
}

static json_t *sum_json(const struct sum *sum)
{
	json_t *o = json_pack("{s:s, s:s}", "kind", sum->kind, "mount",
			      sum->mount);

	total_put(o, "read_bytes", &sum->read);
	total_put(o, "write_bytes", &sum->written);
	return o;
}

json_t *clients_sum(const json_t *list)
{
	struct story_number read, written;
	struct sum sum[CLIENTS_MAX], *s;
	json_t *out = json_array(), *o;
	int count = 0, k;
	size_t i;

	json_array_foreach(list, i, o) {
		s = find(sum, &count, o);
		if (!s)
			continue;
		read = number_get(o, "read_bytes");
		written = number_get(o, "write_bytes");
		total_add(&s->read, &read, (int)i);
		total_add(&s->written, &written, (int)i);
	}
	for (k = 0; k < count; k++)
		json_array_append_new(out, sum_json(&sum[k]));
	return out;
}
