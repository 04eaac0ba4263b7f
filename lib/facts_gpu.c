/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_gpu.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pci.h"
#include "lib/scrub.h"

#define PCI_DIR "sys/bus/pci/devices"
#define PROC_DIR "proc/driver/nvidia/gpus"
#define VENDOR_NVIDIA 0x10de

struct look {
	const struct roots *roots;
	struct facts_gpus *out;
};

int facts_gpu_bus_id(const char *text, char *out, size_t size)
{
	unsigned int domain, bus, dev, fn = 0;
	int end = 0;

	if (sscanf(text, "%8x:%2x:%2x%n", &domain, &bus, &dev, &end) < 3 || !end)
		return -1;
	if (text[end] && sscanf(text + end, ".%1x", &fn) != 1)
		return -1;
	snprintf(out, size, "%04x:%02x:%02x.%x", domain, bus, dev, fn);
	return 0;
}

static uint64_t bus_number(const struct gpu *g)
{
	unsigned int domain = 0, bus = 0, dev = 0, fn = 0;

	sscanf(g->bus_id, "%x:%x:%x.%x", &domain, &bus, &dev, &fn);
	return (uint64_t)domain << 32 | bus << 16 | dev << 8 | fn;
}

static void rank(struct facts_gpus *g)
{
	uint64_t number[FACTS_GPUS_MAX];
	int i, j;

	for (i = 0; i < g->count; i++)
		number[i] = bus_number(&g->gpu[i]);
	for (i = 0; i < g->count; i++) {
		g->gpu[i].index = 0;
		for (j = 0; j < g->count; j++)
			if (number[j] < number[i])
				g->gpu[i].index++;
	}
}

void facts_gpu_unasked(struct gpu *g)
{
	const struct val none = { .rc = VAL_UNASKED };
	int i;

	memset(g, 0, sizeof(*g));
#define X(m) g->m = none;
	FACTS_GPU_VALS(X)
#undef X
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		g->link_state[i] = none;
	g->minor = -1;
	g->proc_count = -1;
}

static struct gpu *add(struct facts_gpus *g, const char *bus_id)
{
	struct gpu *n;

	if (g->count == FACTS_GPUS_MAX)
		return NULL;
	n = &g->gpu[g->count++];
	facts_gpu_unasked(n);
	scrub_copy(n->bus_id, sizeof(n->bus_id), bus_id);
	return n;
}

int facts_gpu_add(struct facts_gpus *g, const char *bus_id)
{
	if (!add(g, bus_id))
		return -1;
	rank(g);
	return g->count - 1;
}

static struct gpu *find_or_add(struct facts_gpus *g, const char *bus_id)
{
	int i;

	for (i = 0; i < g->count; i++)
		if (strcmp(g->gpu[i].bus_id, bus_id) == 0)
			return &g->gpu[i];
	return add(g, bus_id);
}

static int by_bus(const void *a, const void *b)
{
	uint64_t x = bus_number(a), y = bus_number(b);

	return x < y ? -1 : x > y;
}

/* ---- the PCI bus ------------------------------------------------------ */

static uint64_t number(const struct roots *r, const char *dev, const char *file)
{
	uint64_t v = 0;

	if (roots_read_u64(r, &v, PCI_DIR "/%s/%s", dev, file) < 0)
		return 0;
	return v;
}

/* Displays and 3D controllers: not the audio function, not NVSwitches. */
static bool is_gpu(const struct roots *r, const char *dev)
{
	uint64_t class;

	if (number(r, dev, "vendor") != VENDOR_NVIDIA)
		return false;
	class = number(r, dev, "class") >> 8;
	return class == 0x0300 || class == 0x0302;
}

/* Widths only, each file once: pci_path_read() would read four times as
 * much, and this is on every job's way. */
static void see_widths(const struct roots *r, const char *name, struct gpu *g)
{
	char parents[PCI_PARENTS_MAX][PCI_ADDR_SIZE], dir[96];
	int i, n = pci_parents(r, name, parents);
	uint16_t w;

	snprintf(dir, sizeof(dir), PCI_DIR "/%.60s", name);
	g->pci_width = pci_width_read(r, dir, "current_link_width");
	g->pci_width_max = pci_width_read(r, dir, "max_link_width");
	for (i = 0; i < n; i++) {
		snprintf(dir, sizeof(dir), PCI_DIR "/%.15s", parents[i]);
		w = pci_width_read(r, dir, "max_link_width");
		if (w && (!g->pci_parent_width_max || w < g->pci_parent_width_max))
			g->pci_parent_width_max = w;
	}
}

