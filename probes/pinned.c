/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/pinned.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From the kernel's include/uapi/linux/mempolicy.h; glibc has no wrapper. */
#define POLICY_PREFERRED 1
#define POLICY_OF_ADDRESS 2	/* flags of get_mempolicy: which node */
#define POLICY_NODE 1
#define NODES_MAX 1024

/* Prefer a node: where it has no memory left, another one will do, and the
 * conditions tell. */
static void place(const struct pinned *p, int node)
{
	unsigned long mask[NODES_MAX / (8 * sizeof(long))] = { 0 };

	if (node < 0 || node >= NODES_MAX)
		return;
	mask[(size_t)node / (8 * sizeof(long))] |=
		1UL << ((size_t)node % (8 * sizeof(long)));
	syscall(SYS_mbind, p->bytes, p->size, POLICY_PREFERRED, mask,
		(unsigned long)NODES_MAX, 0UL);
}

static int node_of(const struct pinned *p)
{
	int node;

	if (syscall(SYS_get_mempolicy, &node, NULL, 0UL,
		    (char *)p->bytes + p->size / 2,
		    POLICY_OF_ADDRESS | POLICY_NODE) < 0)
		return -1;
	return node;
}

int pinned_map(struct pinned *p, int numa, struct probe_shot *shot,
	       size_t size)
{
	*p = (struct pinned){ .size = size };
	p->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->bytes == MAP_FAILED) {
		p->bytes = NULL;
		return device_not_now(shot, "no host memory for a buffer");
	}
	place(p, numa);
	memset(p->bytes, 0, size);
	shot->cond.numa_wanted = numa;
	shot->cond.numa_node = numa < 0 ? -1 : node_of(p);
	return 0;
}

void pinned_unmap(struct pinned *p)
{
	if (p->bytes)
		munmap(p->bytes, p->size);
	*p = (struct pinned){ .bytes = NULL };
}

int pinned_open(struct pinned *p, struct probe_device *d,
		struct probe_shot *shot, size_t size)
{
	if (pinned_map(p, d->numa_wanted, shot, size) < 0)
		return -1;
	if (DEVICE_CALL(d->libs, shot, host_register, p->bytes, size,
			CUDA_HOST_REGISTER_PORTABLE) < 0)
		return -1;
	p->registered = true;
	return 0;
}

void pinned_close(struct pinned *p, struct probe_device *d)
{
	if (p->registered) {
		device_enter(d->libs, devlibs_cuda_names.host_unregister);
		d->libs->cuda.host_unregister(p->bytes);
		device_enter(d->libs, "");
	}
	pinned_unmap(p);
}

/* Numbers of a 64-bit xorshift generator (G. Marsaglia, 2003). */
void pinned_fill(struct pinned *p, uint64_t seed)
{
	uint64_t *word = p->bytes;
	uint64_t x = seed | 1;
	size_t i;

	for (i = 0; i < p->size / sizeof(*word); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		word[i] = x;
	}
}
