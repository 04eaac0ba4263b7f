/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/devlibs.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cfg.h"

struct symbol {
	const char *name;
	size_t offset; /* of its pointer in struct devlibs_nvml */
	bool required;
};

#define REQUIRED true
#define OPTIONAL false
static const struct symbol nvml_symbols[] = {
#define X(need, type, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_nvml, member), need },
	DEVLIBS_NVML(X)
#undef X
};

const struct devlibs_nvml_names devlibs_nvml_names = {
#define X(need, type, member, symbol, args) .member = symbol,
	DEVLIBS_NVML(X)
#undef X
};

/* Where distributions and NVIDIA's installer put it. Looked at before the
 * loader's own search, which LD_LIBRARY_PATH can turn elsewhere. */
static const char *const nvml_places[] = {
#if defined(__x86_64__)
	"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
#elif defined(__aarch64__)
	"/usr/lib/aarch64-linux-gnu/libnvidia-ml.so.1",
#endif
	"/usr/lib64/libnvidia-ml.so.1",
	"/usr/lib/libnvidia-ml.so.1",
	"/run/opengl-driver/lib/libnvidia-ml.so.1",
};

static void *open_path(const char *path, struct err *e)
{
	void *so;

	if (path[0] != '/') {
		err_set(e, "load %s: not an absolute path", path);
		return NULL;
	}
	if (cfg_file_trusted(path, e) < 0) {
		err_prefix(e, "load %s", path);
		return NULL;
	}
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so)
		err_set(e, "load NVML: %s", dlerror());
	return so;
}

static void *open_default(struct err *e)
{
	size_t i;
	void *so;

	for (i = 0; i < sizeof(nvml_places) / sizeof(*nvml_places); i++)
		if (access(nvml_places[i], F_OK) == 0)
			return open_path(nvml_places[i], e);
	if (getenv("LD_LIBRARY_PATH")) {
		err_set(e, "load libnvidia-ml.so.1: not in the system's "
			   "directories, and LD_LIBRARY_PATH is not followed");
		return NULL;
	}
	so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!so)
		err_set(e, "load NVML: %s", dlerror());
	return so;
}

/* Fill the pointers; the names of missing required symbols go to list. */
static void resolve(struct devlibs_nvml *n, char *list, size_t size)
{
	const struct symbol *s;
	size_t i, len = 0;
	void *p;

	for (i = 0; i < sizeof(nvml_symbols) / sizeof(*nvml_symbols); i++) {
		s = &nvml_symbols[i];
		p = dlsym(n->so, s->name);
		memcpy((char *)n + s->offset, &p, sizeof(p));
		if (p)
			continue;
		if (!s->required) {
			n->missing_optional++;
			continue;
		}
		n->missing_required++;
		if (len < size)
			len += (size_t)snprintf(list + len, size - len, " %s",
						s->name);
	}
}

int devlibs_nvml_load(struct devlibs_nvml *n, const char *path, struct err *e)
{
	char list[400] = "";

	memset(n, 0, sizeof(*n));
	n->so = path && *path ? open_path(path, e) : open_default(e);
	if (!n->so) {
		errno = ELIBACC;
		return -1;
	}
	resolve(n, list, sizeof(list));
	if (n->missing_required) {
		errno = ENOSYS;
		return err_set(e, "NVML lacks%s", list);
	}
	return 0;
}
