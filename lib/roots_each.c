/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fdio.h"
#include "lib/roots.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 65536

/* The sign of a - b, where both start with a digit; *a and *b are moved
 * behind the digits. */
static int number_cmp(const char **a, const char **b)
{
	size_t la, lb;
	int diff;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	la = strspn(*a, "0123456789");
	lb = strspn(*b, "0123456789");
	diff = la == lb ? memcmp(*a, *b, la) : la < lb ? -1 : 1;
	*a += la;
	*b += lb;
	return diff;
}

int roots_natcmp(const char *a, const char *b)
{
	const char *p = a;
	const char *q = b;
	int diff;

	while (*p && *q) {
		if (isdigit((unsigned char)*p) && isdigit((unsigned char)*q)) {
			diff = number_cmp(&p, &q);
			if (diff)
				return diff;
			continue;
		}
		if (*p != *q)
			return (unsigned char)*p - (unsigned char)*q;
		p++;
		q++;
	}
	if (*p || *q)
		return *p ? 1 : -1;
	return strcmp(a, b);
}

static bool is_pci_address(const char *name)
{
	size_t domain = strspn(name, "0123456789abcdefABCDEF");
	static const char shape[] = ":xx:xx.x";
	const char *p = name + domain;
	size_t i;

	if (domain < 4)
		return false;
	for (i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)p[i])
				    : p[i] != shape[i])
			return false;
	return !p[i];
}

/* PCI addresses are hexadecimal numbers of fixed width: 0f before 10. */
static int entry_cmp(const void *a, const void *b)
{
	const char *x = *(char *const *)a;
	const char *y = *(char *const *)b;
	bool px = is_pci_address(x);
	bool py = is_pci_address(y);

	if (px != py)
		return px ? -1 : 1;
	if (px && strlen(x) == strlen(y))
		return strcasecmp(x, y);
	if (px)
		return strlen(x) < strlen(y) ? -1 : 1;
	return roots_natcmp(x, y);
}

struct entries {
	char **name;
	size_t count, space;
};

static int entries_add(struct entries *l, const char *name)
{
	size_t space = l->space ? l->space * 2 : 64;
	char **grown;

	if (l->count == ENTRIES_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (l->count == l->space) {
		grown = realloc(l->name, space * sizeof(*grown));
		if (!grown)
			return -1;
		l->name = grown;
		l->space = space;
	}
	l->name[l->count] = strdup(name);
	if (!l->name[l->count])
		return -1;
	l->count++;
	return 0;
}

static void entries_fini(struct entries *l)
{
	int saved = errno;
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->name[i]);
	free(l->name);
	errno = saved;
}

static int entries_load(struct entries *l, DIR *dir)
{
	struct dirent *d;

	for (;;) {
		errno = 0;
		d = readdir(dir);
		if (!d)
			return errno ? -1 : 0;
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (entries_add(l, d->d_name) < 0)
			return -1;
	}
}

int roots_each(const struct roots *r, const char *path, roots_entry_f fn,
	       void *arg)
{
	struct entries l = {0};
	DIR *dir;
	int rc, saved;
	size_t i;
	int fd = roots_openat(r, path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -1;
	dir = fdopendir(fd);
	if (!dir) {
		fdio_close(fd);
		return -1;
	}
	rc = entries_load(&l, dir);
	saved = errno;
	closedir(dir);
	errno = saved;
	if (rc == 0 && l.count)
		qsort(l.name, l.count, sizeof(*l.name), entry_cmp);
	for (i = 0; i < l.count && rc == 0; i++)
		rc = fn(l.name[i], arg);
	entries_fini(&l);
	return rc;
}
