/* SPDX-License-Identifier: Apache-2.0
 * The directory of profiles, and finding the one for a GPU. */
#include "config.h"
#include "lib/profile.h"

#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile_read.h"

#define PROFILES_MAX 256

struct profiles {
	struct profile *list;
	int count, space;
	struct err complaint; /* first refusal, "" none */
};

static int is_profile(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 &&
	       !strcmp(d->d_name + len - 5, ".json");
}

static void complain(struct profiles *ps, const struct err *why)
{
	if (!ps->complaint.text[0])
		ps->complaint = *why;
}

/* The same id or name in two files: which one is meant? Neither is sure, the
 * first stays. */
static int check_unique(const struct profiles *ps, const struct profile *p,
			struct err *e)
{
	int i, j, k;

	for (i = 0; i < ps->count; i++) {
		if (!strcmp(ps->list[i].name, p->name))
			return err_set(e, "%s: name \"%s\" is taken by %s",
				       p->file, p->name, ps->list[i].file);
		for (j = 0; j < ps->list[i].pci_ids; j++)
			for (k = 0; k < p->pci_ids; k++)
				if (ps->list[i].pci_id[j] == p->pci_id[k])
					return err_set(
						e, "%s: %04x is taken by %s",
						p->file, p->pci_id[k] >> 16,
						ps->list[i].file);
	}
	return 0;
}

static int append(struct profiles *ps, const struct profile *p)
{
	struct profile *list;
	int space;

	if (ps->count == ps->space) {
		space = ps->space ? 2 * ps->space : 16;
		list = realloc(ps->list, (size_t)space * sizeof(*list));
		if (!list)
			return -1;
		ps->list = list;
		ps->space = space;
	}
	ps->list[ps->count++] = *p;
	return 0;
}

static int load_one(struct profiles *ps, const char *dir, const char *name)
{
	struct err why = { "" };
	struct profile p;
	char path[256];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path)) {
		err_set(&why, "%s/%s: path too long", dir, name);
		complain(ps, &why);
		return 0;
	}
	if (profile_read(path, &p, &why) || check_unique(ps, &p, &why)) {
		complain(ps, &why);
		return 0;
	}
	return append(ps, &p);
}

struct profiles *profiles_load(const char *dir, struct err *e)
{
	struct dirent **entry = NULL;
	struct profiles *ps = NULL;
	int i, n, failed = 0;

	n = scandir(dir, &entry, is_profile, alphasort);
	if (n < 0) {
		err_errno(e, "read profiles in %s", dir);
		return NULL;
	}
	ps = calloc(1, sizeof(*ps));
	for (i = 0; i < n; i++) {
		if (ps && !failed && i < PROFILES_MAX)
			failed = load_one(ps, dir, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	if (!ps || failed) {
		errno = ENOMEM;
		err_errno(e, "read profiles in %s", dir);
		profiles_destroy(ps);
		return NULL;
	}
	if (ps->complaint.text[0])
		err_set(e, "%s", ps->complaint.text);
	return ps;
}

void profiles_destroy(struct profiles *p)
{
	int saved = errno;

	if (p)
		free(p->list);
	free(p);
	errno = saved;
}

const char *profiles_complaint(const struct profiles *p)
{
	return p->complaint.text[0] ? p->complaint.text : NULL;
}

int profiles_count(const struct profiles *p)
{
	return p->count;
}

static int name_matches(const struct profile *p, const char *name)
{
	regex_t re;
	int rc;

	if (!p->match_name[0] ||
	    regcomp(&re, p->match_name, REG_EXTENDED | REG_NOSUB))
		return 0;
	rc = regexec(&re, name, 0, NULL, 0);
	regfree(&re);
	return rc == 0;
}

const struct profile *profiles_find(const struct profiles *p, uint32_t pci_id,
				    const char *name)
{
	int i, j;

	for (i = 0; pci_id && i < p->count; i++)
		for (j = 0; j < p->list[i].pci_ids; j++)
			if (p->list[i].pci_id[j] == pci_id)
				return &p->list[i];
	for (i = 0; name && name[0] && i < p->count; i++)
		if (name_matches(&p->list[i], name))
			return &p->list[i];
	return NULL;
}
