/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/pci_distance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_DEVICES "sys/bus/pci/devices/"

/* The link spells out the way to the device: ../../../devices/pci0000:15/...
 * Of several host bridges (one behind another) the nearest counts. */
static void read_root(const struct roots *r, struct pci_place *p)
{
	char path[64], target[512];
	const char *at = target;
	const char *root = NULL;

	snprintf(path, sizeof(path), PCI_DEVICES "%s", p->addr);
	if (roots_readlink(r, path, target, sizeof(target)) < 0)
		return;
	while ((at = strstr(at, "/pci"))) {
		at++;
		if (strchr(at, ':'))
			root = at;
	}
	if (root)
		snprintf(p->root, sizeof(p->root), "%.*s",
			 (int)strcspn(root, "/"), root);
}

void pci_place_read(const struct roots *r, const char *addr,
		    struct pci_place *out)
{
	char node[16];

	memset(out, 0, sizeof(*out));
	out->numa_node = -1;
	if (!pci_is_address(addr))
		return;
	snprintf(out->addr, sizeof(out->addr), "%s", addr);
	read_root(r, out);
	out->bridges = pci_parents(r, addr, out->bridge);
	if (roots_readf(r, node, sizeof(node), PCI_DEVICES "%s/numa_node",
			addr) > 0)
		out->numa_node = (int)strtol(node, NULL, 10);
}

/* How many bridges of a are below the first that is above b as well; -1 there
 * is none. */
static int below_common(const struct pci_place *a, const struct pci_place *b)
{
	int i, k;

	for (i = 0; i < a->bridges; i++)
		for (k = 0; k < b->bridges; k++)
			if (!strcmp(a->bridge[i], b->bridge[k]))
				return i;
	return -1;
}

bool pci_share_link(const struct pci_place *a, const struct pci_place *b)
{
	return below_common(a, b) >= 0;
}

bool pci_same_slot(const struct pci_place *a, const struct pci_place *b)
{
	const char *dot = strrchr(a->addr, '.');

	return dot && !strncmp(a->addr, b->addr, (size_t)(dot - a->addr) + 1);
}

/* A switch shows as one bridge above and one below for each of its ports. */
enum pci_near pci_distance(const struct pci_place *a, const struct pci_place *b)
{
	int up = below_common(a, b), down = below_common(b, a);

	if (up >= 0)
		return up <= 1 && down <= 1 ? PCI_NEAR_PIX : PCI_NEAR_PXB;
	if (!a->root[0] || !b->root[0])
		return PCI_NEAR_UNKNOWN;
	if (!strcmp(a->root, b->root))
		return PCI_NEAR_PHB;
	if (a->numa_node < 0 || b->numa_node < 0)
		return PCI_NEAR_UNKNOWN;
	return a->numa_node == b->numa_node ? PCI_NEAR_NODE : PCI_NEAR_SYS;
}

const char *pci_near_name(enum pci_near n)
{
	static const char *const names[PCI_NEAR_UNKNOWN + 1] = {
#define X(name) #name,
		PCI_NEARS(X)
#undef X
		""
	};

	return names[n];
}