static int see_pci_device(const char *name, void *arg)
{
	struct look *l = arg;
	char bus_id[24];
	struct gpu *g;

	if (!is_gpu(l->roots, name) ||
	    facts_gpu_bus_id(name, bus_id, sizeof(bus_id)) < 0)
		return 0;
	l->out->pci_count++;
	g = find_or_add(l->out, bus_id);
	if (!g)
		return 0;
	g->in_pci = true;
	g->pci_id = (uint32_t)number(l->roots, name, "device") << 16 |
		    VENDOR_NVIDIA;
	see_widths(l->roots, name, g);
	return 0;
}

/* ---- /proc/driver/nvidia ---------------------------------------------- */

/* "Key: \t value" of a line, or NULL. Cuts the line's end off. */
static char *value_of(char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	while (*line == ' ' || *line == '\t')
		line++;
	return line;
}

static void take_line(struct gpu *g, char *line)
{
	char *v, *end;
	long n;

	if ((v = value_of(line, "Model"))) {
		scrub_copy(g->name, sizeof(g->name), v);
	} else if ((v = value_of(line, "GPU UUID"))) {
		/* A GPU that was never woken shows question marks. */
		if (!strchr(v, '?'))
			scrub_copy(g->uuid, sizeof(g->uuid), v);
	} else if ((v = value_of(line, "Video BIOS"))) {
		g->asleep = strchr(v, '?') != NULL;
		if (!g->asleep)
			scrub_copy(g->vbios, sizeof(g->vbios), v);
	} else if ((v = value_of(line, "Device Minor"))) {
		n = strtol(v, &end, 10);
		if (end != v && n >= 0 && n < 1024)
			g->minor = (int)n;
	}
}

static int see_proc_gpu(const char *name, void *arg)
{
	struct look *l = arg;
	char text[2048], bus_id[24], *line, *save = NULL;
	struct gpu *g;

	if (facts_gpu_bus_id(name, bus_id, sizeof(bus_id)) < 0)
		return 0;
	l->out->proc_count++;
	g = find_or_add(l->out, bus_id);
	if (!g)
		return 0;
	g->in_proc = true;
	if (roots_readf(l->roots, text, sizeof(text),
			PROC_DIR "/%s/information", name) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		take_line(g, line);
	return 0;
}

/* Does a word read like "580.95.05"? */
static bool is_version(const char *word)
{
	int dots = 0;

	if (!isdigit((unsigned char)*word))
		return false;
	for (; *word; word++) {
		if (*word == '.')
			dots++;
		else if (!isdigit((unsigned char)*word))
			return false;
	}
	return dots > 0;
}

static void see_module(struct look *l)
{
	char text[1024], *word, *save = NULL;

	l->out->module_loaded = roots_exists(l->roots, "sys/module/nvidia");
	if (roots_read(l->roots, "proc/driver/nvidia/version", text,
		       sizeof(text)) < 0)
		return;
	l->out->module_loaded = true;
	text[strcspn(text, "\n")] = '\0';
	for (word = strtok_r(text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (!is_version(word))
			continue;
		scrub_copy(l->out->kernel_driver, sizeof(l->out->kernel_driver),
			   word);
		return;
	}
}

int facts_gpu_inventory(const struct roots *r, struct facts_gpus *out)
{
	struct look l = { r, out };

	memset(out, 0, sizeof(*out));
	out->init_rc = VAL_UNASKED;
	out->nvml_count = -1;
	if (roots_each(r, PCI_DIR, see_pci_device, &l) < 0)
		out->pci_count = -1;
	if (roots_each(r, PROC_DIR, see_proc_gpu, &l) < 0)
		out->proc_count = -1;
	see_module(&l);
	qsort(out->gpu, (size_t)out->count, sizeof(out->gpu[0]), by_bus);
	rank(out);
	return 0;
}
