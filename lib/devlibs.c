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
	size_t offset; /* of its pointer in the library's struct */
	bool required;
};

/* A library: where it lies, and what assay calls in it. */
struct library {
	const char *word;	/* "NVML", for messages */
	const char *file;	/* "libnvidia-ml.so.1" */
	const char *older;	/* or else this one; NULL: there is none */
	const struct symbol *symbols;
	size_t count;
};

#define REQUIRED true
#define OPTIONAL false
static const struct symbol nvml_symbols[] = {
#define X(need, type, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_nvml, member), need },
	DEVLIBS_NVML(X)
#undef X
};

static const struct symbol cuda_symbols[] = {
#define X(need, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_cuda, member), need },
	DEVLIBS_CUDA(X)
#undef X
};

static const struct symbol nccl_symbols[] = {
#define X(need, type, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_nccl, member), need },
	DEVLIBS_NCCL(X)
#undef X
};

static const struct symbol cublaslt_symbols[] = {
#define X(need, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_cublaslt, member), need },
	DEVLIBS_CUBLASLT(X)
#undef X
};

static const struct symbol verbs_symbols[] = {
#define X(need, type, member, symbol, args) \
	{ symbol, offsetof(struct devlibs_verbs, member), need },
	DEVLIBS_VERBS(X)
#undef X
};

#define LIBRARY(word, file, older, symbols) \
	{ word, file, older, symbols, sizeof(symbols) / sizeof(*(symbols)) }

static const struct library nvml = LIBRARY("NVML", "libnvidia-ml.so.1", NULL,
					   nvml_symbols);
static const struct library cuda = LIBRARY("CUDA", "libcuda.so.1", NULL,
					   cuda_symbols);
static const struct library nccl = LIBRARY("NCCL", "libnccl.so.2", NULL,
					   nccl_symbols);
static const struct library cublaslt = LIBRARY("cuBLASLt", "libcublasLt.so.13",
					       "libcublasLt.so.12",
					       cublaslt_symbols);

static const struct library verbs = LIBRARY("libibverbs", "libibverbs.so.1",
					    NULL, verbs_symbols);

const struct devlibs_nvml_names devlibs_nvml_names = {
#define X(need, type, member, symbol, args) .member = symbol,
	DEVLIBS_NVML(X)
#undef X
};

const struct devlibs_cuda_names devlibs_cuda_names = {
#define X(need, member, symbol, args) .member = symbol,
	DEVLIBS_CUDA(X)
#undef X
};

const struct devlibs_verbs_names devlibs_verbs_names = {
#define X(need, type, member, symbol, args) .member = symbol,
	DEVLIBS_VERBS(X)
#undef X
};

/* Where distributions and NVIDIA's installers put them. Looked at before the
 * loader's own search, which LD_LIBRARY_PATH can turn elsewhere. */
static const char *const places[] = {
#if defined(__x86_64__)
	"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/usr/lib/aarch64-linux-gnu",
#endif
	"/usr/lib64",
	"/usr/lib",
	"/run/opengl-driver/lib",
	"/usr/local/cuda/lib64",
};

static void *open_path(const struct library *l, const char *path,
		       struct err *e)
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
		err_set(e, "load %s: %s", l->word, dlerror());
	return so;
}

/* The path of a file that is in one of the places; false: it is not. */
static bool find(const char *file, char *path, size_t size)
{
	size_t i;

	for (i = 0; file && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, size, "%s/%s", places[i], file);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static void *open_default(const struct library *l, struct err *e)
{
	char path[128];
	void *so;

	if (find(l->file, path, sizeof(path)) ||
	    find(l->older, path, sizeof(path)))
		return open_path(l, path, e);
	if (getenv("LD_LIBRARY_PATH")) {
		err_set(e, "load %s: not in the system's directories, and "
			   "LD_LIBRARY_PATH is not followed", l->file);
		return NULL;
	}
	so = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
	if (!so)
		err_set(e, "load %s: %s", l->word, dlerror());
	return so;
}

struct resolved {
	int missing_required, missing_optional;
	char list[400];		/* names of the required ones */
};

/* Fill the pointers of the library's struct. */
static void resolve(const struct library *l, void *so, void *out,
		    struct resolved *r)
{
	const struct symbol *s;
	size_t len = 0;
	size_t i;
	void *p;

	for (i = 0; i < l->count; i++) {
		s = &l->symbols[i];
		p = dlsym(so, s->name);
		memcpy((char *)out + s->offset, &p, sizeof(p));
		if (p)
			continue;
		if (!s->required) {
			r->missing_optional++;
			continue;
		}
		r->missing_required++;
		if (len < sizeof(r->list))
			len += (size_t)snprintf(r->list + len,
						sizeof(r->list) - len, " %s",
						s->name);
	}
}

static int load(const struct library *l, const char *path, void **so,
		void *out, struct resolved *r, struct err *e)
{
	*r = (struct resolved){ .missing_required = 0 };
	*so = path && *path ? open_path(l, path, e) : open_default(l, e);
	if (!*so) {
		errno = ELIBACC;
		return -1;
	}
	resolve(l, *so, out, r);
	if (r->missing_required) {
		errno = ENOSYS;
		return err_set(e, "%s lacks%s", l->word, r->list);
	}
	return 0;
}

#define LOADER(name) \
	int devlibs_##name##_load(struct devlibs_##name *n, const char *path, \
				  struct err *e) \
	{ \
		struct resolved r; \
		int rc; \
\
		memset(n, 0, sizeof(*n)); \
		rc = load(&name, path, &n->so, n, &r, e); \
		n->missing_required = r.missing_required; \
		n->missing_optional = r.missing_optional; \
		return rc; \
	}

LOADER(nvml)
LOADER(cuda)
LOADER(nccl)
LOADER(cublaslt)
LOADER(verbs)
