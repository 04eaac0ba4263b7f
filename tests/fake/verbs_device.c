/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/verbs_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_count[VERBS_KIND_COUNT];

/* For tests: how many of a kind ("qp") are open in this process; NULL: of all
 * kinds. */
__attribute__((visibility("default"))) int fake_verbs_open(const char *kind);

int fake_verbs_open(const char *kind)
{
	static const char *const names[] = {
#define X(kind) #kind,
		VERBS_KINDS(X)
#undef X
	};
	int i, n = 0;

	for (i = 0; i < VERBS_KIND_COUNT; i++)
		if (!kind || strcmp(kind, names[i]) == 0)
			n += open_count[i];
	return n;
}

void *verbs_new(const struct fake_hca *h, const char *func,
		enum verbs_kind kind, size_t size)
{
	int rc = verbs_begin(h, func, NULL);
	void *p = rc ? NULL : calloc(1, size);

	if (p)
		open_count[kind]++;
	verbs_rc(rc);
	return p;
}

void verbs_drop(void *p, enum verbs_kind kind)
{
	open_count[kind]--;
	free(p);
}

int verbs_rc(int rc)
{
	if (rc)
		errno = rc;
	return rc;
}

/* ---- answers ----------------------------------------------------------- */

struct scn_node verbs_ask(const struct fake_hca *h, const char *key,
			  const char *key2)
{
	struct scn_path p = { { key, key2, NULL } };

	return scn_at(&h->scn, &p);
}

double verbs_number(const struct fake_hca *h, const char *key, const char *key2,
		    double otherwise)
{
	struct scn_node n = verbs_ask(h, key, key2);

	return scn_json(&n) || n.is_ramp ? scn_real(&n) : otherwise;
}

const char *verbs_text(const struct fake_hca *h, const char *key,
		       const char *key2, const char *otherwise)
{
	struct scn_node n = verbs_ask(h, key, key2);

	return scn_text(&n) ? scn_text(&n) : otherwise;
}

int verbs_begin(const struct fake_hca *h, const char *func, const char *detail)
{
	scn_begin();
	return verbs_ask(h, func, detail).rc;
}

bool verbs_port(const struct fake_hca *h, int number, struct scn_node *port)
{
	struct scn_node ports = verbs_ask(h, "ports", NULL);

	if (!scn_json(&ports)) {
		*port = ports;
		return number == 1;
	}
	if (number < 1 || (size_t)number > json_array_size(scn_json(&ports)))
		return false;
	*port = scn_item(&ports, (size_t)number - 1);
	return true;
}

/* ---- devices ----------------------------------------------------------- */

static enum ibv_transport_type transport(const char *text)
{
	if (strcmp(text, "iwarp") == 0)
		return IBV_TRANSPORT_IWARP;
	return strcmp(text, "ib") == 0 ? IBV_TRANSPORT_IB :
					 IBV_TRANSPORT_UNSPECIFIED;
}

static void make(struct fake_hca *h, const struct scn_node *n, size_t i)
{
	h->scn = (struct scn_device){ .over = n->over, .hash = n->hash };
	h->ib.node_type = IBV_NODE_CA;
	h->ib.transport_type = transport(verbs_text(h, "transport", NULL,
						    "ib"));
	snprintf(h->ib.name, sizeof(h->ib.name), "%s",
		 verbs_text(h, "name", NULL, ""));
	snprintf(h->ib.dev_name, sizeof(h->ib.dev_name), "uverbs%zu", i);
}

int verbs_devices(struct fake_hca **list, int *count)
{
	static struct fake_hca *all;
	static int n;
	struct scn_device library = scn_library("verbs");
	struct scn_node root = scn_root(&library);
	struct scn_node devices = scn_step(&root, "devices"), item;
	size_t i;

	if (scn_broken()) {
		fprintf(stderr, "fake libibverbs: %s\n", scn_broken());
		return EIO;
	}
	if (!all && json_array_size(scn_json(&devices))) {
		all = calloc(json_array_size(scn_json(&devices)), sizeof(*all));
		for (i = 0; all && i < json_array_size(scn_json(&devices));
		     i++) {
			item = scn_item(&devices, i);
			make(&all[n++], &item, i);
		}
	}
	*list = all;
	*count = n;
	return 0;
}

struct fake_context *verbs_context_of(struct ibv_context *c)
{
	return (struct fake_context *)((char *)c -
				       offsetof(struct fake_context, v) -
				       offsetof(struct verbs_context, context));
}
