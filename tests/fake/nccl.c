/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libnccl.so.2: all-reduce among the devices of one process.
 * Small buffers are really summed; the time goes to the clocks of the fake
 * CUDA's streams.
 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>

#include "lib/nccl.h"
#include "tests/fake/export.h"
#include "tests/fake/nccl_ring.h"

#define FAKE_SECTION "nccl"
#define EXPORT(ret, name, params) EXPORT_AS(nccl, ret, name, params)

#define DEFAULT_VERSION 22703

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int group_depth;

static struct scn_node ask(const char *key)
{
	struct scn_device library = scn_library(FAKE_SECTION);
	struct scn_path p = { { key, NULL } };

	return scn_at(&library, &p);
}

/* A call begins: what the scenario has it answer. */
static int begin(const char *func)
{
	scn_begin();
	return ask(func).rc;
}

EXPORT(int, GetVersion, (int *out))
{
	struct scn_node n;
	int rc = begin("GetVersion");

	if (rc || !out)
		return rc ? rc : NCCL_RC_INVALID_ARGUMENT;
	n = ask("version");
	*out = scn_json(&n) ? (int)scn_int(&n) : DEFAULT_VERSION;
	return n.rc;
}

/* A device twice would wait for itself. */
static bool has_twice(const int *devices, int n)
{
	int i, k;

	for (i = 0; devices && i < n; i++)
		for (k = 0; k < i; k++)
			if (devices[k] == devices[i])
				return true;
	return false;
}

EXPORT(int, CommInitAll, (struct nccl_comm * *out, int n, const int *devices))
{
	struct scn_node late, init;
	int rc = begin("CommInitAll");

	if (rc)
		return rc;
	if (!out || n < 1 || n > NCCL_RING_MAX)
		return NCCL_RC_INVALID_ARGUMENT;
	if (has_twice(devices, n))
		return NCCL_RC_INVALID_USAGE;
	if (!scn_section(FAKE_SECTION))
		return NCCL_RC_SYSTEM;
	late = ask("init_ms");
	scn_sleep_ms(scn_real(&late));
	init = ask("init_rc");
	rc = init.rc ? init.rc : (int)scn_int(&init);
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	rc = nccl_ring_new(out, n);
	pthread_mutex_unlock(&lock);
	return rc;
}

EXPORT(int, AllReduce,
	(const void *send, void *recv, size_t count, int type, int op,
	struct nccl_comm *comm, struct cuda_stream *stream))
{
	struct nccl_op o = { (uint64_t)(uintptr_t)send,
			     (uint64_t)(uintptr_t)recv, count, type,
			     (struct fake_stream *)stream };
	int rc = begin("AllReduce");

	if (rc)
		return rc;
	if (op != NCCL_SUM || (type != NCCL_INT32 && type != NCCL_FLOAT32) ||
	    !stream || o.stream->magic != FAKE_STREAM_MAGIC)
		return NCCL_RC_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	rc = nccl_ring_add(comm, &o);
	if (!rc && !group_depth)
		rc = nccl_ring_run();
	pthread_mutex_unlock(&lock);
	return rc;
}

EXPORT(int, GroupStart, (void))
{
	int rc = begin("GroupStart");

	group_depth += !rc;
	return rc;
}

EXPORT(int, GroupEnd, (void))
{
	int rc = begin("GroupEnd");

	if (rc || group_depth == 0)
		return rc ? rc : NCCL_RC_INVALID_USAGE;
	if (--group_depth)
		return NCCL_RC_OK;
	pthread_mutex_lock(&lock);
	rc = nccl_ring_run();
	if (nccl_ring_forget() && !rc)
		rc = NCCL_RC_INVALID_USAGE; /* a rank did not come */
	pthread_mutex_unlock(&lock);
	return rc;
}

static int destroy(const char *func, struct nccl_comm *comm)
{
	int rc = begin(func);

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	rc = nccl_ring_leave(comm);
	pthread_mutex_unlock(&lock);
	return rc;
}

EXPORT(int, CommDestroy, (struct nccl_comm * comm))
{
	return destroy("CommDestroy", comm);
}

EXPORT(int, CommAbort, (struct nccl_comm * comm))
{
	return destroy("CommAbort", comm);
}

EXPORT(const char *, GetErrorString, (int rc))
{
	static const char *const words[] = {
		[NCCL_RC_OK] = "no error",
		[NCCL_RC_UNHANDLED_CUDA] = "CUDA error",
		[NCCL_RC_SYSTEM] = "system error",
		[NCCL_RC_INTERNAL] = "internal error",
		[NCCL_RC_INVALID_ARGUMENT] = "invalid argument",
		[NCCL_RC_INVALID_USAGE] = "invalid usage",
		[NCCL_RC_REMOTE] = "remote error",
		[NCCL_RC_IN_PROGRESS] = "in progress",
	};

	return rc >= 0 && rc < (int)(sizeof(words) / sizeof(*words))
		       ? words[rc]
		       : "unknown error";
}

EXPORT(const char *, GetLastError, (struct nccl_comm * comm))
{
	struct scn_node n = ask("last_error");

	(void)comm;
	return scn_text(&n) ? scn_text(&n) : "";
}
