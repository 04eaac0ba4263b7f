/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_memory.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fake/cuda_things.h"
#include "tests/fake/export.h"

#define DEVICE_BIT (1ULL << 62) /* no host address has it */

struct memory {
	uint64_t address;
	size_t bytes;
	void *host;
};

/* ---- addresses --------------------------------------------------------- */

struct range {
	uint64_t address;
	size_t bytes;
};

static int holds(const void *p, const void *arg)
{
	const struct memory *m = p;
	const struct range *r = arg;

	return r->address >= m->address && r->bytes <= m->bytes &&
	       r->address - m->address <= m->bytes - r->bytes;
}

static int overlaps(const void *p, const void *arg)
{
	const struct memory *m = p;
	const struct range *r = arg;

	return r->address < m->address + m->bytes &&
	       m->address < r->address + r->bytes;
}

static int begins(const void *p, const void *arg)
{
	const struct memory *m = p;
	const struct range *r = arg;

	return r->address == m->address;
}

static void *host_of(const struct memory *m, uint64_t address)
{
	return (char *)m->host + (address - m->address);
}

void *cumem_own(const struct fake_device *d, uint64_t address, size_t bytes)
{
	struct range r = { address, bytes };
	struct memory *m = things_find(THING_MEMORY, holds, &r);

	return m && things_device(THING_MEMORY, m) == d ? host_of(m, address)
							: NULL;
}

void *cumem_reach(const struct fake_device *d, uint64_t address, size_t bytes)
{
	struct range r = { address, bytes };
	struct fake_device *owner;
	struct memory *m;

	m = things_find(address & DEVICE_BIT ? THING_MEMORY : THING_HOST, holds,
			&r);
	if (!m)
		return NULL;
	owner = things_device(THING_MEMORY, m);
	if (owner && owner != d && !(d->peers & 1ULL << owner->index))
		return NULL;
	return host_of(m, address);
}

uint64_t cumem_real(struct fake_device *d, double bytes)
{
	double most = cudev_number(d, "real_mib", 16) * 1048576;

	return (uint64_t)(bytes < most ? bytes : most);
}

/* ---- device memory ----------------------------------------------------- */

static uint64_t nvml_bytes(const struct fake_device *d, const char *member)
{
	json_t *j = cudev_nvml(d, "GetMemoryInfo_v2", member);

	return json_is_integer(j) ? (uint64_t)json_integer_value(j) : 0;
}

/* What the device has, and what others left of it: NVML's words, or the
 * scenario's mem_mib. Without either, 32 GiB. */
static void sizes(struct fake_device *d, uint64_t *left, uint64_t *total)
{
	double mib = cudev_number(d, "mem_mib", 0);

	*total = nvml_bytes(d, "total") - nvml_bytes(d, "reserved");
	*left = nvml_bytes(d, "free");
	if (mib > 0)
		*left = *total = (uint64_t)(mib * 1048576);
	else if (!*total)
		*left = *total = 32ULL << 30;
	*left -= d->allocated < *left ? d->allocated : *left;
}

EXPORT(int, MemGetInfo_v2, (size_t * left, size_t *total))
{
	struct fake_device *d;
	uint64_t l, t;
	int rc = cudev_begin_here("MemGetInfo", &d);

	if (rc)
		return rc;
	if (!left || !total)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	sizes(d, &l, &t);
	*left = (size_t)l;
	*total = (size_t)t;
	return cudev_end(CUDA_RC_OK);
}

static int map(struct fake_device *d, struct memory *m, size_t bytes)
{
	m->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->host == MAP_FAILED)
		return CUDA_RC_OUT_OF_MEMORY;
	m->address = (uint64_t)(uintptr_t)m->host | DEVICE_BIT;
	m->bytes = bytes;
	d->allocated += bytes;
	return CUDA_RC_OK;
}

EXPORT(int, MemAlloc_v2, (cuda_ptr * out, size_t bytes))
{
	struct fake_device *d;
	struct memory *m;
	uint64_t left, total;
	int rc = cudev_begin_here("MemAlloc", &d);

	if (rc)
		return rc;
	if (!out || !bytes)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	sizes(d, &left, &total);
	m = bytes <= left ? things_new(THING_MEMORY, d, sizeof(*m)) : NULL;
	rc = m ? map(d, m, bytes) : CUDA_RC_OUT_OF_MEMORY;
	if (rc)
		things_drop(m);
	else
		*out = m->address;
	return cudev_end(rc);
}

void cumem_unmap(void *thing)
{
	struct memory *m = thing;

	munmap(m->host, m->bytes);
}

EXPORT(int, MemFree_v2, (cuda_ptr address))
{
	struct range r = { address, 0 };
	struct fake_device *d;
	struct memory *m;
	int rc = cudev_begin_here("MemFree", &d);

	if (rc)
		return rc;
	if (!address)
		return cudev_end(CUDA_RC_OK);
	m = things_find(THING_MEMORY, begins, &r);
	if (!m)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	things_device(THING_MEMORY, m)->allocated -= m->bytes;
	cumem_unmap(m);
	things_drop(m);
	return cudev_end(CUDA_RC_OK);
}

/* ---- for others -------------------------------------------------------- */

/* The same bytes, from here on in a file that can be mapped elsewhere. */
static int share(void *host, size_t bytes)
{
	int fd = memfd_create("fake-cuda", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (write(fd, host, bytes) != (ssize_t)bytes ||
	    mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, 0) == MAP_FAILED) {
		close(fd);
		return -1;
	}
	return fd;
}

EXPORT(int, MemGetHandleForAddressRange,
	(void *handle, cuda_ptr address, size_t bytes, int type,
	unsigned long long flags))
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fake_device *d;
	void *host;
	int fd, rc = cudev_begin_here("MemGetHandleForAddressRange", &d);

	if (rc)
		return rc;
	host = cumem_own(d, address, bytes);
	if (!host || !handle || type != CUDA_RANGE_DMA_BUF_FD || flags ||
	    address % page || bytes % page)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	fd = share(host, bytes);
	if (fd < 0)
		return cudev_end(CUDA_RC_OUT_OF_MEMORY);
	memcpy(handle, &fd, sizeof(fd));
	return cudev_end(CUDA_RC_OK);
}

/* ---- host memory ------------------------------------------------------- */

EXPORT(int, MemHostRegister_v2, (void *p, size_t bytes, unsigned int flags))
{
	struct range r = { (uint64_t)(uintptr_t)p, bytes };
	struct fake_device *d;
	struct memory *m;
	int rc = cudev_begin_here("MemHostRegister", &d);

	(void)flags;
	if (rc)
		return rc;
	if (!p || !bytes)
		return cudev_end(CUDA_RC_INVALID_VALUE);
	if (things_find(THING_HOST, overlaps, &r))
		return cudev_end(FAKE_RC_ALREADY_REGISTERED);
	m = things_new(THING_HOST, d, sizeof(*m));
	if (!m)
		return cudev_end(CUDA_RC_OUT_OF_MEMORY);
	*m = (struct memory){ r.address, bytes, p };
	return cudev_end(CUDA_RC_OK);
}

EXPORT(int, MemHostUnregister, (void *p))
{
	struct range r = { (uint64_t)(uintptr_t)p, 0 };
	struct fake_device *d;
	struct memory *m;
	int rc = cudev_begin_here("MemHostUnregister", &d);

	if (rc)
		return rc;
	m = things_find(THING_HOST, begins, &r);
	things_drop(m);
	return cudev_end(m ? CUDA_RC_OK : FAKE_RC_NOT_REGISTERED);
}
