/* SPDX-License-Identifier: Apache-2.0
 * Modules, functions and launches of the fake CUDA. Whatever is loaded as a
 * module, its functions are the project's kernels.
 */
#include "config.h"

#include <string.h>

#include "tests/fake/cuda_kernels.h"
#include "tests/fake/cuda_things.h"
#include "tests/fake/export.h"

#define SHARED_DEFAULT (48 * 1024) /* without asking for more */
#define REGISTERS 64

struct cuda_function {
	struct cuda_module *module;
	enum kernel kernel;
	int max_shared;
};

struct cuda_module {
	struct fake_device *dev;
	struct cuda_function function[KERNEL_COUNT];
};

EXPORT(int, ModuleLoadData, (struct cuda_module * *out, const void *image))
{
	struct fake_device *d;
	struct cuda_module *m;
	int i, rc = cudev_begin_here("ModuleLoadData", &d);

	if (rc)
		return rc;
	if (!out || !image)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	m = things_new(THING_MODULE, d, sizeof(*m));
	if (!m)
		return cudev_end(CUDA_RC_OUT_OF_MEMORY);
	m->dev = d;
	for (i = 0; i < KERNEL_COUNT; i++)
		m->function[i] = (struct cuda_function){ m, (enum kernel)i,
							 SHARED_DEFAULT };
	*out = m;
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, ModuleUnload, (struct cuda_module * m))
{
	struct fake_device *d;
	int rc = cudev_begin_here("ModuleUnload", &d);

	if (rc)
		return rc;
	if (things_device(THING_MODULE, m) != d)
		return cudev_end(FAKE_RC_INVALID_HANDLE);
	things_drop(m);
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, ModuleGetFunction,
	(struct cuda_function * *out, struct cuda_module *m, const char *name))
{
	struct fake_device *d;
	int i, rc = cudev_begin_here("ModuleGetFunction", &d);

	if (rc)
		return rc;
	if (!out || !name || !things_device(THING_MODULE, m))
		return cudev_end(out && name ? FAKE_RC_INVALID_HANDLE
					     : CUDA_RC_INVALID_VALUE);
	for (i = 0; i < KERNEL_COUNT; i++) {
		if (strcmp(kernels_host[i].symbol, name) == 0) {
			*out = &m->function[i];
			return cudev_end(CUDA_RC_OK);
		}
	}
	return cudev_end(CUDA_RC_NOT_FOUND);
}

static int has_function(const void *p, const void *arg)
{
	const struct cuda_module *m = p;
	const struct cuda_function *f = arg;

	return f >= m->function && f < m->function + KERNEL_COUNT;
}

/* A call on a function begins: 0, and its device in *d. */
static int begin(const char *func, const struct cuda_function *f,
		 struct fake_device **d)
{
	int rc = cudev_begin_here(func, d);

	if (!rc && !things_find(THING_MODULE, has_function, f))
		return cudev_end(FAKE_RC_INVALID_HANDLE);
	return rc;
}

/* ---- attributes --------------------------------------------------------- */

/* Native code is of the device's own architecture. The code that a driver had
 * to make of PTX ("jit": true) is of one that no fat binary has. */
static int architecture(struct fake_device *d, int *out)
{
	int major = 0, minor = 0;
	int rc = cudev_attribute(d, CUDA_ATTR_CC_MAJOR, &major);

	if (!rc)
		rc = cudev_attribute(d, CUDA_ATTR_CC_MINOR, &minor);
	*out = major * 10 + (cudev_number(d, "jit", 0) > 0 ? 4 : minor);
	return rc;
}

static int attribute(struct fake_device *d, int which,
		     const struct cuda_function *f, int *out)
{
	struct scn_node n = cudev_keyed(d, "FuncGetAttribute", which);

	if (scn_json(&n)) {
		*out = (int)scn_int(&n);
		return CUDA_RC_OK;
	}
	switch ((enum cuda_function_attribute)which) {
	case CUDA_FUNC_LOCAL_SIZE_BYTES:
		*out = 0;
		return CUDA_RC_OK;
	case CUDA_FUNC_NUM_REGS:
		*out = REGISTERS;
		return CUDA_RC_OK;
	case CUDA_FUNC_MAX_DYNAMIC_SHARED:
		*out = f->max_shared;
		return CUDA_RC_OK;
	case CUDA_FUNC_PTX_VERSION:
	case CUDA_FUNC_BINARY_VERSION:
		return architecture(d, out);
	}
	return CUDA_RC_INVALID_VALUE;
}

EXPORT(int, FuncGetAttribute, (int *out, int which, struct cuda_function *f))
{
	struct fake_device *d;
	int rc = begin("FuncGetAttribute", f, &d);

	if (rc)
		return rc;
	return cudev_end(out ? attribute(d, which, f, out)
			     : CUDA_RC_INVALID_VALUE);
}

EXPORT(int, FuncSetAttribute, (struct cuda_function * f, int which, int value))
{
	struct fake_device *d;
	int most = SHARED_DEFAULT, rc = begin("FuncSetAttribute", f, &d);

	if (rc)
		return rc;
	cudev_attribute(d, CUDA_ATTR_SHARED_PER_BLOCK_OPTIN, &most);
	if (which != CUDA_FUNC_MAX_DYNAMIC_SHARED || value < 0 || value > most)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	f->max_shared = value;
	return cudev_end(CUDA_RC_OK);
}

/* ---- launches ----------------------------------------------------------- */

static int run(struct fake_device *d, const struct cuda_function *f,
	       unsigned int grid, struct cuda_stream *s, void **params)
{
	struct launch l = { .dev = d, .kernel = f->kernel, .grid = grid };
	int rc, sms = 1;

	s = cutime_stream(d, s, &rc);
	if (rc)
		return rc;
	cudev_attribute(d, CUDA_ATTR_MULTIPROCESSOR_COUNT, &sms);
	l.sms = sms > 0 ? (unsigned int)sms : 1;
	memcpy(l.args.bytes, params[0], kernels_host[f->kernel].args_size);
	/* An error of the kernel is told by the calls that come after. */
	rc = cukern_run(&l);
	cudev_break(d, rc);
	if (!rc)
		cutime_charge(s, l.cost);
	return CUDA_RC_OK;
}

EXPORT(int, LaunchKernel,
	(struct cuda_function * f, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y,
	unsigned int block_z, unsigned int shared, struct cuda_stream *s,
	void **params, void **extra))
{
	struct fake_device *d;
	int rc = begin("LaunchKernel", f, &d);

	if (rc)
		return rc;
	if (f->module->dev != d)
		return cudev_end(FAKE_RC_INVALID_HANDLE);
	if (!grid_x || grid_y != 1 || grid_z != 1 ||
	    block_x != KERNEL_THREADS || block_y != 1 || block_z != 1 ||
	    !params || !params[0] || extra || shared > (unsigned int)f->max_shared)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	return cudev_end(run(d, f, grid_x, s, params));
}
