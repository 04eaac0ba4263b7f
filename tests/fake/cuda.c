/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libcuda.so.1 that answers from a scenario and runs the
 * project's kernels on the CPU: devices and contexts.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tests/fake/cuda_device.h"
#include "tests/fake/cuda_memory.h"
#include "tests/fake/cuda_things.h"
#include "tests/fake/export.h"

EXPORT(int, Init, (unsigned int flags))
{
	int rc;

	if (flags)
		return CUDA_RC_INVALID_VALUE;
	if (!scn_broken() && !scn_section("cuda"))
		return CUDA_RC_NO_DEVICE;
	rc = cudev_begin_library("Init");
	if (!rc)
		cudev_end(0);
	return rc ? rc : cudev_init();
}

EXPORT(int, DriverGetVersion, (int *out))
{
	struct scn_device library = scn_library("cuda");
	struct scn_path p = { { "DriverGetVersion", NULL } };
	struct scn_node n;

	scn_begin();
	n = scn_at(&library, &p);
	if (n.rc || !out)
		return n.rc ? n.rc : CUDA_RC_INVALID_VALUE;
	*out = (int)scn_int(&n);
	return scn_json(&n) ? CUDA_RC_OK : CUDA_RC_NOT_SUPPORTED;
}

EXPORT(int, DeviceGetCount, (int *out))
{
	int rc = cudev_begin_library("DeviceGetCount");

	if (rc)
		return rc;
	if (out)
		*out = cudev_count();
	return cudev_end(out ? CUDA_RC_OK : CUDA_RC_INVALID_VALUE);
}

EXPORT(int, DeviceGet, (cuda_device * out, int ordinal))
{
	int rc = cudev_begin_library("DeviceGet");

	if (rc)
		return rc;
	if (!out)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	*out = ordinal;
	return cudev_end(cudev_at(ordinal) ? CUDA_RC_OK
					   : CUDA_RC_INVALID_DEVICE);
}

/* A call on a device by its ordinal. */
static int begin(const char *func, cuda_device ordinal, struct fake_device **d)
{
	*d = cudev_at(ordinal);
	if (*d)
		return cudev_begin(func, *d);
	return cudev_count() ? CUDA_RC_INVALID_DEVICE : CUDA_RC_NOT_INITIALIZED;
}

EXPORT(int, DeviceGetAttribute, (int *out, int attribute, cuda_device ordinal))
{
	struct fake_device *d;
	int rc = begin("DeviceGetAttribute", ordinal, &d);

	if (rc)
		return rc;
	return cudev_end(out ? cudev_attribute(d, attribute, out)
			     : CUDA_RC_INVALID_VALUE);
}

EXPORT(int, DeviceGetPCIBusId, (char *out, int size, cuda_device ordinal))
{
	unsigned int domain, bus, device;
	struct fake_device *d;
	const char *text;
	int rc = begin("DeviceGetPCIBusId", ordinal, &d);

	if (rc)
		return rc;
	text = json_string_value(cudev_nvml(d, "GetPciInfo_v3", "busId"));
	if (!text || sscanf(text, "%x:%x:%x", &domain, &bus, &device) != 3)
		return cudev_end(CUDA_RC_NOT_SUPPORTED);
	if (!out || size < 13)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	snprintf(out, (size_t)size, "%04X:%02X:%02X.0", domain, bus, device);
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, DeviceGetUuid_v2, (struct cuda_uuid * out, cuda_device ordinal))
{
	struct fake_device *d;
	const char *text;
	unsigned int byte;
	int i = 0, rc = begin("DeviceGetUuid", ordinal, &d);

	if (rc)
		return rc;
	text = json_string_value(cudev_nvml(d, "GetUUID", NULL));
	text = text ? strchr(text, '-') : NULL;
	if (!out || !text)
		return cudev_end(out ? CUDA_RC_NOT_SUPPORTED
				     : CUDA_RC_INVALID_VALUE);
	memset(out, 0, sizeof(*out));
	while (i < 16 && sscanf(text += *text == '-', "%2x", &byte) == 1) {
		out->bytes[i++] = (unsigned char)byte;
		text += 2;
	}
	return cudev_end(CUDA_RC_OK);
}

/* ---- contexts ---------------------------------------------------------- */

/* Compute mode: prohibited, or exclusive and in use. */
static int is_refused(const struct fake_device *d)
{
	enum { EXCLUSIVE_PROCESS = 3, PROHIBITED = 2 };
	json_t *mode = cudev_nvml(d, "GetComputeMode", NULL);
	json_t *procs = cudev_nvml(d, "GetComputeRunningProcesses_v3", NULL);

	return json_integer_value(mode) == PROHIBITED ||
	       (json_integer_value(mode) == EXCLUSIVE_PROCESS &&
		json_array_size(procs) > 0);
}

EXPORT(int, DevicePrimaryCtxRetain,
	(struct cuda_context * *out, cuda_device ordinal))
{
	struct fake_device *d;
	int rc = begin("DevicePrimaryCtxRetain", ordinal, &d);
	double ms;

	if (rc)
		return rc;
	if (!out)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	if (is_refused(d))
		return cudev_end(CUDA_RC_DEVICE_UNAVAILABLE);
	*out = &d->context;
	ms = d->refs++ ? 0 : cudev_number(d, "context_ms", 0);
	cudev_end(CUDA_RC_OK);
	scn_sleep_ms(ms);
	return CUDA_RC_OK;
}

