/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/clients.h"

#include <string.h>

#include "epilog/members.h"
#include "epilog/sheet.h"

#define CLIENTS_MAX 64

static json_t *find(json_t *list, const char *kind, const char *mount)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (member_is(o, "kind", kind) && member_is(o, "mount", mount))
			return o;
	}
	return NULL;
}

static void add_number(json_t *to, const char *name, const json_t *from)
{
	struct story_number sum = number_get(to, name);
	struct story_number n = number_get(from, name);

	if (!number_is_known(&n))
		return;
	number_put(to, name,
		   number_is_known(&sum) ? number_known(sum.v + n.v) : n);
	json_object_del(json_object_get(to, "why"), name);
}

void clients_add(json_t *list, const json_t *client)
{
	char kind[16], mount[128];
	json_t *o;

	member_text(client, "kind", kind, sizeof(kind));
	member_text(client, "mount", mount, sizeof(mount));
	o = find(list, kind, mount);
	if (o) {
		add_number(o, "read_bytes", client);
		add_number(o, "write_bytes", client);
		return;
	}
	if (json_array_size(list) >= CLIENTS_MAX)
		return;
	o = json_pack("{s:s, s:s}", "kind", kind, "mount", mount);
	number_put(o, "read_bytes", number_get(client, "read_bytes"));
	number_put(o, "write_bytes", number_get(client, "write_bytes"));
	json_array_append_new(list, o);
}
