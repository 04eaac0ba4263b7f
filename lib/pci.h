/* SPDX-License-Identifier: Apache-2.0
 * pci - PCIe links and bridges as sysfs shows them.
 */
#ifndef ASSAY_PCI_H
#define ASSAY_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/roots.h"

#define PCI_ADDR_SIZE 16	/* "0000:3d:00.0"; domains up to 8 digits */
#define PCI_PARENTS_MAX 8

/* 0: unknown. */
struct pci_link {
	uint16_t width, width_max;
	int32_t speed_mt, speed_max_mt;		/* MT/s: "32.0 GT/s" is 32000 */
};

/* Does s read like "0000:3d:00.0" (whole)? */
bool pci_is_address(const char *s);

/* "32.0 GT/s PCIe" and older forms in MT/s; 0 for "Unknown" and the like. */
int32_t pci_speed_mt(const char *text);

/* 5 for 32000 MT/s; 0 unknown. */
int pci_generation(int32_t mt);

/* GB/s of such a link in one direction, behind the line code; NAN unknown. */
double pci_gbps(int generation, int width);

/* One width, by the name of its file below dir; 0 unknown: not there, or not
 * a width that PCIe has (a device off the bus shows 63). */
uint16_t pci_width_read(const struct roots *r, const char *dir,
			const char *file);

/* Link of the device whose sysfs directory is dir; what is not there is
 * unknown. */
void pci_link_read(const struct roots *r, const char *dir,
		   struct pci_link *out);

/* The bridges above a device, nearest first. Their number, 0 if there are
 * none or the device's place in the tree cannot be told. */
int pci_parents(const struct roots *r, const char *addr,
		char parents[PCI_PARENTS_MAX][PCI_ADDR_SIZE]);

/* The narrowest and slowest of the links above a device. */
void pci_path_read(const struct roots *r, const char *addr,
		   struct pci_link *out);

/* Is addr a downstream port of a PCIe switch that redirects peer-to-peer
 * requests or completions upwards (ACS)? 1 yes, 0 no, -1 it cannot be told
 * (the extended configuration space is root's). Reads a few words only. */
int pci_acs_redirects(const struct roots *r, const char *addr);

#endif
