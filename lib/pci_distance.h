/* SPDX-License-Identifier: Apache-2.0
 * pci_distance - how far two PCI devices are from each other, by where sysfs
 * has them in its tree.
 */
#ifndef ASSAY_PCI_DISTANCE_H
#define ASSAY_PCI_DISTANCE_H

#include <stdbool.h>

#include "lib/pci.h"

/* X(name): from near to far, called as nvidia-smi does: PIX one switch at
 * most between them, PXB several switches, PHB one host bridge, NODE several
 * host bridges of one NUMA node, SYS two NUMA nodes. */
#define PCI_NEARS(X) X(PIX) X(PXB) X(PHB) X(NODE) X(SYS)

enum pci_near {
#define X(name) PCI_NEAR_##name,
	PCI_NEARS(X)
#undef X
	PCI_NEAR_UNKNOWN	/* as in a virtual machine */
};

/* Where a device is. */
struct pci_place {
	char addr[PCI_ADDR_SIZE];	/* "" it is no PCI device */
	char root[16];			/* host bridge: "pci0000:15"; "" unknown */
	int numa_node;			/* -1 unknown */
	int bridges;			/* above it, nearest first */
	char bridge[PCI_PARENTS_MAX][PCI_ADDR_SIZE];
};

/* What cannot be told is unknown. */
void pci_place_read(const struct roots *r, const char *addr,
		    struct pci_place *out);

enum pci_near pci_distance(const struct pci_place *a,
			   const struct pci_place *b);

/* Is there a link above both of them that they have to share? */
bool pci_share_link(const struct pci_place *a, const struct pci_place *b);

/* Functions of one card. */
bool pci_same_slot(const struct pci_place *a, const struct pci_place *b);

const char *pci_near_name(enum pci_near n);	/* "PIX"; "" unknown */

#endif