static void undo(enum thing kind, void *p)
{
	if (kind == THING_MEMORY)
		cumem_unmap(p);
}

EXPORT(int, DevicePrimaryCtxRelease_v2, (cuda_device ordinal))
{
	struct fake_device *d;
	int rc = begin("DevicePrimaryCtxRelease", ordinal, &d);

	if (rc)
		return rc;
	if (!d->refs)
		return cudev_end(FAKE_RC_INVALID_CONTEXT);
	if (!--d->refs) {
		things_drop_all(d, undo);
		d->stream = NULL;
		d->allocated = d->peers = 0;
		if (cudev_current() == d)
			cudev_set_current(NULL);
	}
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, CtxSetCurrent, (struct cuda_context * c))
{
	struct fake_device *d;
	int rc = cudev_begin_library("CtxSetCurrent");

	if (rc)
		return rc;
	d = cudev_of(c);
	if (c && !d)
		return cudev_end(FAKE_RC_INVALID_CONTEXT);
	cudev_set_current(d);
	return cudev_end(CUDA_RC_OK);
}

/* ---- peers ------------------------------------------------------------- */

/* A path between two devices: where p2p_gbps lists the peer, unless
 * p2p_access says otherwise. */
static bool has_access(struct fake_device *from, struct fake_device *to)
{
	struct scn_path rate = { { "p2p_gbps", NULL } };
	struct scn_node n = cudev_keyed(from, "p2p_access", to->index);
	char key[16];

	if (scn_json(&n))
		return scn_int(&n) != 0;
	snprintf(key, sizeof(key), "%d", to->index);
	rate.key[1] = key;
	return from != to && scn_lists(from->scn.over, &rate, false);
}

EXPORT(int, DeviceCanAccessPeer, (int *out, cuda_device a, cuda_device b))
{
	struct fake_device *d, *peer = cudev_at(b);
	int rc = begin("DeviceCanAccessPeer", a, &d);

	if (rc)
		return rc;
	if (!out || !peer)
		return cudev_end(out ? CUDA_RC_INVALID_DEVICE
				     : CUDA_RC_INVALID_VALUE);
	*out = has_access(d, peer);
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, CtxEnablePeerAccess, (struct cuda_context * c, unsigned int flags))
{
	struct fake_device *d, *peer;
	int rc = cudev_begin_here("CtxEnablePeerAccess", &d);

	if (rc)
		return rc;
	peer = cudev_of(c);
	if (flags || !peer)
		return cudev_end(flags ? CUDA_RC_INVALID_VALUE
				       : FAKE_RC_INVALID_CONTEXT);
	if (!has_access(d, peer))
		return cudev_end(CUDA_RC_PEER_ACCESS_UNSUPPORTED);
	if (d->peers & 1ULL << peer->index)
		return cudev_end(CUDA_RC_PEER_ACCESS_ALREADY_ENABLED);
	d->peers |= 1ULL << peer->index;
	return cudev_end(CUDA_RC_OK);
}

/* ---- words ------------------------------------------------------------- */

#define NAME(word) { CUDA_RC_##word, "CUDA_ERROR_" #word }
static const struct {
	int rc;
	const char *name;
} names[] = {
	{ CUDA_RC_OK, "CUDA_SUCCESS" },
	NAME(INVALID_VALUE),
	NAME(OUT_OF_MEMORY),
	NAME(NOT_INITIALIZED),
	NAME(DEINITIALIZED),
	NAME(DEVICE_UNAVAILABLE),
	NAME(NO_DEVICE),
	NAME(INVALID_DEVICE),
	NAME(INVALID_IMAGE),
	{ FAKE_RC_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT" },
	NAME(NO_BINARY_FOR_GPU),
	NAME(ECC_UNCORRECTABLE),
	NAME(PEER_ACCESS_UNSUPPORTED),
	NAME(NVLINK_UNCORRECTABLE),
	NAME(JIT_COMPILER_NOT_FOUND),
	NAME(UNSUPPORTED_PTX_VERSION),
	NAME(JIT_COMPILATION_DISABLED),
	NAME(CONTAINED),
	{ FAKE_RC_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE" },
	NAME(NOT_FOUND),
	NAME(NOT_READY),
	NAME(ILLEGAL_ADDRESS),
	NAME(LAUNCH_OUT_OF_RESOURCES),
	NAME(LAUNCH_TIMEOUT),
	NAME(PEER_ACCESS_ALREADY_ENABLED),
	NAME(HARDWARE_STACK_ERROR),
	NAME(ILLEGAL_INSTRUCTION),
	NAME(LAUNCH_FAILED),
	NAME(NOT_PERMITTED),
	NAME(NOT_SUPPORTED),
	NAME(SYSTEM_NOT_READY),
	{ CUDA_RC_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" },
	NAME(MPS_CONNECTION_FAILED),
	NAME(UNKNOWN),
};

EXPORT(int, GetErrorName, (int rc, const char **out))
{
	size_t i;

	if (!out)
		return CUDA_RC_INVALID_VALUE;
	*out = NULL;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].rc == rc)
			*out = names[i].name;
	return *out ? CUDA_RC_OK : CUDA_RC_INVALID_VALUE;
}
